import Testing
import TestSupport

@testable import Speech

@Suite("Long speech")
struct LongSpeechTests {
    /// Speech without any pause, on an engine that marks a cut word, so that the text shows what is lost, doubled or cut around the
    /// hard limit.
    @Test(
        "without a pause is cut between words only, to the sample",
        arguments: [0, 400, 2000], [1000, 4000, 11_000])
    func exactCuts(_ gap: Int, _ wordLength: Int) async throws {
        var behaviour = FakeEngine.Behaviour()
        behaviour.pause = nil
        behaviour.wordLength = wordLength
        let engine = FakeEngine(behaviour)
        let words = (0..<(16_000 * 130 / (wordLength + gap))).map { Int16($0 + 1) }
        let samples = FakeEngine.speech(words, wordLength: wordLength, gap: gap)
        var options = Options()
        options.endpointing = Endpointing(longUtterance: 5)
        options.reportsSilence = true
        let outcome = try await options.run(samples.cut(into: 16_000).inputs, options.transcriber(engine: engine))
        #expect(outcome.text == words.map(String.init).joined(separator: " "))
        #expect(outcome.finals.count >= 3)
        #expect(
            outcome.words.map(\.range.lowerBound.sampleCount) == words.indices.map { Int64($0 * (wordLength + gap)) })
        #expect(
            outcome.words.allSatisfy { $0.range.upperBound.sampleCount - $0.range.lowerBound.sampleCount == wordLength }
        )
        #expect(outcome.ledger.delivered == Int64(samples.count))
        #expect(outcome.ledger.pending == 0)
    }

    @Test("that begins just before the limit is not cut")
    func beginsAtTheLimit() async throws {
        var behaviour = FakeEngine.Behaviour()
        behaviour.pause = nil
        var options = Options()
        options.endpointing = Endpointing(longUtterance: 5)
        let limit = 35 * 16_000
        for start in stride(from: limit - 8000, through: limit + 2000, by: 500) {
            let samples = [Int16](repeating: 0, count: start) + FakeEngine.speech([5, 6])
            let outcome = try await options.run(
                samples.cut(into: 16_000).inputs, options.transcriber(engine: FakeEngine(behaviour)))
            #expect(outcome.text == "5 6", "beginning at \(start)")
            #expect(outcome.words.map(\.range.lowerBound.sampleCount) == [Int64(start), Int64(start) + 4000])
        }
    }

    @Test(
        "with pauses loses and doubles nothing on the exact engine, renewed every few seconds", arguments: [1, 3, 20])
    func exactRenewal(_ renewal: Double) async throws {
        var generator = SplitMix64(for: "renewal")
        let engine = FakeEngine()
        var samples: [Int16] = []
        var starts: [Int64] = []
        for word in 1...200 as ClosedRange<Int16> {
            starts.append(Int64(samples.count))
            samples += FakeEngine.speech([word], gap: Int.random(in: 1...30_000, using: &generator))
        }
        var options = Options()
        options.renewal = renewal
        let outcome = try await options.run(
            samples.cut(upTo: 20_000, using: &generator).inputs, options.transcriber(engine: engine))
        #expect(outcome.text == (1...200).map(String.init).joined(separator: " "))
        #expect(outcome.words.map(\.range.lowerBound.sampleCount) == starts)
        #expect(outcome.ledger.pending == 0)
        #expect(Double(engine.counts.made) >= Double(samples.count) / 16_000 / (renewal + 10))
        #expect(engine.counts.alive == 0)
    }

    @Test(
        "has the same text, and an exact ledger, when the recognizer is renewed in every pause and when it never is",
        .long)
    func realRenewal() async throws {
        let fixture = Fixture.named("memo")
        let memo = try fixture.samples()
        let repetitions = Tier.count(2, long: 4)
        let samples = Array(repeatElement(memo, count: repetitions).joined())
        let natives = Natives()
        var options = Options()
        options.calls = natives.counting()
        options.reportsSilence = true
        let without = try await options.run(samples)
        #expect(natives.counts.recognizersEver == 1)
        options.renewal = 3
        let with = try await options.run(samples)
        #expect(with.text == Array(repeating: fixture.transcript, count: repetitions).joined(separator: " "))
        #expect(with.text == without.text)
        // Each repetition has five utterances of some 5 s, and the recognizer is renewed after nearly each.
        #expect(natives.counts.recognizersEver > 4 * repetitions - 1)
        #expect(with.ledger.delivered == Int64(samples.count))
        #expect(with.ledger.pending == 0)
        for (word, original) in zip(with.words, without.words) {
            #expect(abs(word.range.lowerBound.seconds - original.range.lowerBound.seconds) < 0.1)
        }
        await natives.empty()
    }

    /// Over a hundred seconds of people who hardly pause, which is longer than any rule allows an utterance to be.
    @Test("is heard whole by the real engine", arguments: Tier.every(4, of: [(5, 0), (20, 0), (50, 0), (20, 4000)]))
    func realSpeech(_ longUtterance: Double, _ pause: Int) async throws {
        let names = ["digits-slt", "digits-rms", "digits-awb", "date-slt", "date-rms", "numbers-slt", "weekdays-awb"]
        var samples: [Int16] = []
        var transcripts: [String] = []
        while samples.count < 16_000 * Tier.amount(60, long: 100) {
            for fixture in names.map(Fixture.named) {
                samples += try fixture.samples().trimmed() + [Int16](repeating: 0, count: pause)
                transcripts.append(fixture.transcript)
            }
        }
        var options = Options()
        options.endpointing = Endpointing(trailingSilence: pause > 0 ? 1 : nil, longUtterance: longUtterance)
        let outcome = try await options.run(samples)
        // The text is exact: the engine recognizes every word at these joins.
        #expect(outcome.text == transcripts.joined(separator: " "))
        #expect(outcome.utterances.count > 1)
        if pause > 0 {
            // Most pauses are long enough for the rule of long utterances, and none for the other rules.
            for result in outcome.utterances.dropLast() {
                let length = result.range.upperBound.seconds - result.range.lowerBound.seconds
                #expect(length > longUtterance - 1 && length < longUtterance + 30)
            }
        }
        var end = AudioTime.zero
        for word in outcome.words {
            #expect(word.range.lowerBound >= end)
            end = word.range.upperBound
        }
        #expect(outcome.ledger.pending == 0)
    }
}
