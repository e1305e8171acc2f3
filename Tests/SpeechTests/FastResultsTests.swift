import Testing
import TestSupport

@testable import Models
@testable import Speech

@Suite("Fast results")
struct FastResultsTests {
    private static let engine = try! VoskModel(
        folder: ModelFolder(path: Fixture.modelPath), endpointing: Endpointing())

    /// The results of a pipeline, each with the number of samples that it had accepted by then.
    private func emitted(
        _ samples: [Int16], guessesEarly: Bool, pieces: Int = 160
    ) throws -> [(given: Int, utterance: Utterance)] {
        var given = 0
        var emitted: [(Int, Utterance)] = []
        var settings = RecognitionPipeline.Settings(reportsVolatile: true)
        settings.guessesEarly = guessesEarly
        let pipeline = try RecognitionPipeline(
            engine: Self.engine, configuration: RecognizerConfiguration(), settings: settings
        ) { emitted.append((given, $0)) }
        for piece in samples.cut(into: pieces) {
            given += piece.count
            try piece.withUnsafeBufferPointer { piece throws(SpeechError) in try pipeline.append(piece) }
        }
        try pipeline.finalize()
        return emitted
    }

    @Test("leave the final results as they are", arguments: Tier.every(4, of: Fixture.plain + Fixture.recordings))
    func finalsAreTheSame(_ fixture: Fixture) throws {
        let samples = try fixture.samples()
        let slow = try emitted(samples, guessesEarly: false).map(\.utterance).filter(\.isFinal)
        let fast = try emitted(samples, guessesEarly: true).map(\.utterance).filter { $0.isFinal && !$0.text.isEmpty }
        #expect(fast == slow.filter { !$0.text.isEmpty })
    }

    @Test(
        "come a quarter of a second after the voice begins, and before the engine's own", arguments: Fixture.somePlain)
    func comeEarly(_ fixture: Fixture) throws {
        let samples = try fixture.samples()
        let peak = samples.map { abs(Int32($0)) }.max() ?? 0
        let onset = try #require(samples.firstIndex { abs(Int32($0)) > peak / 20 })
        let first = try #require(try emitted(samples, guessesEarly: true).first)
        let slow = try #require(try emitted(samples, guessesEarly: false).first)
        #expect(!first.utterance.isFinal && !first.utterance.text.isEmpty)
        #expect(
            first.given - onset <= 16_000 * 3 / 10, "the guess came \((first.given - onset) / 16) ms after the voice")
        #expect(first.given < slow.given)
    }

    @Test("replace every guess by a final or retract it, in noise as in speech")
    func everyGuessIsAnswered() throws {
        var generator = SplitMix64(for: "bursts")
        var samples: [Int16] = []
        for _ in 0..<6 {
            samples += [Int16](repeating: 0, count: 12_000)
            samples += (0..<6_000).map { _ in Int16.random(in: -4_000...4_000, using: &generator) }
        }
        samples += try Fixture.named("memo").samples()
        var open: Int64?
        var guesses = 0
        for (_, utterance) in try emitted(samples, guessesEarly: true) {
            if let open { #expect(utterance.range.lowerBound == open) }
            open = utterance.isFinal ? nil : utterance.range.lowerBound
            if !utterance.isFinal { guesses += 1 }
            for word in utterance.alternatives.first?.words ?? [] {
                #expect(
                    utterance.range.lowerBound <= word.range.lowerBound
                        && word.range.upperBound <= utterance.range.upperBound)
            }
        }
        #expect(open == nil && guesses > 0)
    }

    /// The number of samples that the detector has heard when it first finds speech; nil if it finds none.
    private func onset(of samples: [Int16], cut: () -> Int) throws -> (given: Int, start: Int64)? {
        var activity = try #require(SpeechActivity(sampleRate: 16_000))
        var given = 0
        while given < samples.count {
            let end = min(samples.count, given + cut())
            samples[given..<end].withUnsafeBufferPointer { activity.hear($0) }
            given = end
            if let start = activity.speechStart { return (given, start) }
        }
        return nil
    }

    @Test("find the beginning of the voice wherever the samples are cut")
    func onsetIsTheSameForAllCuts() throws {
        var generator = SplitMix64(for: "cuts")
        let samples = [Int16](repeating: 0, count: 8_000) + (try Fixture.named("digits-slt").samples()).prefix(24_000)
        // The pieces end where those of the detector do.
        let expected = try #require(try onset(of: samples) { 32 })
        for _ in 0..<20 {
            var ends: [Int] = []
            let found = try onset(of: samples) {
                let count = Int.random(in: 1...400, using: &generator)
                ends.append((ends.last ?? 0) + count)
                return count
            }
            #expect(found?.start == expected.start)
            #expect(found?.given == ends.first { $0 >= expected.given })
        }
    }

    @Test("do not come for clicks, hum or silence")
    func isNotForNoise() throws {
        var generator = SplitMix64(for: "hum")
        let samples = (0..<2_000).flatMap { frame in
            let level: ClosedRange<Int16> = frame % 97 == 0 ? -20_000...20_000 : -600...600
            return (0..<160).map { _ in Int16.random(in: level, using: &generator) }
        }
        #expect(try onset(of: samples) { 160 } == nil)
        #expect(try onset(of: [Int16](repeating: 0, count: 160_000)) { 160 } == nil)
    }
}
