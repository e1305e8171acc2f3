import System

/// An `AudioBlockReader` on its own thread, because reading a pipe can block for a long time.
public actor AudioBlockStream {
    /// The properties of an audio source.
    public struct Description: Hashable, Sendable {
        /// The source's own sample rate, in frames per second (Hz).
        public let sampleRate: Int
        /// The number of channels in the source.
        public let channelCount: Int
        /// The name of each channel, in their order, empty for one without a name; none at all where the source has none. Untrusted.
        public let channelNames: [String]
        /// The number of streams that the source is read as.
        public let streamCount: Int
        /// The duration that the source declares, in seconds; `nil` if it declares none.
        public let declaredDuration: Double?
    }

    private let executor = SerialDispatchExecutor(label: "utter.audio-file")
    /// The executor of the stream's own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let open: @Sendable () throws -> AudioBlockReader
    private var reader: AudioBlockReader?

    /// Creates a stream.
    ///
    /// - Parameter open: opens the source. Called on the stream's thread, by the first `describe()` or `next()`.
    public init(_ open: @escaping @Sendable () throws -> AudioBlockReader) {
        self.open = open
    }

    /// Returns the properties of the source, which it opens first if necessary.
    ///
    /// - Throws: what `open` throws.
    public func describe() throws -> Description {
        let reader = try opened()
        let source = reader.source
        return Description(
            sampleRate: source.sampleRate, channelCount: source.channelCount, channelNames: source.channelNames,
            streamCount: reader.streamCount,
            declaredDuration: source.declaredFrameCount.map { Double($0) / Double(source.sampleRate) })
    }

    /// Returns the next block of each stream, or `nil` at the end.
    ///
    /// - Throws: what `open` and `AudioBlockReader.next()` throw.
    public func next() throws -> [AudioBlock]? { try opened().next() }

    /// The defects found in the source so far, each described in one sentence.
    public var complaints: [String] { reader?.source.complaints ?? [] }

    /// Whether the channels cancel each other in their mix; see `AudioBlockReader.isCancelled`.
    public var isCancelled: Bool { reader?.isCancelled ?? false }

    private func opened() throws -> AudioBlockReader {
        if let reader { return reader }
        let new = try open()
        reader = new
        return new
    }
}
