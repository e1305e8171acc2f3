import TestSupport
import Testing

@testable import Audio

@Suite("Compared with libsndfile, a WAV reader")
struct WAVLibsndfileTests {
    private let folder = TemporaryFolder()

    /// The samples that libsndfile reads from a file of this encoding, as its sf_read_float gives them; nil if it refuses
    /// the file.
    ///
    /// The converter scales integers to their loudest when it makes floats of them, so they are asked for as 32 bits, which
    /// is exact, and divided here.
    private func libsndfile(_ bytes: [UInt8], _ encoding: AudioFormat.Encoding) throws -> [Float]? {
        let path = folder.put(bytes, in: "in.wav")
        let isFloat = encoding == .float32 || encoding == .float64
        let status = try Programs.run(
            "sndfile-convert", [isFloat ? "-float32" : "-pcm32", path, folder.file("out.raw")])
        guard status == 0 else { return nil }
        let words = words(try #require(folder.bytes(of: "out.raw")))
        return isFloat
            ? words.map(Float.init(bitPattern:)) : words.map { Float(Int32(bitPattern: $0)) / 2_147_483_648 }
    }

    @Test(
        "gives the same samples, bit for bit, for every encoding and layout",
        arguments: SeedFile.all(frameCount: 400))
    func seeds(seed: SeedFile) throws {
        let theirs = try #require(try libsndfile(seed.bytes, seed.encoding))
        let ours = try readWAV(seed.bytes).samples
        #expect(theirs.count == 400 * seed.channelCount)
        #expect(ours.map(\.bitPattern) == theirs.map(\.bitPattern))
    }

    @Test("gives the same samples for all 256 bytes of A-law, µ-law and 8-bit PCM")
    func everyByte() throws {
        for encoding in [AudioFormat.Encoding.aLaw, .muLaw, .unsigned8] {
            var file = WAVBuilder()
            file.chunk("fmt ", formatBody(tag: encoding.tag, bits: 8))
            file.chunk("data", Array(0...255))
            file.close()
            let theirs = try #require(try libsndfile(file.bytes, encoding))
            #expect(try readWAV(file.bytes).samples == theirs)
        }
    }

}
