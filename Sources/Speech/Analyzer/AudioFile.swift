import Audio
import Foundation

/// A WAV file as input for an analyzer.
public struct AudioFile: Sendable {
    /// The path of the file.
    public let path: String
    /// The channels to use.
    public let channels: ChannelSelection

    /// Creates a reference to the file at `path`, which is opened only when `inputs` is read. Errors are thrown then.
    public init(path: String, channels: ChannelSelection = .mix) {
        self.path = path
        self.channels = channels
    }

    /// Creates a reference to the file at `url`, as for a path.
    public init(url: URL, channels: ChannelSelection = .mix) { self.init(path: url.path, channels: channels) }

    /// The length that the file declares; nil if it declares none, as a recorder's pipe.
    ///
    /// - Throws: `FileError` or `WAVError` if the file can't be opened or read.
    public var duration: AudioTime? {
        get throws {
            let reader = try WAVReader(source: FileByteSource(path: path))
            return reader.declaredFrameCount.map { AudioTime(sampleCount: $0, sampleRate: reader.sampleRate) }
        }
    }

    /// The content of the file from its beginning, some seconds at a time. `WAVReader` lists the supported formats.
    public var inputs: Inputs { Inputs(file: self) }

    /// The sequence of the inputs of a file.
    public struct Inputs: AsyncSequence, Sendable {
        /// Some seconds of the file.
        public typealias Element = AnalyzerInput
        let file: AudioFile

        /// The iterator over the inputs of a file.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private let stream: AudioBlockStream

            init(_ file: AudioFile) {
                stream = AudioBlockStream {
                    let reader = try WAVReader(source: FileByteSource(path: file.path))
                    // The modules convert to the rate of their models, so this only takes the channels apart.
                    return try AudioBlockReader(reader, channels: file.channels, sampleRate: reader.sampleRate)
                }
            }

            /// Reads the next input, or `nil` at the end of the file.
            ///
            /// - Throws: `FileError`, `WAVError` or `SampleRateError` if the file can't be opened or read.
            public mutating func next() async throws -> AnalyzerInput? {
                guard let block = try await stream.next()?.first else { return nil }
                return AnalyzerInput(buffer: block, bufferStartTime: nil)
            }
        }

        /// Makes an iterator that opens the file at its first element.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(file) }
    }
}
