import Synchronization

/// Measures the loudness of consecutive windows of samples.
struct LevelMeter {
    private let windowLength: Int
    private var count = 0
    private var peak: Int32 = 0
    private var sumOfSquares: Int64 = 0
    /// The number of consecutive samples, up to the last one, that are exactly zero.
    private(set) var zeroCount: Int64 = 0

    /// - Parameter windowLength: the length of a window, in samples.
    init(windowLength: Int) { self.windowLength = max(1, windowLength) }

    /// Adds samples, and publishes the level of each window that they complete.
    @_noLocks
    mutating func add(_ samples: UnsafeBufferPointer<Int16>, to level: borrowing Atomic<UInt64>) {
        var index = 0
        while index < samples.count {
            let sample = Int32(samples[index])
            peak = max(peak, sample < 0 ? -sample : sample)
            sumOfSquares &+= Int64(sample &* sample)
            zeroCount = sample == 0 ? zeroCount &+ 1 : 0
            count &+= 1
            if count == windowLength {
                let meanSquare = Float(sumOfSquares) / Float(count)
                let bits = UInt64(Float(peak).bitPattern) << 32 | UInt64(meanSquare.bitPattern)
                level.store(bits, ordering: .relaxed)
                (count, peak, sumOfSquares) = (0, 0, 0)
            }
            index &+= 1
        }
    }

    /// Unpacks a published level.
    static func level(_ bits: UInt64) -> CaptureStatistics.Level {
        CaptureStatistics.Level(
            peak: Float(bitPattern: UInt32(bits >> 32)) / 32768,
            rms: Float(bitPattern: UInt32(truncatingIfNeeded: bits)).squareRoot() / 32768)
    }
}
