/// Reads a WAV stream once, from the beginning to the end: from a file, a pipe or any other source of bytes.
///
///     var reader = try WAVReader(source: FileByteSource(path: "memo.wav"))
///     var samples = [Float](repeating: 0, count: 4096 * reader.format.channelCount)
///     while true {
///         let frameCount = try samples.withUnsafeMutableBufferPointer { try reader.read(into: $0) }
///         if frameCount == 0 { break }
///         use(samples[..<(frameCount * reader.format.channelCount)])
///     }
///
/// The reader supports RIFF, RF64 and BW64; every encoding of `AudioFormat.Encoding`, also in WAVE_FORMAT_EXTENSIBLE; 1
/// to 64 channels; and 1 kHz to 768 kHz. A file whose sizes were never filled in gives all of its whole frames; so does
/// one that ends before its header says, which is an error after them. Chunks after the samples are not read. Whatever the bytes are, the memory in use does not grow and
/// nothing traps.
///
/// A copy of a reader shares its source if that is a class: read from only one of them.
public struct WAVReader {
    /// The format of the stream. `read(into:)` always returns `Float` samples, at this rate and with these channels.
    public let format: AudioFormat
    /// The number of frames that the header declares; `nil` if it declares none, as in a stream written into a pipe.
    /// There may be fewer.
    public let declaredFrameCount: Int64?
    /// The number of bytes before the end of the samples, as far as the header tells it; `nil` if they continue to the end of the stream.
    public let declaredEnd: Int64?
    /// The name of each channel, in their order, from an iXML chunk before the samples; empty for a channel without one. The whole list is
    /// empty where no channel has a name, or where the chunk can't be understood. A name is at most 255 bytes long, and untrusted: it may
    /// hold any characters, and that of another channel.
    public let channelNames: [String]
    /// The defects found in the stream so far, at most one of each kind.
    public private(set) var warnings: [WAVWarning]

    private var bytes: BufferedByteReader
    private let decoder: SampleDecoder
    /// The number of bytes of samples still to come, if the header is right.
    private var remainingByteCount: Int64
    private let sizeIsDeclared: Bool
    private var isAtEnd = false
    private var readsOn = false

    /// Reads everything before the samples.
    ///
    /// - Throws: `WAVError` if the stream isn't WAV or isn't supported, and any error of the source.
    ///
    /// - Parameters:
    ///   - source: the bytes.
    ///   - readsOn: whether to read the source to its end, and to throw `WAVError` `.moreSound` after the last frame if it has more sound
    ///     than its header declares, such as another recording.
    public init(source: some ByteSource, readsOn: Bool = false) throws {
        try self.init(source: source, bufferByteCount: 1 << 16)
        self.readsOn = readsOn
    }

    /// Creates a reader with a window of `bufferByteCount` bytes, which must hold a frame of the widest format.
    init(source: some ByteSource, bufferByteCount: Int) throws {
        precondition(bufferByteCount >= 512)
        let parsed = try WAVHeaderParser.parse(source, capacity: bufferByteCount)
        (bytes, warnings) = (parsed.bytes, parsed.warnings)
        format = parsed.header.format
        channelNames = parsed.header.channelNames
        decoder = SampleDecoder(encoding: format.encoding)
        let extent = parsed.header.extent
        remainingByteCount = extent.byteCount ?? .max
        sizeIsDeclared = extent.isDeclared
        let bytesPerFrame = Int64(format.bytesPerFrame)
        declaredFrameCount = extent.isDeclared ? extent.byteCount.map { $0 / bytesPerFrame } : nil
        let start = bytes.position
        declaredEnd = extent.byteCount.map { $0 > .max - start ? .max : start + $0 }
    }

    /// Fills the beginning of `buffer` with whole interleaved frames, full scale ±1.0.
    ///
    /// Returns the frames that are ready, at least one, rather than wait for a full buffer. An integer sample is
    /// divided exactly by its full scale (16 bits: 32768). A floating-point sample is kept, even beyond full scale,
    /// except that NaN becomes 0 and an infinity becomes ±1.
    ///
    /// - Parameter buffer: room for at least one frame.
    /// - Returns: the number of frames read; 0 at the end of the samples.
    /// - Throws: `WAVError` `.truncated`, once, after the last frame of a stream that ends too early, and any error of the
    ///   source. Nothing that was read before is lost, and reading may continue.
    public mutating func read(into buffer: UnsafeMutableBufferPointer<Float>) throws -> Int {
        let (channelCount, bytesPerFrame) = (format.channelCount, format.bytesPerFrame)
        precondition(buffer.count >= channelCount, "the buffer holds no frame")
        guard !isAtEnd else { return 0 }

        let available = try remainingByteCount < bytesPerFrame ? 0 : bytes.fill(atLeast: bytesPerFrame)
        let usable = min(available, Int(clamping: remainingByteCount))
        let frameCount = min(usable / bytesPerFrame, buffer.count / channelCount)
        guard frameCount > 0 else {
            try finish()
            return 0
        }

        let target = UnsafeMutableBufferPointer(rebasing: buffer[..<(frameCount * channelCount)])
        let nonFiniteCount = bytes.withBytes { [decoder] in decoder.decode($0, into: target) }
        if nonFiniteCount > 0 {
            let offset = bytes.withBytes { [decoder] in decoder.firstNonFinite(in: $0) }
            warnings.note(.nonFiniteSamples, at: bytes.position + Int64(offset), count: Int64(nonFiniteCount))
        }
        bytes.consume(frameCount * bytesPerFrame)
        remainingByteCount -= Int64(frameCount * bytesPerFrame)
        return frameCount
    }

    /// Ends the reading, with less than a frame left of the data chunk or of the stream.
    ///
    /// - Throws: `WAVError` if the stream has fewer samples than its header declares.
    private mutating func finish() throws {
        let promised = Int(min(remainingByteCount, Int64(format.bytesPerFrame)))
        let leftover = try min(bytes.fill(atLeast: promised), promised)
        let missing = remainingByteCount - Int64(leftover)
        isAtEnd = true
        if sizeIsDeclared && missing > 0 {
            throw WAVError(
                .truncated, at: bytes.position + Int64(leftover),
                "the file is cut off or not whole yet: its header announces \(missing) more bytes of sound")
        }
        if leftover > 0 {
            warnings.note(.partialFrame, at: bytes.position, count: Int64(leftover))
        }
        guard readsOn, missing == 0 else { return }
        bytes.consume(leftover)
        let place = bytes.position
        if try bytes.hasSound() {
            throw WAVError(
                .moreSound, at: place, "more sound follows after all that its header announces, and was not heard")
        }
    }

    /// Reads what follows the samples of a stream to its end.
    ///
    /// - Returns: whether it is sound or another recording, rather than other chunks and padding.
    /// - Throws: any error of the source.
    package static func hasSound(in rest: some ByteSource) throws -> Bool {
        var bytes = BufferedByteReader(rest, capacity: 1 << 16)
        return try bytes.hasSound()
    }

    /// Whether a stream that begins with these bytes, at least twelve, is WAV.
    public static func looksLikeWAV(_ first12: some Collection<UInt8>) -> Bool {
        let bytes = Array(first12.prefix(12))
        guard bytes.count == 12 else { return false }
        let containers = ["RIFF", "RF64", "BW64"]
        return containers.contains { bytes.starts(with: $0.utf8) } && bytes[8...].elementsEqual("WAVE".utf8)
    }
}
