import Testing

@testable import Audio

@Suite("A WAV with a size")
struct WAVSizeTests {
    /// A file of 16-bit samples 1, 2, 3 … whose data chunk says `dataSize`.
    private func file(
        _ container: String = "RIFF", fileSize: UInt32 = 0, ds64: [UInt8]? = nil, dataSize: UInt32?,
        sampleCount: Int = 10, channelCount: Int = 1, extra: [UInt8] = []
    ) -> WAVBuilder {
        var file = WAVBuilder(container, fileSize: fileSize)
        if let ds64 { file.chunk("ds64", ds64) }
        file.chunk("fmt ", formatBody(channelCount: channelCount))
        file.chunk(
            "data", (0..<sampleCount).flatMap { littleEndian(Int16($0 + 1)) } + extra, size: dataSize,
            padded: false)
        return file
    }

    @Test(
        "of no use (0, 2³²-1, or what sox and arecord write into pipes) is read to the end without a warning",
        arguments: [
            (0, 0), (0, 36), (56, 0), (0xFFFF_FFFF, 0xFFFF_FFFF), (56, 0xFFFF_FFFF), (0x7FFF_F024, 0x7FFF_F000),
            (0x8000_0024, 0x8000_0000), (0x7FFF_FFFF, 0x7FFF_FFFF), (0xFFFF_FFFF, 0xFFFF_FFDB),
            (0xFFFF_FFBF, 0xFFFF_FF9B),
        ] as [(UInt32, UInt32)])
    func streams(fileSize: UInt32, dataSize: UInt32) throws {
        let contents = try readWAV(file(fileSize: fileSize, dataSize: dataSize == 36 ? 0 : dataSize).bytes)
        #expect(contents.frameCount == 10)
        #expect(contents.declaredFrameCount == nil)
        #expect(contents.warnings.isEmpty && contents.failure == nil)
    }

    @Test("of 0 is empty, whether or not another chunk follows")
    func empty() throws {
        var listed = file(dataSize: nil, sampleCount: 0)
        listed.chunk("LIST", Array("INFOICMT".utf8) + littleEndian(UInt32(4)) + Array("more".utf8))
        listed.close()
        #expect(try readWAV(listed.bytes).samples.isEmpty)
        #expect(try readWAV(file(dataSize: nil, sampleCount: 0).bytes).samples.isEmpty)
    }

    @Test("greater than the file gives all complete frames, then an error that says how much is missing, once")
    func tooLong() throws {
        let contents = try readWAV(file(dataSize: 27, channelCount: 2).bytes)
        #expect(contents.frameCount == 5)
        #expect(contents.declaredFrameCount == 6)
        #expect(contents.failure?.code == .truncated && contents.warnings.isEmpty)
        #expect(
            contents.failure?.description
                == "the file is cut off or not whole yet: its header announces 7 more bytes of sound, at byte 64")

        let huge = try readWAV(file(dataSize: 0xFFFF_FE00).bytes)
        #expect(huge.frameCount == 10)
        #expect(huge.failure?.byteOffset == 64)

        var reader = try WAVReader(source: ArrayByteSource(file(dataSize: 27).bytes))
        var buffer = [Float](repeating: 0, count: 100)
        func read() throws -> Int { try buffer.withUnsafeMutableBufferPointer { try reader.read(into: $0) } }
        #expect(try read() == 10)
        #expect(throws: WAVError.self) { try read() }
        #expect(try read() == 0)
    }

    @Test("greater than the file gives, at another rate, all samples of an honest file, then the error")
    func tooLongConverted() throws {
        func samples(dataSize: UInt32?) throws -> (samples: [Int16], failure: (any Error)?) {
            let source = ArrayByteSource(file(dataSize: dataSize, sampleCount: 5000).bytes)
            let reader = try AudioBlockReader(try WAVReader(source: source), sampleRate: 44_100)
            var samples: [Int16] = []
            do {
                while let block = try reader.next()?.first { samples += block.samples }
                return (samples, nil)
            } catch {
                return (samples, error)
            }
        }
        let (whole, cut) = (try samples(dataSize: nil), try samples(dataSize: 20_000))
        #expect(whole.failure == nil && (cut.failure as? WAVError)?.code == .truncated)
        #expect(cut.samples == whole.samples)
    }

    @Test("that is not a multiple of the frame gives all complete frames and says how many bytes are left over")
    func partialFrame() throws {
        let contents = try readWAV(file(dataSize: 19, channelCount: 2).bytes)
        #expect(contents.frameCount == 4)
        #expect(contents.warnings == [WAVWarning(.partialFrame, at: 60, count: 3)])

        let cut = try readWAV(file(dataSize: .max, channelCount: 2, extra: [1]).bytes)
        #expect(cut.frameCount == 5)
        #expect(cut.warnings == [WAVWarning(.partialFrame, at: 64, count: 1)])
    }

    @Test("smaller than a stream that is read on is an error after the samples if more sound follows, and else none")
    func readOn() throws {
        let wav = file(dataSize: nil).bytes
        let litter = [UInt8](repeating: 200, count: 8000)
        func read(_ end: [UInt8], _ readsOn: Bool = true) throws -> (count: Int, code: WAVError.Code?) {
            var reader = try WAVReader(source: ArrayByteSource(wav + end), readsOn: readsOn)
            var samples = [Float](repeating: 0, count: 64)
            let count = try samples.withUnsafeMutableBufferPointer { try reader.read(into: $0) }
            do {
                #expect(try samples.withUnsafeMutableBufferPointer { try reader.read(into: $0) } == 0)
                return (count, nil)
            } catch let error as WAVError {
                return (count, error.code)
            }
        }
        let silence = [UInt8](repeating: 0, count: 64)
        let printable = [UInt8](repeating: 0x70, count: 8000)
        let chunk = Array("JUNK".utf8) + [3, 0, 0, 0, 1, 2, 3, 9]
        for sound in [
            litter, wav + litter, [0] + wav + litter, Array("data".utf8) + litter, silence + litter, printable,
            chunk + litter, Array("what".utf8) + [4, 0, 0, 0] + litter,
        ] {
            #expect(try read(sound) == (10, .moreSound))
            #expect(try read(sound, false) == (10, nil))
        }
        for end in [
            [], Array(litter.prefix(300)), Array("LIST".utf8) + litter, [UInt8](repeating: 0, count: 9000),
            chunk + silence + chunk + Array("own ".utf8) + [64, 31, 0, 0] + litter,
        ] {
            #expect(try read(end) == (10, nil))
        }
    }

    @Test("that arecord writes into a pipe has an end, after which more sound is looked for")
    func greatestSize() throws {
        let reader = try WAVReader(source: ArrayByteSource(file(dataSize: 0x7FFF_FFFF).bytes))
        #expect(reader.declaredEnd == 44 + 0x7FFF_FFFF && reader.declaredFrameCount == nil)
        let piped = try WAVReader(source: ArrayByteSource(file(dataSize: .max).bytes))
        #expect(piped.declaredEnd == nil)
    }

    @Test("smaller than the file ignores what follows")
    func followed() throws {
        let contents = try readWAV(file(dataSize: 8).bytes)
        #expect(contents.samples == [1, 2, 3, 4].map { Float($0) / 32768 })
        #expect(contents.warnings.isEmpty)
    }

    @Test(
        "before the samples never reaches beyond the file's end",
        arguments: [0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0xFFFF_FFFE] as [UInt32], ["fmt ", "JUNK", "ds64"])
    func hugeChunks(size: UInt32, id: String) {
        for container in ["RIFF", "RF64"] {
            var file = WAVBuilder(container, fileSize: size)
            file.chunk(id, formatBody(), size: size)
            file.chunk("fmt ", formatBody())
            file.chunk("data", [1, 2, 3, 4])
            let error = #expect(throws: WAVError.self) { try readWAV(file.bytes) }
            #expect([.truncatedHeader, .noData].contains(error?.code))
            #expect(error?.byteOffset == Int64(file.bytes.count))
        }
    }

    @Test("of a chunk that is odd is read correctly with and without the pad byte")
    func padBytes() throws {
        for padded in [true, false] {
            for size in [1, 3, 7] {
                var file = WAVBuilder()
                file.chunk("JUNK", [UInt8](repeating: 0x41, count: size), padded: padded)
                file.chunk("fmt ", formatBody() + [0], padded: padded)
                file.chunk("XyZw", [UInt8](repeating: 0x20, count: size), padded: padded)
                file.chunk("data", [1, 0, 2, 0])
                let contents = try readWAV(file.bytes)
                let samples: [Float] = [1 / 32768, 2 / 32768]
                let codes = contents.warnings.map(\.code)
                let counts: [Int64] = contents.warnings.map(\.count)
                #expect(contents.samples == samples)
                #expect(padded ? codes.isEmpty : codes == [.missingPadByte])
                #expect(padded ? counts.isEmpty : counts == [3])
            }
        }
    }

    @Test("in a ds64 chunk is read by it, as RF64 and as BW64", arguments: ["RF64", "BW64"])
    func ds64(container: String) throws {
        let sizes = sizeBody(fileSize: 92, dataSize: 16)
        let contents = try readWAV(file(container, fileSize: .max, ds64: sizes, dataSize: .max).bytes)
        #expect(contents.frameCount == 8)
        #expect(contents.declaredFrameCount == 8)
        #expect(contents.warnings.isEmpty)

        // As for libsndfile and ffmpeg, a size that stands there counts, and a 32-bit one only where none does.
        let both = try readWAV(file(container, fileSize: .max, ds64: sizes, dataSize: 6).bytes)
        #expect(both.frameCount == 8)
        let none = sizeBody(fileSize: 0, dataSize: 0)
        #expect(try readWAV(file(container, fileSize: .max, ds64: none, dataSize: 6).bytes).frameCount == 3)
        #expect(try readWAV(file(container, fileSize: .max, dataSize: 6).bytes).frameCount == 3)

        let huge = sizeBody(fileSize: 1 << 40, dataSize: 1 << 40)
        let declared = try readWAV(file(container, ds64: huge, dataSize: .max).bytes)
        #expect(declared.declaredFrameCount == 1 << 39)
        #expect(declared.frameCount == 10)
        #expect(declared.failure?.byteOffset == 100)
    }

    @Test("that refers to a missing ds64 chunk is read to the end with a warning")
    func missingDS64() throws {
        for ds64 in [nil, [], [UInt8](repeating: 0, count: 15)] as [[UInt8]?] {
            let contents = try readWAV(file("RF64", ds64: ds64, dataSize: .max).bytes)
            #expect(contents.frameCount == 10)
            #expect(contents.declaredFrameCount == nil)
            #expect(contents.warningCodes == [.missingSize])
        }
    }

    @Test(
        "in a ds64 chunk that can't be right is read to the end", arguments: [0, .max, .max - 1, 1 << 63] as [UInt64])
    func lyingDS64(dataSize: UInt64) throws {
        let sizes = sizeBody(fileSize: dataSize, dataSize: dataSize, frameCount: .max)
        let contents = try readWAV(file("RF64", fileSize: .max, ds64: sizes, dataSize: .max).bytes)
        #expect(contents.frameCount == 10)
        #expect(contents.declaredFrameCount == nil)
        #expect(contents.warnings.isEmpty)
    }

    @Test("of 2⁶³ - 1 does not overflow")
    func largestSize() throws {
        let sizes = sizeBody(fileSize: .max, dataSize: UInt64(Int64.max))
        let contents = try readWAV(file("RF64", ds64: sizes, dataSize: .max, channelCount: 2).bytes)
        #expect(contents.frameCount == 5)
        #expect(contents.failure?.byteOffset == 100)
    }
}
