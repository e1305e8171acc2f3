/// Decides when the reader of a capture is woken: at the first sound, then for each block, and after a while of quiet for longer ones,
/// because to wake a reader costs more than to read a period. Pure.
struct ReaderPace {
    /// The samples of the shortest block.
    private let block: Int
    /// After so many quiet samples, two seconds, blocks are longer.
    private let patience: Int
    /// The samples since the reader was woken; at first a block, so that the first sound wakes it.
    private var waiting: Int
    /// The samples since the last that was not quiet.
    private var quiet = 0
    private var hasBegun = false

    /// The peak of quiet sound, -50 dB of full scale; speech that is softer is noticed up to a tenth of a second later.
    private static let quietPeak: Int16 = 104
    /// The blocks that quiet is delivered in, as a multiple of the shortest.
    private static let quietFactor = 4

    /// - Parameter block: the samples of the shortest block.
    init(block: Int, sampleRate: Int) { (self.block, patience, waiting) = (block, 2 * sampleRate, block) }

    /// Counts samples that the reader can take.
    ///
    /// - Returns: whether it is woken.
    @_noLocks
    mutating func add(_ samples: UnsafeBufferPointer<Int16>) -> Bool {
        var index = 0
        var isQuiet = true
        while index < samples.count, isQuiet {
            isQuiet = samples[index] <= Self.quietPeak && samples[index] >= -Self.quietPeak
            index &+= 1
        }
        quiet = isQuiet ? quiet &+ samples.count : 0
        waiting &+= samples.count
        hasBegun = true
        return waiting >= (quiet > patience ? block &* Self.quietFactor : block) && wake()
    }

    /// Handles a device that gives no more sound.
    ///
    /// - Returns: whether the reader is woken, for what it has not taken.
    @_noLocks
    mutating func stall() -> Bool { hasBegun && waiting > 0 && wake() }

    private mutating func wake() -> Bool {
        waiting = 0
        return true
    }
}
