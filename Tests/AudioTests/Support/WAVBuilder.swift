import Audio
import TestSupport
import Testing

/// Builds WAV files chunk by chunk, right or wrong.
struct WAVBuilder {
    private(set) var bytes: [UInt8]

    /// Where the last chunk's body begins.
    private(set) var bodyOffset = 12

    init(_ container: String = "RIFF", fileSize: UInt32 = 0, form: String = "WAVE") {
        bytes = Array(container.utf8) + littleEndian(fileSize) + Array(form.utf8)
    }

    /// Adds a chunk; `size` is what it says of itself if that is not the truth.
    mutating func chunk(_ id: String, _ body: [UInt8], size: UInt32? = nil, padded: Bool = true) {
        bytes += Array(id.utf8) + littleEndian(size ?? UInt32(body.count))
        bodyOffset = bytes.count
        bytes += body
        if padded && body.count % 2 == 1 { bytes.append(0) }
    }

    /// Makes the file's own size true.
    mutating func close() {
        bytes.replaceSubrange(4..<8, with: littleEndian(UInt32(bytes.count - 8)))
    }

    /// A whole plain file of a format and samples.
    static func file(_ format: [UInt8], _ samples: [UInt8] = [1, 2, 3, 4]) -> [UInt8] {
        var file = WAVBuilder()
        file.chunk("fmt ", format)
        file.chunk("data", samples)
        file.close()
        return file.bytes
    }

    /// The same of 16-bit samples.
    static func pcm16(_ samples: [Int16], channelCount: Int = 1, sampleRate: Int = 16_000) -> [UInt8] {
        file(formatBody(channelCount: channelCount, sampleRate: sampleRate), Samples.bytes(samples))
    }
}

/// The integer's bytes as WAV has them.
func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
}

/// The body of a fmt chunk, 16 bytes.
func formatBody(
    tag: UInt16 = 1, channelCount: Int = 1, sampleRate: Int = 16_000, blockSize: Int? = nil, bits: Int = 16
) -> [UInt8] {
    let blockSize = blockSize ?? channelCount * ((bits + 7) / 8)
    return littleEndian(tag) + littleEndian(UInt16(channelCount)) + littleEndian(UInt32(sampleRate))
        + littleEndian(UInt32(truncatingIfNeeded: sampleRate * blockSize)) + littleEndian(UInt16(blockSize))
        + littleEndian(UInt16(bits))
}

/// The body of a WAVE_FORMAT_EXTENSIBLE fmt chunk, 40 bytes.
func extensibleBody(
    tag: UInt16 = 1, channelCount: Int = 1, sampleRate: Int = 16_000, bits: Int = 16, validBits: Int? = nil
) -> [UInt8] {
    formatBody(tag: 0xFFFE, channelCount: channelCount, sampleRate: sampleRate, bits: bits)
        + littleEndian(UInt16(22)) + littleEndian(UInt16(validBits ?? bits)) + littleEndian(UInt32(0))
        + littleEndian(tag) + [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
}

/// The body of a ds64 chunk, 28 bytes.
func sizeBody(fileSize: UInt64, dataSize: UInt64, frameCount: UInt64 = 0) -> [UInt8] {
    littleEndian(fileSize) + littleEndian(dataSize) + littleEndian(frameCount) + littleEndian(UInt32(0))
}

extension AudioFormat.Encoding {
    var tag: UInt16 {
        switch self {
        case .unsigned8, .signed16, .signed24, .signed32: 1
        case .float32, .float64: 3
        case .aLaw: 6
        case .muLaw: 7
        }
    }

    /// Random samples of less than full scale, which libsndfile's converter would scale down.
    func randomSamples(_ count: Int, using random: inout SplitMix64) -> [UInt8] {
        (0..<count).flatMap { _ -> [UInt8] in
            switch self {
            case .unsigned8: [UInt8.random(in: 1...255, using: &random)]
            case .aLaw, .muLaw: [UInt8.random(in: 0...255, using: &random)]
            case .signed16: littleEndian(Int16.random(in: -32767...32767, using: &random))
            case .signed24: Array(littleEndian(Int32.random(in: -8_388_607...8_388_607, using: &random)).prefix(3))
            case .signed32: littleEndian(Int32.random(in: -2_147_000_000...2_147_000_000, using: &random))
            case .float32: littleEndian(Float.random(in: -0.999...0.999, using: &random).bitPattern)
            case .float64: littleEndian(Double.random(in: -0.999...0.999, using: &random).bitPattern)
            }
        }
    }
}

/// A file to start from: one encoding in one layout.
struct SeedFile: CustomTestStringConvertible {
    enum Layout: CaseIterable { case plain, extensible, manyChunks, rf64, streaming }

    let encoding: AudioFormat.Encoding
    let layout: Layout
    let channelCount: Int
    let frameCount: Int
    let bytes: [UInt8]
    /// Where the samples begin.
    let dataOffset: Int

    var testDescription: String { "\(encoding) \(layout)" }

    /// Forty files: every encoding in every layout.
    static func all(frameCount: Int = 12) -> [SeedFile] {
        var random = SplitMix64(seed: 40)
        return AudioFormat.Encoding.allCases.flatMap { encoding in
            Layout.allCases.map { SeedFile(encoding, $0, frameCount: frameCount, using: &random) }
        }
    }

    private init(
        _ encoding: AudioFormat.Encoding, _ layout: Layout, frameCount: Int, using random: inout SplitMix64
    ) {
        let channelCount = Int.random(in: 1...3, using: &random)
        let sampleRate = [8000, 16_000, 44_100, 48_000, 192_000].randomElement(using: &random) ?? 16_000
        let samples = encoding.randomSamples(frameCount * channelCount, using: &random)
        let bits = encoding.byteCount * 8
        let plain = formatBody(tag: encoding.tag, channelCount: channelCount, sampleRate: sampleRate, bits: bits)
        let extensible = extensibleBody(
            tag: encoding.tag, channelCount: channelCount, sampleRate: sampleRate, bits: bits)

        var file = WAVBuilder(layout == .rf64 ? "RF64" : "RIFF")
        switch layout {
        case .plain:
            file.chunk("fmt ", plain)
            file.chunk("data", samples)
        case .extensible:
            file.chunk("fmt ", extensible)
            file.chunk("fact", littleEndian(UInt32(frameCount)))
            file.chunk("data", samples)
        case .manyChunks:
            file.chunk("JUNK", [UInt8](repeating: 0, count: 7))
            file.chunk("fmt ", plain + [0, 0])
            file.chunk("LIST", Array("INFOISFT".utf8) + littleEndian(UInt32(4)) + Array("none".utf8))
            file.chunk("data", samples)
        case .rf64:
            file.chunk(
                "ds64",
                sizeBody(fileSize: 0, dataSize: UInt64(samples.count), frameCount: UInt64(frameCount)))
            file.chunk("fmt ", plain)
            file.chunk("data", samples, size: .max)
        case .streaming:
            file.chunk("fmt ", plain)
            file.chunk("data", samples, size: .max, padded: false)
        }
        dataOffset = file.bodyOffset
        switch layout {
        case .manyChunks:
            file.chunk("LIST", Array("INFOICMT".utf8) + littleEndian(UInt32(4)) + Array("more".utf8))
            file.close()
        case .plain, .extensible:
            file.close()
        case .rf64, .streaming:
            break
        }
        var bytes = file.bytes
        if layout == .rf64 || layout == .streaming {
            bytes.replaceSubrange(4..<8, with: littleEndian(UInt32.max))
        }
        if layout == .rf64 {
            bytes.replaceSubrange(20..<28, with: littleEndian(UInt64(bytes.count - 8)))
        }
        (self.encoding, self.layout, self.channelCount, self.frameCount) = (encoding, layout, channelCount, frameCount)
        self.bytes = bytes
    }
}
