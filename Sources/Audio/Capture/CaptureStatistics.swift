/// How a capture is going. Frames are the device's; samples are mono, at the rate that was asked for. Once the capture has ended and all
/// is read, `samplesCaptured` is `samplesDelivered + samplesDropped`.
public struct CaptureStatistics: Hashable, Sendable {
    /// How loud the last twentieth of a second was.
    public struct Level: Hashable, Sendable {
        /// The largest sample's magnitude, 0…1.
        public var peak: Float
        /// The root mean square, 0…1.
        public var rms: Float

        public init(peak: Float, rms: Float) {
            self.peak = peak
            self.rms = rms
        }
    }

    /// Frames read from the device.
    public var framesCaptured: Int64
    /// Samples made of them.
    public var samplesCaptured: Int64
    /// Samples that the reader has got.
    public var samplesDelivered: Int64
    /// Samples that went, the oldest first, since the reader was too slow.
    public var samplesDropped: Int64
    /// Samples that the device lost before they could be read, by the clock.
    public var samplesMissing: Int64
    /// How often it did.
    public var overruns: Int
    /// How often the machine was suspended.
    public var suspensions: Int
    public var level: Level
    /// Whether nothing has come from the device for a second.
    public var isStalled: Bool
    /// Whether the system granted the capture thread SCHED_FIFO. It is asked for hardware devices only.
    public var hasRealTimePriority: Bool
    /// When the first frame was captured, in seconds on the system's monotonic clock; `nil` before.
    public var startTime: Double?
    /// How many frames a second the device really gives, in Hz, by the clock; `nil` in the first ten seconds.
    public var measuredSampleRate: Double?
    /// Samples up to the last that are exactly zero, with no other between: no microphone that is on is that quiet.
    public var samplesOfSilence: Int64 = 0

    /// Whether the device gives more or fewer frames a second than it said, by so much that words suffer.
    ///
    /// - Parameter declared: what it said, in Hz.
    public func contradicts(declaredSampleRate declared: Int) -> Bool {
        guard let measuredSampleRate else { return false }
        // Faster than twice is no clock at all: a file, or nothing, read as a device.
        let ratio = measuredSampleRate / Double(declared)
        return ratio < 0.95 || (ratio > 1.05 && ratio < 2.5)
    }
}
