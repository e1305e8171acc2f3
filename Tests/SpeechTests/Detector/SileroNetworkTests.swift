import Foundation
import TestSupport
import Testing

@testable import Models
@testable import Speech

@Suite("The network that detects speech")
struct SileroNetworkTests {
    static let path = Fixture.repository + "/Models/silero-vad/silero_vad_16k.safetensors"
    static let weights = Result { try SileroWeights(path: path) }
    private let folder = TemporaryFolder()

    /// The probabilities of every `step`th whole frame.
    private func probabilities(_ samples: [Int16], every step: Int) throws -> [Float] {
        var network = SileroNetwork(weights: try Self.weights.get())
        let all = samples.cut(into: 512).filter { $0.count == 512 }.map { frame in
            frame.map { Float($0) / 32_768 }.withUnsafeBufferPointer { network.probability(of: $0) }
        }
        return stride(from: 0, to: all.count, by: step).map { all[$0] }
    }

    private func difference(_ probabilities: [Float], _ reference: [Float]) -> Float {
        #expect(probabilities.count == reference.count)
        return zip(probabilities, reference).map { abs($0 - $1) }.max() ?? 1
    }

    // The references are computed with numpy, from the same weights.

    @Test("says of speech what the reference says")
    func speech() throws {
        let reference: [Float] = [
            0.01801, 0.01358, 0.01346, 0.03237, 0.79880, 0.99987, 0.99984, 0.99993, 0.99997, 0.99988, 0.99991, 0.99989,
            0.99993, 0.44515, 0.99996, 0.99902, 0.99998, 0.99999, 0.99988, 0.99990, 0.99868, 0.99999, 0.99956, 0.99999,
            0.99998, 0.99993, 0.95416, 0.00644, 0.00462, 0.00498, 0.00563, 0.00572,
        ]
        let heard = try probabilities(Fixture.named("numbers-slt").samples(), every: 4)
        #expect(difference(heard, reference) < 1e-4)
    }

    @Test("says of noise and of silence what the reference says")
    func noise() throws {
        var generator = SplitMix64(seed: 7)
        let noise = (0..<16 * 512).map { _ in Int16(Int(generator.next() >> 52) - 2048) }
        let heard = try probabilities(noise, every: 2)
        #expect(
            difference(heard, [0.01919, 0.02469, 0.02228, 0.01069, 0.00989, 0.00923, 0.01784, 0.01002]) < 1e-4)
        let silence = try probabilities([Int16](repeating: 0, count: 8 * 512), every: 1)
        #expect(
            difference(silence, [0.01801, 0.02567, 0.01977, 0.01561, 0.01358, 0.01287, 0.01283, 0.01327]) < 1e-4)
    }

    @Test("remembers what it has heard, and a copy hears on its own")
    func memory() throws {
        let new = SileroNetwork(weights: try Self.weights.get())
        var network = new
        let tone = (0..<512).map { sin(Float($0) / 9) }
        let (first, second) = tone.withUnsafeBufferPointer {
            (network.probability(of: $0), network.probability(of: $0))
        }
        #expect(first != second, "it remembers")
        network = new
        #expect(tone.withUnsafeBufferPointer { network.probability(of: $0) } == first)
    }

    @Test("A damaged file of weights is an error, and no crash")
    func damaged() throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: Self.path))
        let path = folder.file("weights")
        #expect(throws: SpeechError.self, "no file") { try SileroWeights(path: path) }

        func expectDamage(_ contents: Data, _ comment: Comment) throws {
            try contents.write(to: URL(fileURLWithPath: path))
            let error = #expect(throws: SpeechError.self, comment) { try SileroWeights(path: path) }
            #expect(error?.code == .modelIncomplete)
        }
        for length in [0, 7, 8, 9, 1_000, 1_215, 1_216, 1_217, 500_000, whole.count - 4_096] {
            try expectDamage(whole.prefix(length), "cut to \(length) bytes")
        }
        for (old, new) in [
            ("conv1.weight", "conv9.weight"), ("[128,129,3]", "[129,128,3]"), ("F32", "F16"),
            ("[0,264192]", "[1,264192]"),
            ("[0,264192]", "[-4,26419]"), ("[1238528,1238532]", "[9238528,9238532]"), ("{", "["),
        ] {
            var changed = whole
            changed.replaceSubrange(try #require(whole.range(of: Data(old.utf8))), with: Data(new.utf8))
            try expectDamage(changed, "\(new) in place of \(old)")
        }
        for length: [UInt8] in [[255, 255, 255, 255, 255, 255, 255, 255], [0, 0, 0, 0, 0, 0, 0, 128]] {
            try expectDamage(Data(length) + whole.dropFirst(8), "a table of impossible length")
        }
        var changed = whole
        changed.replaceSubrange(100_000..<100_400, with: [UInt8](repeating: 255, count: 400))
        try expectDamage(changed, "values that are no numbers")
    }

    @Test("Random damage crashes nothing")
    func randomDamage() throws {
        var generator = SplitMix64(for: "weights")
        let whole = try Data(contentsOf: URL(fileURLWithPath: Self.path))
        let path = folder.file("weights")
        for _ in 0..<Tier.count(5, long: 200) {
            var changed = whole.prefix(Int.random(in: 0...1, using: &generator) == 0 ? whole.count : 1_300)
            // The table of contents is most of what can go wrong.
            for _ in 0..<3 {
                let place = Int.random(in: 0..<1_300, using: &generator)
                changed[place] = .random(in: 0...255, using: &generator)
            }
            try changed.write(to: URL(fileURLWithPath: path))
            guard let weights = try? SileroWeights(path: path) else { continue }
            var network = SileroNetwork(weights: weights)
            _ = [Float](repeating: 0.5, count: 512).withUnsafeBufferPointer { network.probability(of: $0) }
        }
    }
}
