/// The content of a WAV stream before its first sample.
struct WAVHeader {
    var format: AudioFormat
    var extent: WAVDataExtent
    /// The name of each channel, or none at all: see `WAVReader.channelNames`.
    var channelNames: [String]
}

/// Parses the chunks of a WAV stream up to the first sample.
struct WAVHeaderParser {
    private var bytes: BufferedByteReader
    private var format: AudioFormat?
    private var size64: UInt64?
    /// Whether a `WAVWriter` was writing the file when it wrote these sizes.
    private var isGrowing = false
    /// The content of the first iXML chunk.
    private var names: [UInt8] = []
    private var warnings: [WAVWarning] = []

    /// Parses through a window of `capacity` bytes, and returns the window at the first sample.
    ///
    /// - Throws: `WAVError` if the header is invalid or not supported, and any error of the source.
    static func parse(
        _ source: some ByteSource, capacity: Int
    ) throws -> (header: WAVHeader, bytes: BufferedByteReader, warnings: [WAVWarning]) {
        var parser = WAVHeaderParser(bytes: BufferedByteReader(source, capacity: capacity))
        let header = try parser.parse()
        return (header, parser.bytes, parser.warnings)
    }

    private init(bytes: BufferedByteReader) {
        self.bytes = bytes
    }

    private mutating func parse() throws -> WAVHeader {
        let (container, fileSize) = try fileHeader()
        while true {
            let offset = bytes.position
            guard try bytes.fill(atLeast: 8) >= 8 else { throw endOfFile() }
            let id = WAVChunkID(rawValue: bytes.integer(UInt32.self, at: 0))
            let size = bytes.integer(UInt32.self, at: 4)
            bytes.consume(8)
            var rest = Int64(size)
            switch id {
            case .data:
                guard let format else {
                    throw WAVError(.noFormat, at: offset, "the samples come before the fmt chunk")
                }
                return WAVHeader(
                    format: format, extent: try dataExtent(size: size, fileSize: fileSize, in: container),
                    channelNames: WAVChannelNames.names(in: names, channelCount: format.channelCount))
            case .format:
                rest -= try formatChunk(size: size)
            case .ds64 where container != .riff:
                rest -= try sizeChunk(size: size)
            case .junk where size == WAVHeaderBytes.growthMark.count:
                rest -= try growthMark()
            case .iXML where names.isEmpty && size <= WAVChannelNames.maximumByteCount:
                rest -= try namesChunk(size: size)
            default:
                break
            }
            try skip(rest, of: id, from: offset)
            if size % 2 == 1 { try skipPadByte() }
        }
    }

    /// Returns the error for a stream that ends where a chunk should begin.
    private func endOfFile() -> WAVError {
        if bytes.count > 0 {
            WAVError(.truncatedHeader, at: bytes.position, "the file ends inside a chunk's header")
        } else if format == nil {
            WAVError(.noFormat, at: bytes.position, "the file ends without a fmt chunk")
        } else {
            WAVError(.noData, at: bytes.position, "the file ends without a data chunk")
        }
    }

    /// Parses the first twelve bytes.
    private mutating func fileHeader() throws -> (container: WAVChunkID, fileSize: UInt32) {
        let count = try bytes.fill(atLeast: 12)
        if let name = bytes.withBytes(ForeignFormat.name(of:)) {
            throw WAVError(.notWAV, at: 0, "this is \(name), not a WAV file")
        }
        guard count >= 12 else {
            if count == 0 { throw WAVError(.truncatedHeader, at: 0, "the file is empty") }
            let isWAVSoFar = bytes.withBytes { found in
                ["RIFF", "RF64", "BW64"].contains { name in
                    zip(found, name.utf8).allSatisfy { $0 == $1 }
                }
            }
            guard isWAVSoFar else { throw WAVError(.notWAV, at: 0, "this is not a WAV file") }
            throw WAVError(.truncatedHeader, at: Int64(count), "the file ends inside its first 12 bytes")
        }
        let container = WAVChunkID(rawValue: bytes.integer(UInt32.self, at: 0))
        guard [.riff, .rf64, .bw64].contains(container) else {
            throw WAVError(.notWAV, at: 0, "this is not a WAV file")
        }
        let form = WAVChunkID(rawValue: bytes.integer(UInt32.self, at: 8))
        guard form == .wave else {
            throw WAVError(
                .notWAV, at: 8, "this is a \(container.displayName) file of type \(form.displayName), not WAVE")
        }
        let fileSize = bytes.integer(UInt32.self, at: 4)
        bytes.consume(12)
        return (container, fileSize)
    }

    /// Parses the beginning of a fmt chunk, and returns how many bytes that was.
    private mutating func formatChunk(size: UInt32) throws -> Int64 {
        let offset = bytes.position
        guard size >= WAVFormatChunk.minimumByteCount else {
            throw WAVError(
                .badFormat, at: offset - 4,
                "the header says a fmt chunk of \(size) bytes, of at least \(WAVFormatChunk.minimumByteCount)")
        }
        let wanted = Int(min(size, UInt32(WAVFormatChunk.maximumByteCount)))
        guard try bytes.fill(atLeast: wanted) >= wanted else {
            throw WAVError(
                .truncatedHeader, at: bytes.position + Int64(bytes.count), "the file ends inside the fmt chunk")
        }
        let found = try bytes.withBytes { found throws(WAVError) in
            try WAVFormatChunk.format(from: UnsafeRawBufferPointer(rebasing: found[..<wanted]), at: offset)
        }
        guard format == nil || format == found else {
            throw WAVError(.badFormat, at: offset, "a second fmt chunk contradicts the first")
        }
        format = found
        bytes.consume(wanted)
        return Int64(wanted)
    }

    /// Parses the beginning of a ds64 chunk (file size, data size), and returns how many bytes that was.
    private mutating func sizeChunk(size: UInt32) throws -> Int64 {
        // A shorter chunk has no size; that matters only if the size is needed.
        guard size >= 16 else { return 0 }
        guard try bytes.fill(atLeast: 16) >= 16 else {
            throw WAVError(
                .truncatedHeader, at: bytes.position + Int64(bytes.count), "the file ends inside the ds64 chunk")
        }
        size64 = bytes.integer(UInt64.self, at: 8)
        bytes.consume(16)
        return 16
    }

    /// Reads the mark of a file that is being written, and returns how many bytes that was.
    private mutating func growthMark() throws -> Int64 {
        let mark = WAVHeaderBytes.growthMark
        guard try bytes.fill(atLeast: mark.count) >= mark.count else { return 0 }
        isGrowing = bytes.withBytes { $0.prefix(mark.count).elementsEqual(mark) }
        bytes.consume(mark.count)
        return Int64(mark.count)
    }

    /// Keeps an iXML chunk, and returns how many bytes of it there were; a chunk that is cut off has no names.
    private mutating func namesChunk(size: UInt32) throws -> Int64 {
        let count = Int(size)
        var body: [UInt8] = []
        while body.count < count, try bytes.fill(atLeast: 1) > 0 {
            let step = min(count - body.count, bytes.count)
            bytes.withBytes { body += $0[..<step] }
            bytes.consume(step)
        }
        if body.count == count { names = body }
        return Int64(body.count)
    }

    private mutating func skip(_ count: Int64, of id: WAVChunkID, from offset: Int64) throws {
        guard try bytes.skip(count) == count else {
            let code: WAVError.Code = format == nil ? .truncatedHeader : .noData
            throw WAVError(
                code, at: bytes.position,
                "the file ends inside the chunk '\(id.displayName)' that begins at byte \(offset)")
        }
    }

    /// Skips the pad byte after a chunk of odd size. Some programs omit it; then the next chunk's name is already here.
    private mutating func skipPadByte() throws {
        guard try bytes.fill(atLeast: 5) >= 1 else { return }
        if bytes.count >= 5 {
            let here = WAVChunkID(rawValue: bytes.integer(UInt32.self, at: 0))
            let next = WAVChunkID(rawValue: bytes.integer(UInt32.self, at: 1))
            if !next.isKnown && (here.isKnown || here.isPrintable && !next.isPrintable) {
                warnings.note(.missingPadByte, at: bytes.position)
                return
            }
        }
        bytes.consume(1)
    }

    private mutating func dataExtent(size: UInt32, fileSize: UInt32, in container: WAVChunkID) throws -> WAVDataExtent {
        if isGrowing { return .toTheEnd }
        // By the standard, the 32-bit size counts unless it is 2³² - 1. libsndfile and ffmpeg always use the 64-bit
        // one.
        if container != .riff, let size64, size64 != 0 || size == .max {
            return WAVDataExtent(size64: size64, chunkFollows: try size64 == 0 && chunkFollows())
        }
        if container != .riff && size == .max {
            warnings.note(.missingSize, at: bytes.position)
        }
        return WAVDataExtent(size: size, fileSize: fileSize, chunkFollows: try size == 0 && chunkFollows())
    }

    /// Whether a chunk begins here rather than the samples: a known name, followed by a plausible size.
    private mutating func chunkFollows() throws -> Bool {
        guard try bytes.fill(atLeast: 8) >= 8 else { return false }
        let id = WAVChunkID(rawValue: bytes.integer(UInt32.self, at: 0))
        return id.isKnown && bytes.integer(UInt32.self, at: 4) < 1 << 24
    }
}

/// Other kinds of file, recognized by their first bytes, so that an error can name the kind.
private enum ForeignFormat {
    static func name(of beginning: UnsafeRawBufferPointer) -> String? {
        signatures.first { signature in
            beginning.dropFirst(signature.offset).starts(with: signature.bytes.utf8)
        }?.name
    }

    private static let signatures: [(offset: Int, bytes: String, name: String)] = [
        (0, "RIFX", "a big-endian WAV file (RIFX)"),
        (0, "riff", "a Wave64 file"),
        (0, "fLaC", "a FLAC file"),
        (0, "OggS", "an Ogg file"),
        (0, "ID3", "an MP3 file"),
        (0, "FORM", "an AIFF file"),
        (0, "caff", "a Core Audio file"),
        (0, ".snd", "an AU file"),
        (0, "wvpk", "a WavPack file"),
        (4, "ftyp", "an MP4 file"),
        (0, "\u{1A}E", "a Matroska or WebM file"),
    ]
}
