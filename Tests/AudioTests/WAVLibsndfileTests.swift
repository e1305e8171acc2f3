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
    private func libsndfile(_ bytes: [UInt8], _ encoding: AudioFormat.Encoding) async throws -> [Float]? {
        let path = folder.put(bytes, in: "in.wav")
        let isFloat = encoding == .float32 || encoding == .float64
        guard try await succeeds("sndfile-convert", isFloat ? "-float32" : "-pcm32", path, folder.file("out.raw"))
        else { return nil }
        let words = try #require(folder.bytes(of: "out.raw")).withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
        return isFloat
            ? words.map(Float.init(bitPattern:)) : words.map { Float(Int32(bitPattern: $0)) / 2_147_483_648 }
    }

    @Test(
        "gives the same samples, bit for bit, for every encoding and layout",
        arguments: SeedFile.all(frameCount: 400))
    func seeds(seed: SeedFile) async throws {
        let theirs = try #require(try await libsndfile(seed.bytes, seed.encoding))
        let ours = try readWAV(seed.bytes).samples
        #expect(theirs.count == 400 * seed.channelCount)
        #expect(ours.map(\.bitPattern) == theirs.map(\.bitPattern))
    }

    @Test("gives the same samples for all 256 bytes of A-law, µ-law and 8-bit PCM")
    func everyByte() async throws {
        for encoding in [AudioFormat.Encoding.aLaw, .muLaw, .unsigned8] {
            let file = WAVBuilder.file(formatBody(tag: encoding.tag, bits: 8), Array(0...255))
            let theirs = try #require(try await libsndfile(file, encoding))
            #expect(try readWAV(file).samples == theirs)
        }
    }
}
