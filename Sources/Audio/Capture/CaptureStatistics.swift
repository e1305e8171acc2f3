/// Statistics of a capture. Frames are counted at the device's rate, samples at the requested rate, in mono. After the
/// capture has ended and all blocks are read, `samplesCaptured` equals `samplesDelivered + samplesDropped`.
public struct CaptureStatistics: Hashable, Sendable {
    /// The loudness of the last 50 ms.
    public struct Level: Hashable, Sendable {
        /// The magnitude of the largest sample, 0…1.
        public var peak: Float
        /// The root mean square of the samples, 0…1.
        public var rms: Float

        /// Creates a level.
        public init(peak: Float, rms: Float) {
            self.peak = peak
            self.rms = rms
        }
    }

    /// The number of frames read from the device.
    public var framesCaptured: Int64
    /// The number of samples converted from those frames.
    public var samplesCaptured: Int64
    /// The number of samples that the reader has received.
    public var samplesDelivered: Int64
    /// The number of samples dropped, the oldest first, because the reader was too slow.
    public var samplesDropped: Int64
    /// The number of samples that the device lost before they could be read, estimated from the clock.
    public var samplesMissing: Int64
    /// The number of overruns (xruns) of the device.
    public var overruns: Int
    /// The number of times that the machine was suspended.
    public var suspensions: Int
    /// The loudness of the last 50 ms.
    public var level: Level
    /// Whether the device has given no sound for two and a half seconds.
    public var isStalled: Bool
    /// Whether the system granted SCHED_FIFO to the capture thread, which requests it for hardware devices only.
    public var hasRealTimePriority: Bool
    /// The time at which the first frame was captured, in seconds since 1970; `nil` before.
    public var startTime: Double?
    /// The sample rate of the device, measured by the system's clock, in Hz; `nil` in the first ten seconds.
    public var measuredSampleRate: Double?
    /// The number of consecutive samples, up to the last one, that are exactly zero. A microphone that is on is never
    /// that quiet.
    public var samplesOfSilence: Int64 = 0
    /// The time at which the first sample sounded, judged by the last one, in seconds of the monotonic clock; `nil` before. Sample `n` of
    /// the capture sounded `n / sampleRate` seconds later. As the capture goes on it moves by as much as the device's clock is wrong.
    ///
    /// C: `clock_gettime` with `CLOCK_MONOTONIC`
    public var firstSampleTime: Double?

    /// Whether the measured sample rate differs from the declared one by so much that the recognition of words suffers.
    ///
    /// - Parameter declared: the sample rate that the device declared, in Hz.
    public func contradicts(declaredSampleRate declared: Int) -> Bool {
        guard let measuredSampleRate else { return false }
        // More than 2.5 times the rate is no clock: a file, or silence, that is read as a device.
        let ratio = measuredSampleRate / Double(declared)
        return ratio < 0.95 || (ratio > 1.05 && ratio < 2.5)
    }
}
