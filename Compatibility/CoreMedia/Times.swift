// The names of Apple's Core Media for the times of this package, as far as programs need them that use a `SpeechAnalyzer`.
@_exported import struct Speech.AudioTime
import Speech

/// A time: an `AudioTime`.
public typealias CMTime = AudioTime
/// A range of times, without its end.
public typealias CMTimeRange = Range<AudioTime>
/// A number of units of time.
public typealias CMTimeValue = Int64
/// The number of units in a second.
public typealias CMTimeScale = Int32

extension AudioTime {
    /// Creates a time from a number of units; without a timescale the start. There is no invalid time.
    ///
    /// - Parameters:
    ///   - value: the number of units.
    ///   - timescale: the number of units in a second.
    public init(value: CMTimeValue, timescale: CMTimeScale) {
        self = timescale > 0 ? AudioTime(sampleCount: value, sampleRate: Int(timescale)) : .zero
    }

    /// Creates the time that is nearest to a number of seconds; for what is no number, or without a timescale, the start.
    ///
    /// - Parameters:
    ///   - seconds: the time in seconds.
    ///   - preferredTimescale: the number of units in a second.
    public init(seconds: Double, preferredTimescale: CMTimeScale) {
        self = preferredTimescale > 0 ? AudioTime(seconds: seconds, rate: Int(preferredTimescale)) : .zero
    }

    /// The number of units.
    public var value: CMTimeValue { sampleCount }
    /// The number of units in a second.
    public var timescale: CMTimeScale { CMTimeScale(clamping: sampleRate) }
    /// Whether this is a time: always.
    public var isValid: Bool { true }
    /// Whether this is a number: always.
    public var isNumeric: Bool { true }
}

/// Returns a time in seconds.
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }

/// Returns the time of a number of units.
public func CMTimeMake(value: CMTimeValue, timescale: CMTimeScale) -> CMTime {
    CMTime(value: value, timescale: timescale)
}

/// Returns the time that is nearest to a number of seconds.
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: CMTimeScale) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}

/// Returns the sum of two times.
public func CMTimeAdd(_ left: CMTime, _ right: CMTime) -> CMTime { left + right }

/// Returns the difference of two times.
public func CMTimeSubtract(_ left: CMTime, _ right: CMTime) -> CMTime { left - right }

/// Returns the range from a start with a length.
public func CMTimeRangeMake(start: CMTime, duration: CMTime) -> CMTimeRange {
    CMTimeRange(start: start, duration: duration)
}

/// Returns the end of a range.
public func CMTimeRangeGetEnd(_ range: CMTimeRange) -> CMTime { range.end }
