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

    @Test("gives the same samples for broken files where both accept them")
    func mutations() throws {
        let seed: UInt64 = 2026
        print("files broken from seed \(seed)")
        var random = SplitMix64(seed: seed)
        let files = SeedFile.all(frameCount: 40)
        var compared = 0
        let runs = Tier.count(300, long: 1_500)
        for run in 0..<runs {
            let file = files[Int.random(in: 0..<files.count, using: &random)]
            let bytes = Mutation.mutate(file, with: files[run % files.count], changes: 1...1, using: &random)
            let ours: WAVContents
            do {
                ours = try readWAV(bytes)
            } catch is WAVError {
                continue
            }
            // Where libsndfile gives NaN, we promise not to.
            if ours.warningCodes.contains(.nonFiniteSamples) { continue }
            if ours.format.encoding == .float32 || ours.format.encoding == .float64 {
                // From full scale on the converter scales floats too, and it refuses silence.
                guard ours.samples.contains(where: { $0 != 0 }), ours.samples.allSatisfy({ abs($0) < 1 }) else {
                    continue
                }
            }
            guard let theirs = try libsndfile(bytes, ours.format.encoding) else { continue }
            // A data size of 0 is the end for libsndfile, and for us a stream's.
            if theirs.isEmpty && ours.declaredFrameCount == nil { continue }
            compared += 1
            if ours.samples != theirs {
                Issue.record(
                    """
                    run \(run), \(file.testDescription): \(ours.samples.count) samples, \
                    libsndfile \(theirs.count)
                    """)
            }
        }
        #expect(compared > runs / 5)
    }
}
