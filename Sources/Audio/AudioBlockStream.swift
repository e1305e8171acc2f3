/// An `AudioBlockReader` on a thread of its own, since a pipe may make it wait for long.
public actor AudioBlockStream {
    /// What a source is like.
    public struct Description: Hashable, Sendable {
        /// The source's own frames a second, in Hz.
        public let sampleRate: Int
        public let channelCount: Int
        /// How many streams of blocks are made of it.
        public let streamCount: Int
        /// In seconds, where it was said beforehand.
        public let declaredDuration: Double?
    }

    private let executor = SerialDispatchExecutor(label: "utter.audio-file")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let open: @Sendable () throws -> AudioBlockReader
    private var reader: AudioBlockReader?

    /// - Parameter open: opens the source, on the stream's thread, at the first call.
    public init(_ open: @escaping @Sendable () throws -> AudioBlockReader) {
        self.open = open
    }

    /// What the source is like; opens it.
    public func describe() throws -> Description {
        let reader = try opened()
        let source = reader.source
        return Description(
            sampleRate: source.sampleRate, channelCount: source.channelCount, streamCount: reader.streamCount,
            declaredDuration: source.declaredFrameCount.map { Double($0) / Double(source.sampleRate) })
    }

    /// The next block of each stream; `nil` at the end.
    public func next() throws -> [AudioBlock]? { try opened().next() }

    /// What was not as it should be so far, each in a sentence.
    public var complaints: [String] { reader?.source.complaints ?? [] }

    private func opened() throws -> AudioBlockReader {
        if let reader { return reader }
        let new = try open()
        reader = new
        return new
    }
}
