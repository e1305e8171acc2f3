import Audio

/// A piece of audio for an analyzer.
public struct AnalyzerInput: Sendable {
    /// The samples, at any rate: each module converts them to the rate of its model.
    public let buffer: AudioBlock
    /// The time of the first sample in the stream; `nil` if the input follows the previous one directly. A time after
    /// the end of the previous input means that audio is missing; later times stay correct. A time before it is an
    /// error. A time that another rate than that of the samples rounds, by one unit and at most 42 ms, is the end of the previous input.
    public let bufferStartTime: AudioTime?

    /// Creates an input at the position of its buffer; without one it follows the previous input directly.
    public init(buffer: AudioBlock) {
        self.init(
            buffer: buffer,
            // What is wrong with such a rate, the modules say.
            bufferStartTime: buffer.sampleRate > 0
                ? buffer.position.map { AudioTime(sampleCount: $0, sampleRate: buffer.sampleRate) } : nil)
    }

    /// Creates an input that begins at `bufferStartTime`.
    public init(buffer: AudioBlock, bufferStartTime: AudioTime?) {
        self.buffer = buffer
        self.bufferStartTime = bufferStartTime
    }

    /// Creates an input that follows the previous one directly.
    ///
    /// - Parameters:
    ///   - samples: the samples, full scale ±32768.
    ///   - sampleRate: the number of samples per second, in Hz.
    public init(samples: [Int16], sampleRate: Int) {
        self.init(buffer: AudioBlock(samples: samples, sampleRate: sampleRate))
    }
}
