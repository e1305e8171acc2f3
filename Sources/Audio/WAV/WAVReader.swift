/// Reads a WAV stream from its beginning to its end, once: a file, a pipe, anything that gives bytes.
///
///     var reader = try WAVReader(source: FileByteSource(path: "memo.wav"))
///     var samples = [Float](repeating: 0, count: 4096 * reader.format.channelCount)
///     while true {
///         let frameCount = try samples.withUnsafeMutableBufferPointer { try reader.read(into: $0) }
///         if frameCount == 0 { break }
///         use(samples[..<(frameCount * reader.format.channelCount)])
///     }
///
/// Understands RIFF, RF64 and BW64; every encoding of `AudioFormat.Encoding`, also inside WAVE_FORMAT_EXTENSIBLE; 1 to 64
/// channels; 1 kHz to 768 kHz. A file that was cut, or whose sizes were never filled in, gives all its whole frames. What
/// follows the samples is not read. Whatever the bytes are, memory stays the same and nothing traps.
///
/// A copy of a reader shares its source when that is a class: read from one of them.
public struct WAVReader {
    /// The format of the stream. What `read(into:)` gives is always `Float`, at this rate and with these channels.
    public let format: AudioFormat
    /// How many frames the header promises; nil if it does not say, as in a stream that was written into a pipe. There may
    /// be fewer.
    public let declaredFrameCount: Int64?
    /// What is wrong with the stream, as far as it was read. Never more than one for each kind.
    public private(set) var warnings: [WAVWarning]

    private var bytes: BufferedByteReader
    private let decoder: SampleDecoder
    /// Bytes of samples that are still to come, if the stream is as long as its header says.
    private var remainingByteCount: Int64
    private let sizeIsDeclared: Bool
    private var isAtEnd = false

    /// Reads everything that stands before the samples.
    ///
    /// Throws `WAVError` if the stream isn't WAV, or is one that can't be read; and what the source throws.
    public init(source: some ByteSource) throws {
        try self.init(source: source, bufferByteCount: 1 << 16)
    }

    /// A reader with a window of `bufferByteCount` bytes, at least one frame of the widest format.
    init(source: some ByteSource, bufferByteCount: Int) throws {
        precondition(bufferByteCount >= 512)
        let parsed = try WAVHeaderParser.parse(source, capacity: bufferByteCount)
        (bytes, warnings) = (parsed.bytes, parsed.warnings)
        format = parsed.header.format
        decoder = SampleDecoder(encoding: format.encoding)
        let extent = parsed.header.extent
        remainingByteCount = extent.byteCount ?? .max
        sizeIsDeclared = extent.isDeclared
        let bytesPerFrame = Int64(format.bytesPerFrame)
        declaredFrameCount = extent.isDeclared ? extent.byteCount.map { $0 / bytesPerFrame } : nil
    }

    /// Fills the front of `buffer` with whole frames, channels interleaved, full scale ±1.0, and returns how many frames
    /// it was; 0 at the end of the samples.
    ///
    /// Returns what is there rather than wait for a full buffer, but always at least one frame. `buffer` must hold at least
    /// one. An integer sample is divided by its full scale (16 bits: 32768) exactly; a floating-point sample stays as it
    /// is, also beyond full scale, but for NaN, which becomes 0, and infinities, which become ±1.
    ///
    /// Throws what the source throws; what was read before is not lost, and reading may go on.
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

    /// Less than a frame is left, of the data chunk or of the stream: says so if that is not as promised.
    private mutating func finish() throws {
        let promised = Int(min(remainingByteCount, Int64(format.bytesPerFrame)))
        let leftover = try min(bytes.fill(atLeast: promised), promised)
        let missing = remainingByteCount - Int64(leftover)
        if sizeIsDeclared && missing > 0 {
            warnings.note(.truncated, at: bytes.position + Int64(leftover), count: missing)
        }
        if leftover > 0 {
            warnings.note(.partialFrame, at: bytes.position, count: Int64(leftover))
        }
        isAtEnd = true
    }

    /// Whether a stream that begins with these bytes, twelve or more, is WAV.
    public static func looksLikeWAV(_ first12: some Collection<UInt8>) -> Bool {
        let bytes = Array(first12.prefix(12))
        guard bytes.count == 12 else { return false }
        let containers = ["RIFF", "RF64", "BW64"]
        return containers.contains { bytes.starts(with: $0.utf8) } && bytes[8...].elementsEqual("WAVE".utf8)
    }
}
