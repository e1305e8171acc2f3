/// The body of a fmt chunk: the format of the samples.
struct WAVFormatChunk {
    /// The number of bytes that are used here; any others are skipped.
    static let maximumByteCount = 40
    static let minimumByteCount = 16

    static let channelCounts = 1...64
    static let sampleRates: ClosedRange<UInt32> = 1000...768_000

    private let bytes: UnsafeRawBufferPointer
    /// The number of bytes in the stream before the body.
    private let offset: Int64

    /// Returns the format from the first bytes of the body, of which there must be at least `minimumByteCount`.
    ///
    /// - Throws: `WAVError` if the format is invalid or not supported.
    static func format(from bytes: UnsafeRawBufferPointer, at offset: Int64) throws(WAVError) -> AudioFormat {
        precondition(bytes.count >= minimumByteCount)
        return try WAVFormatChunk(bytes: bytes, offset: offset).format()
    }

    private func format() throws(WAVError) -> AudioFormat {
        let tag = try encodingTag()
        let channelCount = Int(field(2, UInt16.self))
        guard Self.channelCounts.contains(channelCount) else {
            throw error(2, "the header says \(channelCount) channels")
        }
        let sampleRate = field(4, UInt32.self)
        guard Self.sampleRates.contains(sampleRate) else {
            throw error(4, "the header says \(sampleRate) Hz")
        }
        let bitsPerSample = Int(field(14, UInt16.self))
        let encoding = try encoding(tag: tag, bitsPerSample: bitsPerSample)
        let format = AudioFormat(sampleRate: Int(sampleRate), channelCount: channelCount, encoding: encoding)

        // If the block size and the bits disagree, any interpretation is a guess, and a wrong guess is noise.
        let blockSize = Int(field(12, UInt16.self))
        guard blockSize == format.bytesPerFrame else {
            throw error(
                12,
                "the header says blocks of \(blockSize) bytes for \(channelCount) channels of \(bitsPerSample) bits"
            )
        }
        return format
    }

    /// Returns the format tag; for WAVE_FORMAT_EXTENSIBLE, the one at the beginning of the sub-format's GUID.
    private func encodingTag() throws(WAVError) -> UInt16 {
        let tag = field(0, UInt16.self)
        guard tag == WAVFormatTag.extensible else { return tag }
        guard bytes.count >= Self.maximumByteCount else {
            throw error(0, "the extensible fmt chunk has \(bytes.count) bytes of at least \(Self.maximumByteCount)")
        }
        let guid = bytes[24..<40]
        guard Self.guidEndings.contains(where: { guid.dropFirst(2).elementsEqual($0) }) else {
            throw WAVError(.unsupportedEncoding, at: offset + 24, "the sub-format's GUID is unknown")
        }
        return field(24, UInt16.self)
    }

    /// The bytes after the tag in a sub-format's GUID: of Microsoft's base GUID, and of ambisonic B-format's.
    private static let guidEndings: [[UInt8]] = [
        [0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71],
        [0x00, 0x00, 0x21, 0x07, 0xD3, 0x11, 0x86, 0x44, 0xC8, 0xC1, 0xCA, 0x00, 0x00, 0x00],
    ]

    private func encoding(tag: UInt16, bitsPerSample: Int) throws(WAVError) -> AudioFormat.Encoding {
        switch tag {
        case WAVFormatTag.pcm:
            // If there are fewer bits than the bytes hold, they are the upper ones, so the bytes alone decide how to
            // read them.
            switch bitsPerSample {
            case 1...8: return .unsigned8
            case 9...16: return .signed16
            case 17...24: return .signed24
            case 25...32: return .signed32
            default: throw error(14, "the header says \(bitsPerSample) bits of PCM")
            }
        case WAVFormatTag.float:
            switch bitsPerSample {
            case 32: return .float32
            case 64: return .float64
            default: throw error(14, "the header says \(bitsPerSample) bits of floating point")
            }
        case WAVFormatTag.aLaw, WAVFormatTag.muLaw:
            guard bitsPerSample == 8 else {
                throw error(14, "the header says \(bitsPerSample) bits of \(WAVFormatTag.displayName(tag))")
            }
            return tag == WAVFormatTag.aLaw ? .aLaw : .muLaw
        default:
            throw WAVError(
                .unsupportedEncoding, at: offset, "the samples are \(WAVFormatTag.displayName(tag)), not PCM")
        }
    }

    private func field<Value: FixedWidthInteger>(_ position: Int, _: Value.Type) -> Value {
        Value(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Value.self))
    }

    private func error(_ position: Int, _ reason: String) -> WAVError {
        WAVError(.badFormat, at: offset + Int64(position), reason)
    }
}
