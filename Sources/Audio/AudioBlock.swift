/// A run of mono 16-bit samples and where it stands in its stream.
public struct AudioBlock: Hashable, Sendable {
    /// The samples, full scale ±32768.
    public var samples: [Int16]
    /// Samples a second, in Hz.
    public var sampleRate: Int
    /// How many samples of the stream come before the first one here. Where it is more than the end of the block before,
    /// the samples between were lost.
    public var position: Int64

    /// The position after the last sample.
    public var endPosition: Int64 { position + Int64(samples.count) }

    public init(samples: [Int16], sampleRate: Int, position: Int64 = 0) {
        self.samples = samples
        self.sampleRate = sampleRate
        self.position = position
    }
}
