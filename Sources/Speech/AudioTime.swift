/// A moment in a stream of audio: a count of samples at a rate, so that it is exact.
///
/// The place of `CMTime` in Apple's framework.
public struct AudioTime: Hashable, Sendable, Comparable {
    /// Samples since the start of the stream.
    public var sampleCount: Int64
    /// Samples a second, in Hz; more than 0.
    public var sampleRate: Int

    public static let zero = AudioTime(sampleCount: 0, sampleRate: 1)

    public init(sampleCount: Int64, sampleRate: Int) {
        precondition(sampleRate > 0, "a sample rate is more than 0 Hz")
        self.sampleCount = sampleCount
        self.sampleRate = sampleRate
    }

    /// Seconds since the start of the stream.
    public var seconds: Double { Double(sampleCount) / Double(sampleRate) }

    /// The nearest moment, not later, that falls on a sample at another rate.
    ///
    /// - Parameter rate: samples a second, in Hz.
    func converted(toRate rate: Int) -> AudioTime {
        if rate == sampleRate { return self }
        let (whole, rest) = sampleCount.quotientAndRemainder(dividingBy: Int64(sampleRate))
        let (seconds, overflow) = whole.multipliedReportingOverflow(by: Int64(rate))
        // Of a time that no stream reaches only the direction matters.
        if overflow { return AudioTime(sampleCount: sampleCount < 0 ? .min / 2 : .max / 2, sampleRate: rate) }
        return AudioTime(sampleCount: seconds + rest * Int64(rate) / Int64(sampleRate), sampleRate: rate)
    }

    /// Whether this moment is `end`, as nearly as the two rates can tell: a moment that was brought from one rate to another
    /// is up to a sample early.
    func isNext(to end: AudioTime) -> Bool {
        if sampleRate == end.sampleRate || end.sampleCount == 0 { return self == end }
        let tolerance = Int64(1 + end.sampleRate / sampleRate)
        return abs(converted(toRate: end.sampleRate).sampleCount - end.sampleCount) <= tolerance
    }

    public static func == (left: AudioTime, right: AudioTime) -> Bool { !(left < right) && !(right < left) }

    public static func < (left: AudioTime, right: AudioTime) -> Bool {
        if left.sampleRate == right.sampleRate { return left.sampleCount < right.sampleCount }
        let (leftHigh, leftLow) = left.sampleCount.multipliedFullWidth(by: Int64(right.sampleRate))
        let (rightHigh, rightLow) = right.sampleCount.multipliedFullWidth(by: Int64(left.sampleRate))
        return (leftHigh, leftLow) < (rightHigh, rightLow)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(seconds) }
}

/// A stretch of a stream of audio, from its first sample to before its last. The place of `CMTimeRange`.
public typealias AudioTimeRange = Range<AudioTime>
