import Audio

/// A piece of audio for an analyzer.
public struct AnalyzerInput: Sendable {
    /// The samples; any rate will do, the modules convert to the rate of their model.
    public let buffer: AudioBlock
    /// Where the first sample stands in the stream; `nil` right behind the input before. A start later than the end of the
    /// input before says that something is missing, and the times of what follows stay true. An earlier one is an error.
    public let bufferStartTime: AudioTime?

    /// Input that stands where its buffer says: at its `position`, or without one right behind the input before.
    public init(buffer: AudioBlock) {
        self.init(
            buffer: buffer,
            bufferStartTime: buffer.position.map { AudioTime(sampleCount: $0, sampleRate: buffer.sampleRate) })
    }

    public init(buffer: AudioBlock, bufferStartTime: AudioTime?) {
        self.buffer = buffer
        self.bufferStartTime = bufferStartTime
    }

    /// Input that follows on the input before it without a gap.
    ///
    /// - Parameter sampleRate: samples a second, in Hz.
    public init(samples: [Int16], sampleRate: Int) {
        self.init(buffer: AudioBlock(samples: samples, sampleRate: sampleRate))
    }
}
