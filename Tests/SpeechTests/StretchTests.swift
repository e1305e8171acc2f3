import Synchronization
import TestSupport
import Testing

@testable import Models
@testable import Speech

@Suite("Recorded speech in stretches")
struct StretchTests {
    private static let second = 16_000

    /// Speech of so many rounds of fixtures, in which some of the pauses are cuts.
    private static func speech(_ rounds: Int) throws -> [Int16] {
        let names = ["digits-slt", "date-rms", "digits-rms", "numbers-slt", "date-slt", "weekdays-awb", "digits-awb"]
        var samples: [Int16] = []
        for round in 0..<rounds {
            for (index, fixture) in names.map(Fixture.named).enumerated() {
                samples += try fixture.samples().trimmed()
                samples += [Int16](repeating: 0, count: index % 3 == 0 ? 2 * second : second * 6 / 10 + 777 * round)
            }
        }
        return samples
    }

    @Test(
        "has the text and the times of one recognizer, however many are decoded at a time, in whatever pieces it comes")
    func sameText() async throws {
        var generator = SplitMix64(for: "stretches")
        let samples = try Self.speech(4)
        let one = try await Options(reportsSilence: true).run(samples)
        #expect(one.words.count > 100)
        var first: [String]?
        for width in Tier.every(4, of: [2, 1, 3, 8]) {
            let natives = Natives()
            var options = Options(calls: natives.counting(), reportsSilence: true)
            options.width = width
            let outcome = try await options.run(samples.cut(upTo: 50_000, using: &generator).inputs)
            #expect(outcome.text == one.text)
            #expect(said(outcome) == first ?? said(outcome))
            first = said(outcome)
            for (word, other) in zip(outcome.words, one.words) {
                #expect(abs(word.range.lowerBound.seconds - other.range.lowerBound.seconds) <= 0.06)
            }
            #expect(natives.counts.recognizersEver >= 3, "there are several stretches")
            // The utterances follow each other through the whole stream.
            #expect(outcome.finals.first?.range.lowerBound == .zero)
            #expect(outcome.finals.last?.range.upperBound == time(samples.count))
            #expect(
                zip(outcome.finals, outcome.finals.dropFirst()).allSatisfy {
                    $0.range.upperBound == $1.range.lowerBound
                })
            #expect(outcome.ledger.delivered == Int64(samples.count) && outcome.ledger.pending == 0)
            #expect(outcome.ledger.missing == 0)
            await natives.empty()
        }
    }

    @Test("is cut at the same samples in any pieces, and the times know what is missing")
    func gaps() async throws {
        let samples = try Self.speech(3)
        let half = samples.count / 2
        var outcomes: [[String]] = []
        for (width, piece) in Tier.every(2, of: [(1, 1600), (2, 999), (2, samples.count)]) {
            var options = Options(reportsSilence: true)
            options.width = width
            let gap = 5000
            let first = samples[..<half].map(\.self).cut(into: piece).inputs
            var second = samples[half...].map(\.self).cut(into: piece).inputs
            second[0] = AnalyzerInput(buffer: second[0].buffer, bufferStartTime: time(half + gap))
            let outcome = try await options.run(first + second)
            #expect(outcome.ledger.missing == Int64(gap) && outcome.ledger.pending == 0)
            #expect(outcome.finals.last?.range.upperBound == time(samples.count + gap))
            outcomes.append(said(outcome))
        }
        #expect(outcomes.count > 1 && Set(outcomes).count == 1 && !outcomes[0].isEmpty)
    }

    @Test("ends with the error of the engine, after the text before it")
    func failure() async throws {
        var behaviour = FakeEngine.Behaviour()
        behaviour.onAccept = { number throws(SpeechError) in
            if number == 20 { throw SpeechError(.moduleOutputFailed, "on command") }
        }
        let engine = FakeEngine(behaviour)
        var options = Options()
        options.width = 2
        let (transcriber, analyzer) = options.session(engine: engine)
        try await analyzer.start(inputSequence: Inputs([FakeEngine.speech(Array(1...20), gap: 16_000)]))
        #expect(await analyzer.finishCode() == .moduleOutputFailed)
        var texts: [String] = []
        await #expect(throws: SpeechError.self) {
            for try await result in transcriber.results { texts.append(String(result.text.characters)) }
        }
        #expect(texts == ["1"])
        #expect(await transcriber.ledger.pending > 0)
        #expect(engine.counts.alive == 0)
    }

    @Test("is read no further than some minutes before the decoding, and a cancellation ends that")
    func boundedAndCancelled() async throws {
        let gate = ThreadGate()
        var behaviour = FakeEngine.Behaviour()
        behaviour.onAccept = { _ throws(SpeechError) in gate.pass() }
        let engine = FakeEngine(behaviour)
        var options = Options()
        options.width = 1
        let (transcriber, analyzer) = options.session(engine: engine)
        let minute = [Int16](repeating: 1, count: 60 * Self.second)
        try await analyzer.start(inputSequence: Inputs(Array(repeating: minute, count: 20)))
        await gate.reached.wait()
        try await Patience.wait(for: "the end of the reading") {
            await transcriber.ledger.delivered == 3 * 60 * Int64(Self.second)
        }
        // Were it to read on, it would do so before this comes back.
        for _ in 0..<100 { _ = await transcriber.ledger }
        #expect(await transcriber.ledger.delivered == 3 * 60 * Int64(Self.second))
        let cancelling = Task { await analyzer.cancelAndFinishNow() }
        #expect(try await transcriber.allResults().isEmpty)
        gate.open()
        await cancelling.value
        #expect(engine.counts.accepts == 1)
        #expect(engine.counts.alive == 0)
    }
}
