import Testing

@testable import Audio

@Suite("Compared with libsndfile, a WAV reader")
struct WAVLibsndfileTests {
    /// The samples that libsndfile reads; nil if it refuses the file.
    private func libsndfile(_ bytes: [UInt8], in folder: TemporaryFolder, _ name: String) throws -> [Float]? {
        let path = try folder.write(bytes, to: "\(name).wav")
        let status = try Programs.run("sndfile-convert", ["-float32", path, folder.file("\(name).raw")])
        return status == 0 ? floats(try folder.read("\(name).raw")) : nil
    }

    @Test("gives the same samples, bit for bit, for every encoding and layout", arguments: SeedFile.all(frameCount: 400))
    func seeds(seed: SeedFile) throws {
        let folder = try TemporaryFolder()
        let theirs = try #require(try libsndfile(seed.bytes, in: folder, "seed"))
        let ours = try readWAV(seed.bytes).samples
        #expect(theirs.count == 400 * seed.channelCount)
        #expect(ours.map(\.bitPattern) == theirs.map(\.bitPattern))
    }

    @Test("gives the same samples for all 256 bytes of A-law and µ-law and of 8 bits but the lowest")
    func everyByte() throws {
        let folder = try TemporaryFolder()
        for encoding in [AudioFormat.Encoding.aLaw, .muLaw, .unsigned8] {
            var file = WAVBuilder()
            file.chunk("fmt ", formatBody(tag: encoding.tag, bits: 8))
            // The lowest is full scale, which makes the converter scale everything down.
            file.chunk("data", Array((encoding == .unsigned8 ? 1 : 0)...255))
            file.close()
            let theirs = try #require(try libsndfile(file.bytes, in: folder, encoding.rawValue))
            #expect(try readWAV(file.bytes).samples == theirs)
        }
    }

    @Test("gives the same samples for broken files where both accept them")
    func mutations() throws {
        let seed: UInt64 = 2026
        print("files broken from seed \(seed)")
        let folder = try TemporaryFolder()
        var random = SplitMix64(seed: seed)
        let files = SeedFile.all(frameCount: 40)
        var compared = 0
        for run in 0..<300 {
            let file = files[Int.random(in: 0..<files.count, using: &random)]
            var bytes = file.bytes
            let offset = Int.random(in: 0..<file.dataOffset, using: &random)
            if run % 2 == 0 {
                bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            } else {
                bytes.removeSubrange(Int.random(in: file.dataOffset..<bytes.count, using: &random)...)
            }
            let ours: [Float]
            do {
                ours = try readWAV(bytes).samples
            } catch is WAVError {
                continue
            }
            // From full scale on the converter scales everything down.
            guard ours.contains(where: { $0 != 0 }), ours.allSatisfy({ abs($0) < 1 }) else { continue }
            guard let theirs = try libsndfile(bytes, in: folder, "broken") else { continue }
            compared += 1
            if ours != theirs { Issue.record("run \(run), byte \(offset): \(file.testDescription), \(ours.count) and \(theirs.count) samples") }
        }
        #expect(compared > 100)
    }
}
