import TestSupport
import Testing

@testable import Speech

@Suite("Sound without speech")
struct NoiseTests {
    /// Levels as at a desk, in an empty room, and beside the microphone, in decibels relative to full scale.
    private static let levels = Tier.every(3, of: [-35.0, -50, -20])

    @Test("has no final word", .secondPass, arguments: Noise.allCases)
    func silence(_ noise: Noise) async throws {
        let setup = try #require(SecondPassRig.setup)
        let model = SecondPassModel(path: setup.model, library: setup.library, program: SecondPassRig.program)
        let voices = try Fixture.plain.filter { $0.name != "memo.wav" }.map { try $0.samples() }
        // Babble at the level of somebody beside the microphone is left out, since a word of it may be recognized.
        for level in Self.levels where noise != .babble || level < -30 {
            var generator = SplitMix64(seed: SplitMix64.given ?? 1)
            let isLike = [.babble, .music].contains(noise)
            let longest = noise.repeatsItself ? 6 : Tier.count(4, long: isLike ? 120 : 60, "UTTER_NOISE_SECONDS")
            let seconds = level == Self.levels.first ? longest : longest / 3
            let samples = noise.samples(seconds: seconds, level: level, voices: voices, using: &generator)
            // Both have the same detector, and only what sounds like a voice for a moment comes farther than that.
            for isLive in isLike ? Tier.every(2, of: [true, false]) : [Tier.current == .quick] {
                let transcriber = DictationTranscriber(
                    model: model, languages: ["en"], reportingOptions: [.silences], isLive: isLive,
                    report: { Issue.record("\($0)") })
                let analyzer = SpeechAnalyzer(modules: [transcriber])
                async let results = transcriber.results.all()
                _ = try await analyzer.analyzeSequence(Inputs(samples.cut(into: 16_000)))
                try await analyzer.finalizeAndFinishThroughEndOfInput()
                let outcome = Outcome(results: try await results, ledger: await transcriber.ledger)
                #expect(
                    outcome.utterances.isEmpty,
                    "\(noise) at \(level) dB, \(isLive ? "live" : "a file"): \(said(outcome))")
                #expect(
                    outcome.ledger.delivered == Int64(samples.count) && outcome.ledger.pending == 0, "\(outcome.ledger)"
                )
                #expect(outcome.finals.last?.range.upperBound == time(samples.count))
            }
        }
    }
}
