import Testing

@testable import Audio

@Suite("A WAV reader")
struct WAVReaderTests {
    @Test("gives 16-bit samples divided by 32768, exactly, and the values of the header")
    func plainFile() throws {
        let samples: [Int16] = [0, 1, -1, 12_345, 32_767, -32_768]
        let contents = try readWAV(WAVBuilder.pcm16(samples, channelCount: 2, sampleRate: 44_100))
        #expect(contents.format == AudioFormat(sampleRate: 44_100, channelCount: 2, encoding: .signed16))
        #expect(contents.declaredFrameCount == 3)
        #expect(contents.samples == samples.map { Float($0) / 32768 })
        #expect(contents.warnings.isEmpty)
    }

    @Test(
        "knows every encoding's silence, full scale and smallest step",
        arguments: [
            (AudioFormat.Encoding.unsigned8, [128, 0, 255], [0, -1, 127.0 / 128]),
            (.signed16, [0, 0, 0, 0x80, 0xFF, 0x7F, 1, 0], [0, -1, 32767.0 / 32768, 1.0 / 32768]),
            (.signed24, [0, 0, 0, 0, 0, 0x80, 0xFF, 0xFF, 0xFF], [0, -1, -1.0 / 8_388_608]),
            (.signed32, [0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 0, 0], [0, -1, 1.0 / 2_147_483_648]),
            (.float32, littleEndian(Float(0.1).bitPattern) + littleEndian(Float(-7).bitPattern), [0.1, -7]),
            (.float64, littleEndian(Double(0.1).bitPattern), [0.1]),
            (.aLaw, [0xD5, 0x55, 0xAA, 0x2A], [8.0 / 32768, -8.0 / 32768, 32_256.0 / 32768, -32_256.0 / 32768]),
            (.muLaw, [0xFF, 0x7F, 0x80, 0x00], [0, 0, 32_124.0 / 32768, -32_124.0 / 32768]),
        ] as [(AudioFormat.Encoding, [UInt8], [Float])])
    func encodings(encoding: AudioFormat.Encoding, bytes: [UInt8], expected: [Float]) throws {
        let contents = try readWAV(
            WAVBuilder.file(formatBody(tag: encoding.tag, bits: encoding.byteCount * 8), bytes))
        #expect(contents.format.encoding == encoding)
        #expect(contents.samples == expected)
    }

    @Test("of an extensible file uses its sub-format; fewer valid bits are the upper ones")
    func extensible() throws {
        for (tag, bits, validBits, encoding) in [
            (1, 16, 12, AudioFormat.Encoding.signed16), (1, 24, 20, .signed24), (1, 32, 24, .signed32),
            (3, 32, 32, .float32), (3, 64, 64, .float64), (6, 8, 8, .aLaw), (7, 8, 8, .muLaw), (1, 8, 0, .unsigned8),
        ] as [(UInt16, Int, Int, AudioFormat.Encoding)] {
            let format = extensibleBody(tag: tag, bits: bits, validBits: validBits)
            let contents = try readWAV(WAVBuilder.file(format, [UInt8](repeating: 0x40, count: bits / 8)))
            #expect(contents.format.encoding == encoding)
            if tag == 1 { #expect(contents.samples.allSatisfy { abs($0 - 0.5) < 0.01 || bits == 8 }) }
        }
    }

    @Test("of 1 and of 64 channels, of 1 kHz and of 768 kHz is read; one more or less is refused")
    func limits() throws {
        for (channelCount, sampleRate) in [(1, 1000), (64, 768_000)] {
            let contents = try readWAV(
                WAVBuilder.pcm16(
                    [Int16](repeating: 7, count: 3 * channelCount), channelCount: channelCount, sampleRate: sampleRate))
            #expect(contents.format.channelCount == channelCount)
            #expect(contents.format.sampleRate == sampleRate)
            #expect(contents.frameCount == 3)
        }
        for (channelCount, sampleRate, offset) in [(65, 16_000, 22), (1, 999, 24), (1, 768_001, 24)] {
            let error = #expect(throws: WAVError.self) {
                try readWAV(WAVBuilder.pcm16([], channelCount: channelCount, sampleRate: sampleRate))
            }
            #expect(error?.code == .badFormat)
            #expect(error?.byteOffset == Int64(offset))
        }
    }

    @Test("refuses no channels, no rate, no block size and 65,535 channels, and says where they are in the file")
    func zeros() {
        for (format, description) in [
            (formatBody(channelCount: 0), "the header says 0 channels, at byte 22"),
            (formatBody(channelCount: 65_535, blockSize: 0), "the header says 65535 channels, at byte 22"),
            (formatBody(sampleRate: 0), "the header says 0 Hz, at byte 24"),
            (formatBody(sampleRate: 0xFFFF_FFFF), "the header says 4294967295 Hz, at byte 24"),
            (formatBody(blockSize: 0), "the header says blocks of 0 bytes for 1 channels of 16 bits, at byte 32"),
            (formatBody(blockSize: 4), "the header says blocks of 4 bytes for 1 channels of 16 bits, at byte 32"),
            (formatBody(blockSize: 2, bits: 0), "the header says 0 bits of PCM, at byte 34"),
            (formatBody(bits: 64), "the header says 64 bits of PCM, at byte 34"),
            (formatBody(tag: 3, bits: 16), "the header says 16 bits of floating point, at byte 34"),
            (formatBody(tag: 6, bits: 16), "the header says 16 bits of A-law (format tag 0x0006), at byte 34"),
        ] {
            let error = #expect(throws: WAVError.self) { try readWAV(WAVBuilder.file(format)) }
            #expect(error?.code == .badFormat)
            #expect(error?.description == description)
        }
    }

    @Test("takes a second fmt chunk that agrees, and refuses one that does not")
    func twoFormats() throws {
        for (second, isSame) in [(formatBody(), true), (formatBody(sampleRate: 8000), false)] {
            var file = WAVBuilder()
            file.chunk("fmt ", formatBody())
            file.chunk("fmt ", second)
            file.chunk("data", [1, 2, 3, 4])
            if isSame {
                #expect(try readWAV(file.bytes).frameCount == 2)
            } else {
                let error = #expect(throws: WAVError.self) { try readWAV(file.bytes) }
                #expect(error?.description == "a second fmt chunk contradicts the first, at byte 44")
            }
        }
    }

    @Test("takes fmt chunks of 16 to 64 bytes, extensible ones from 40, and refuses smaller ones", arguments: 0...64)
    func formatSizes(size: Int) throws {
        for (body, minimum) in [(formatBody(), 16), (extensibleBody(), 40)] {
            let file = WAVBuilder.file(Array((body + [UInt8](repeating: 0, count: 64)).prefix(size)))
            if size >= minimum {
                #expect(try readWAV(file).frameCount == 2)
            } else {
                let error = #expect(throws: WAVError.self) { try readWAV(file) }
                #expect(error?.code == .badFormat)
                #expect(error?.byteOffset == (size < 16 ? 16 : 20))
            }
        }
    }

    @Test("makes NaN silence, infinity full scale, leaves 1e38, and all of them become 16 bits without a trap")
    func nonFinite() throws {
        let values: [Double] = [.nan, .infinity, -.infinity, 1e38, -1e38, .signalingNaN, 0.5, 1e300]
        for (bits, bytes) in [
            (32, values.flatMap { littleEndian(Float($0).bitPattern) }),
            (64, values.flatMap { littleEndian($0.bitPattern) }),
        ] {
            let contents = try readWAV(WAVBuilder.file(formatBody(tag: 3, bits: bits), bytes))
            #expect(contents.samples == [0, 1, -1, 1e38, -1e38, 0, 0.5, 1])
            #expect(
                contents.samples.map { Int16(sample: $0) } == [0, 32767, -32768, 32767, -32768, 0, 16384, 32767])
            #expect(contents.warnings == [WAVWarning(.nonFiniteSamples, at: 44, count: 5)])
        }
    }

    @Test(
        "names the compression that it can't read",
        arguments: [
            (0x0002, "MS ADPCM"), (0x0011, "IMA ADPCM"), (0x0031, "GSM 6.10"), (0x0050, "MPEG layer 1 or 2"),
            (0x0055, "MP3"), (0x0040, "G.721 ADPCM"), (0x0161, "Windows Media Audio 2"), (0xF1AC, "FLAC"),
        ] as [(UInt16, String)])
    func compression(tag: UInt16, name: String) {
        for format in [formatBody(tag: tag, blockSize: 65, bits: 0), extensibleBody(tag: tag)] {
            let error = #expect(throws: WAVError.self) { try readWAV(WAVBuilder.file(format)) }
            #expect(error?.code == .unsupportedEncoding)
            let digits = String(tag, radix: 16, uppercase: true)
            let padded = String(repeating: "0", count: 4 - digits.count) + digits
            #expect(error?.description == "the samples are \(name) (format tag 0x\(padded)), not PCM, at byte 20")
        }
    }

    @Test("refuses an unknown tag by its number and an unknown sub-format")
    func unknownEncodings() {
        var tagged = WAVBuilder()
        tagged.chunk("fmt ", formatBody(tag: 0x0BAD))
        let unknown = "the samples are an unknown encoding (format tag 0x0BAD), not PCM"
        #expect(throws: WAVError(.unsupportedEncoding, at: 20, unknown)) { try readWAV(tagged.bytes) }
        var body = extensibleBody()
        body[39] ^= 1
        var extensible = WAVBuilder()
        extensible.chunk("fmt ", body)
        #expect(throws: WAVError(.unsupportedEncoding, at: 44, "the sub-format's GUID is unknown")) {
            try readWAV(extensible.bytes)
        }
    }

    @Test("refuses samples before the fmt chunk, a file without a fmt chunk and one without samples")
    func missingChunks() {
        var early = WAVBuilder()
        early.chunk("data", [1, 2, 3, 4])
        early.chunk("fmt ", formatBody())
        var noFormat = WAVBuilder()
        noFormat.chunk("LIST", [1, 2])
        var noData = WAVBuilder()
        noData.chunk("fmt ", formatBody())
        for (bytes, code, offset, words) in [
            (early.bytes, .noFormat, 12, ""), (noFormat.bytes, .noFormat, 22, ""), (noData.bytes, .noData, 36, ""),
            (WAVBuilder().bytes, .noFormat, 12, ""), ([], .truncatedHeader, 0, "the file is empty"),
            ([0x52, 0x49], .truncatedHeader, 2, "the file ends inside its first 12 bytes"),
            (Array(noData.bytes.prefix(30)), .truncatedHeader, 30, "the file ends inside the fmt chunk"),
            (noData.bytes + [0x64], .truncatedHeader, 36, "the file ends inside a chunk's header"),
        ] as [([UInt8], WAVError.Code, Int64, String)] {
            let error = #expect(throws: WAVError.self) { try readWAV(bytes) }
            #expect(error?.code == code)
            #expect(error?.byteOffset == offset)
            #expect(error?.description.hasPrefix(words) == true)
        }
    }

    @Test("says which other format a file has")
    func foreignFiles() {
        for (bytes, description) in [
            (WAVBuilder("RIFX").bytes, "this is a big-endian WAV file (RIFX), not a WAV file"),
            (WAVBuilder(form: "AVI ").bytes, "this is a RIFF file of type AVI , not WAVE, at byte 8"),
            (WAVBuilder(form: "\u{1B}[2J").bytes, "this is a RIFF file of type ?[2J, not WAVE, at byte 8"),
            (Array("fLaC\0\0\0\u{22}\0\0\0\0".utf8), "this is a FLAC file, not a WAV file"),
            (Array("\0\0\0\u{20}ftypM4A ".utf8), "this is an MP4 file, not a WAV file"),
            (Array("OggS".utf8), "this is an Ogg file, not a WAV file"),
            (Array("hello, world".utf8), "this is not a WAV file"),
        ] {
            let error = #expect(throws: WAVError.self) { try readWAV(bytes) }
            #expect(error?.code == .notWAV)
            #expect(error?.description == description)
        }
    }

    @Test("recognizes a WAV by its first 12 bytes")
    func looksLikeWAV() {
        for container in ["RIFF", "RF64", "BW64"] {
            #expect(WAVReader.looksLikeWAV(WAVBuilder(container).bytes))
            #expect(!WAVReader.looksLikeWAV(WAVBuilder(container).bytes.dropLast()))
        }
        #expect(!WAVReader.looksLikeWAV(WAVBuilder("RIFX").bytes))
        #expect(!WAVReader.looksLikeWAV(WAVBuilder(form: "AVI ").bytes))
        #expect(!WAVReader.looksLikeWAV([]))
    }
}
