import Synchronization

/// What the capture thread and the reader count, readable from any thread.
final class CaptureCounters: Sendable {
    /// Frames read from the device.
    let framesCaptured = Atomic<Int64>(0)
    /// Samples that the reader was too slow for.
    let samplesDropped = Atomic<Int64>(0)
    /// Samples given to the reader.
    let samplesDelivered = Atomic<Int64>(0)
    /// Samples that the device lost, by the clock.
    let samplesMissing = Atomic<Int64>(0)
    let overruns = Atomic<Int>(0)
    let suspensions = Atomic<Int>(0)
    let isStalled = Atomic(false)
    let hasRealTimePriority = Atomic(false)
    /// In Hz; 0 while it is not known.
    let measuredSampleRate = Atomic<Int>(0)
    /// When the first frame was captured, in nanoseconds on the loop's clock; 0 before.
    let startTime = Atomic<Int64>(0)
    /// What `LevelMeter` published last.
    let level = Atomic<UInt64>(0)
    /// What `LevelMeter` counts of zeros.
    let samplesOfSilence = Atomic<Int64>(0)
    /// Why the capture ended, packed; 0 while it runs. Stored after the last sample.
    let end = Atomic<Int64>(0)
    /// The user's wish.
    let stopRequested = Atomic(false)
}
