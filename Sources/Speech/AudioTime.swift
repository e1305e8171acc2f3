/// A time in a stream of audio: a number of samples at a sample rate, so that it is exact.
///
/// It takes the place of `CMTime` in Apple's framework.
public struct AudioTime: Hashable, Sendable, Comparable {
    /// The number of samples since the start of the stream.
    public var sampleCount: Int64
    /// The number of samples per second, in Hz; more than 0.
    public var sampleRate: Int

    /// The start of a stream.
    public static let zero = AudioTime(sampleCount: 0, sampleRate: 1)

    /// Creates the time that is `sampleCount` samples at `sampleRate` Hz after the start of the stream.
    public init(sampleCount: Int64, sampleRate: Int) {
        precondition(sampleRate > 0, "a sample rate is more than 0 Hz")
        self.sampleCount = sampleCount
        self.sampleRate = sampleRate
    }

    /// The time in seconds since the start of the stream.
    public var seconds: Double { Double(sampleCount) / Double(sampleRate) }

    /// Returns the last time not later than this one that falls on a sample at another rate.
    ///
    /// - Parameter rate: the number of samples per second, in Hz.
    func converted(toRate rate: Int) -> AudioTime {
        if rate == sampleRate { return self }
        let (whole, rest) = sampleCount.quotientAndRemainder(dividingBy: Int64(sampleRate))
        let (seconds, overflow) = whole.multipliedReportingOverflow(by: Int64(rate))
        // No stream reaches such a time, so only its sign matters.
        if overflow { return AudioTime(sampleCount: sampleCount < 0 ? .min / 2 : .max / 2, sampleRate: rate) }
        return AudioTime(
            sampleCount: Self.sum(seconds, rest * Int64(rate) / Int64(sampleRate)), sampleRate: rate)
    }

    /// The coarsest rate to which times are rounded, in Hz. Programs round them to samples, milliseconds or the frames of a film, of which
    /// there are 24 in a second. What is coarser, such as whole seconds, is meant as it stands: a second that is missing is no rounding.
    private static let coarsestRate = 24

    /// Whether this time equals `end`, as exactly as both rates allow: a time that was converted from another rate is
    /// up to one sample early or late, yet never more than 42 ms.
    func isNext(to end: AudioTime) -> Bool {
        if sampleRate == end.sampleRate || end.sampleCount == 0 { return self == end }
        let tolerance = Int64(1 + end.sampleRate / max(sampleRate, Self.coarsestRate))
        return abs(converted(toRate: end.sampleRate).sampleCount - end.sampleCount) <= tolerance
    }

    /// Whether two times are equal, whatever their sample rates.
    public static func == (left: AudioTime, right: AudioTime) -> Bool { !(left < right) && !(right < left) }

    /// Whether one time is before another, whatever their sample rates.
    public static func < (left: AudioTime, right: AudioTime) -> Bool {
        if left.sampleRate == right.sampleRate { return left.sampleCount < right.sampleCount }
        let (leftHigh, leftLow) = left.sampleCount.multipliedFullWidth(by: Int64(right.sampleRate))
        let (rightHigh, rightLow) = right.sampleCount.multipliedFullWidth(by: Int64(left.sampleRate))
        return (leftHigh, leftLow) < (rightHigh, rightLow)
    }

    /// Hashes the time, so that equal times at different sample rates have the same hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(seconds) }
}

/// A range of times in a stream of audio, without its upper bound. It takes the place of `CMTimeRange` in Apple's
/// framework.
public typealias AudioTimeRange = Range<AudioTime>

extension AudioTime {
    /// Creates a time to the nearest microsecond. What is no number gives the start, and what is too late the last time that there is.
    ///
    /// - Parameter seconds: seconds since the start of the stream.
    public init(seconds: Double) { self.init(seconds: seconds, rate: 1_000_000) }

    /// Creates the time that is nearest to a number of seconds and falls on a sample at a rate in Hz.
    package init(seconds: Double, rate: Int) {
        let count = (seconds * Double(rate)).rounded()
        let limit = abs(count) < 0x1p63 ? Int64(count) : count < 0 ? -.max : .max
        self.init(sampleCount: count.isNaN ? 0 : limit, sampleRate: rate)
    }

    /// The sum of two numbers of samples, or the nearest that there is.
    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? left < 0 ? -.max : .max : sum
    }

    /// Returns the sum of two times, exact if their sample rates are the same or one of them is a multiple of the other.
    public static func + (left: AudioTime, right: AudioTime) -> AudioTime {
        let rate = max(left.sampleRate, right.sampleRate)
        return AudioTime(
            sampleCount: sum(left.converted(toRate: rate).sampleCount, right.converted(toRate: rate).sampleCount),
            sampleRate: rate)
    }

    /// Returns the difference of two times, as exact as their sum.
    public static func - (left: AudioTime, right: AudioTime) -> AudioTime {
        left + AudioTime(sampleCount: -max(right.sampleCount, -.max), sampleRate: right.sampleRate)
    }
}

extension AudioTimeRange {
    /// The first time of the range.
    public var start: AudioTime { lowerBound }
    /// The time after the range.
    public var end: AudioTime { upperBound }
    /// The length of the range.
    public var duration: AudioTime { upperBound - lowerBound }

    /// Creates a range from its start to its end; an empty one if the end is earlier.
    public init(start: AudioTime, end: AudioTime) { self = start..<Swift.max(start, end) }

    /// Creates a range from its start and its length; an empty one if the length is negative.
    public init(start: AudioTime, duration: AudioTime) { self.init(start: start, end: start + duration) }
}
