/// A run of mono 16-bit samples and its position in the stream.
public struct AudioBlock: Hashable, Sendable {
    /// The samples, full scale ±32768.
    public var samples: [Int16]
    /// The number of samples per second, in Hz.
    public var sampleRate: Int
    /// The number of samples in the stream before this block. If it is greater than the end of the previous block, the
    /// samples between were lost. `nil` if the block follows the previous one directly.
    public var position: Int64?

    /// Creates a block of `samples` at `sampleRate` Hz that begins `position` samples into its stream.
    public init(samples: [Int16], sampleRate: Int, position: Int64? = nil) {
        self.samples = samples
        self.sampleRate = sampleRate
        self.position = position
    }

    /// The duration of the samples, in seconds.
    public var duration: Double { Double(samples.count) / Double(sampleRate) }
}
