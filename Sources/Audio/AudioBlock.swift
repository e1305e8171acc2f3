/// A run of mono 16-bit samples and where it stands in its stream.
public struct AudioBlock: Hashable, Sendable {
    /// The samples, full scale ±32768.
    public var samples: [Int16]
    /// Samples a second, in Hz.
    public var sampleRate: Int
    /// How many samples of the stream come before the first one here. Where it is more than the end of the block before,
    /// the samples between were lost. `nil` right behind the block before.
    public var position: Int64?

    public init(samples: [Int16], sampleRate: Int, position: Int64? = nil) {
        self.samples = samples
        self.sampleRate = sampleRate
        self.position = position
    }

    /// How long the samples last, in seconds.
    public var duration: Double { Double(samples.count) / Double(sampleRate) }
}
