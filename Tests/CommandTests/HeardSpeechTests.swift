import TestSupport
import Testing

@testable import Speech
@testable import utter

@Suite("The results that a memo takes")
struct HeardSpeechTests {
    private func utterance(_ number: Int, _ text: String, isFinal: Bool) -> Utterance {
        Utterance(
            range: Int64(number * 100)..<Int64(number * 100 + 100),
            alternatives: [Hypothesis.Alternative(text: text, words: [], confidence: nil)], isFinal: isFinal)
    }

    private func result(_ utterance: Utterance) -> SpeechTranscriber.Result {
        SpeechTranscriber.Result(utterance, sampleRate: 16_000, attributes: [])
    }

    @Test("With one pass there are guesses and finals")
    func onePass() {
        var speech = HeardSpeech()
        let results = [
            utterance(0, "one", isFinal: false), utterance(0, "one two", isFinal: true),
            utterance(1, "", isFinal: true),
        ]
        #expect(results.flatMap { speech.take(result($0)) } == [.volatile("one"), .final("one two"), .final("")])
    }

    @Test("A late result without words retracts nothing but itself")
    func noise() {
        var undecided = UndecidedUtterances(reportsVolatile: true, reportsSilence: false)
        var speech = HeardSpeech()
        var events: [MemoMachine.Event] = []
        func take(_ utterances: [Utterance]) {
            for utterance in utterances { events += speech.take(result(utterance)) }
        }
        take(undecided.ended(utterance(0, "one", isFinal: true), identifier: 0))
        take(undecided.guessed(utterance(1, "noise", isFinal: false)))
        take(undecided.ended(utterance(1, "", isFinal: true), identifier: nil))
        take(undecided.guessed(utterance(2, "two", isFinal: false)))
        events = []
        take(undecided.decided(0, as: utterance(0, "One.", isFinal: true)))
        #expect(events == [.final("One."), .volatile("two")])
    }

    @Test(
        "Whatever results are skipped, every utterance waits at most once, is final once, and all are in the memo in order"
    )
    func random() {
        var random = SplitMix64(for: "heard speech")
        for _ in 0..<Tier.count(500, long: 20_000) { episode(&random) }
    }

    private func episode(_ random: inout SplitMix64) {
        var undecided = UndecidedUtterances(reportsVolatile: true, reportsSilence: Bool.random(using: &random))
        var (speech, machine) = (HeardSpeech(), MemoMachine())
        /// The results that the memo has not taken yet: finals, and the newest guess.
        var results: [Utterance] = []
        var texts: [String] = []
        var waiting: [Int] = []
        // Otherwise an utterance that is decided early shows the first pass's text until the earlier ones are decided.
        let isOrdered = Bool.random(using: &random)
        func send(_ utterances: [Utterance]) {
            for utterance in utterances {
                if let last = results.last, !last.isFinal { results.removeLast() }
                results.append(utterance)
            }
        }
        func take(_ count: Int) {
            for _ in 0..<min(count, results.count) {
                for event in speech.take(result(results.removeFirst())) { _ = machine.handle(event) }
            }
        }
        for _ in 0..<Int.random(in: 1...40, using: &random) {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: send(undecided.guessed(utterance(texts.count, "guess", isFinal: false)))
            case 1:
                let isNoise = Int.random(in: 0..<3, using: &random) == 0
                if !isNoise { waiting.append(texts.count) }
                let number = texts.count
                texts.append(isNoise ? "" : "u\(number)")
                send(
                    undecided.ended(
                        utterance(number, texts[number], isFinal: true), identifier: isNoise ? nil : UInt64(number)))
            case 2:
                guard let number = isOrdered ? waiting.first : waiting.randomElement(using: &random) else { break }
                waiting.removeAll { $0 == number }
                texts[number] = Int.random(in: 0..<4, using: &random) == 0 ? "" : "U\(number)."
                send(undecided.decided(UInt64(number), as: utterance(number, texts[number], isFinal: true)))
            default: take(Int.random(in: 0...3, using: &random))
            }
        }
        let isSettled = !isOrdered || Bool.random(using: &random)
        if isSettled { send(undecided.settleAll()) }
        take(results.count)
        #expect(machine.text.text == texts.filter { !$0.isEmpty }.joined(separator: " "))
        if isSettled { #expect(machine.text.waiting.isEmpty) }
    }
}
