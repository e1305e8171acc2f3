import Synchronization

/// The counters that the capture thread and the reader keep. Any thread may read them.
final class CaptureCounters: Sendable {
    /// Frames read from the device.
    let framesCaptured = Atomic<Int64>(0)
    /// Samples dropped because the reader was too slow.
    let samplesDropped = Atomic<Int64>(0)
    /// Samples that the reader has received.
    let samplesDelivered = Atomic<Int64>(0)
    /// Samples that the device lost, estimated from the clock.
    let samplesMissing = Atomic<Int64>(0)
    /// Overruns (xruns) of the device.
    let overruns = Atomic<Int>(0)
    /// Suspensions of the machine.
    let suspensions = Atomic<Int>(0)
    let isStalled = Atomic(false)
    let hasRealTimePriority = Atomic(false)
    /// The measured rate of the device, in Hz; 0 while it is not known.
    let measuredSampleRate = Atomic<Int>(0)
    /// When the first frame was captured, in nanoseconds since 1970; 0 before.
    let startTime = Atomic<Int64>(0)
    /// When the first sample sounded, by the time of the last, in nanoseconds of the monotonic clock; 0 before.
    let firstSampleTime = Atomic<Int64>(0)
    /// The level that `LevelMeter` published last, packed.
    let level = Atomic<UInt64>(0)
    /// The number of consecutive zero samples up to the last one, from `LevelMeter`.
    let samplesOfSilence = Atomic<Int64>(0)
    /// Why the capture ended, packed; 0 while it runs. Stored after the last sample.
    let end = Atomic<Int64>(0)
    /// Whether the tap has been asked to stop.
    let stopRequested = Atomic(false)
}
