import Audio

/// A WAV file as input for an analyzer.
public struct AudioFile: Sendable {
    public let path: String
    /// Which channels to hear.
    public let channels: ChannelSelection

    /// - Parameter path: the file is opened when it is read; what is wrong with it is thrown then.
    public init(path: String, channels: ChannelSelection = .mix) {
        self.path = path
        self.channels = channels
    }

    /// The file from its beginning, some seconds at a time. Any rate and layout that `WAVReader` takes.
    public var inputs: Inputs { Inputs(file: self) }

    public struct Inputs: AsyncSequence, Sendable {
        public typealias Element = AnalyzerInput
        let file: AudioFile

        public struct AsyncIterator: AsyncIteratorProtocol {
            private let stream: AudioBlockStream

            init(_ file: AudioFile) {
                stream = AudioBlockStream {
                    let reader = try WAVReader(source: FileByteSource(path: file.path))
                    let channels: AudioBlockReader.Channels =
                        switch file.channels {
                        case .mix: .mix
                        case .channel(let channel): .one(channel)
                        }
                    // The modules convert to the rate of their models, so this only takes the channels apart.
                    return try AudioBlockReader(reader, channels: channels, sampleRate: reader.sampleRate)
                }
            }

            public mutating func next() async throws -> AnalyzerInput? {
                guard let block = try await stream.next()?.first else { return nil }
                return AnalyzerInput(buffer: block, bufferStartTime: nil)
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(file) }
    }
}
