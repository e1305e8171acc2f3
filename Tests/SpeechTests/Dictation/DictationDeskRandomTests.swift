import TestSupport
import Testing

@testable import Speech

@Suite("The desk of a dictation, at random")
struct DictationDeskRandomTests {
    /// How often answers are other than the script's.
    private struct Trouble {
        /// Of so many answers one is a failure; 0 for none.
        var failures = 0
        /// Of so many answers one is doubtful; 0 for none.
        var doubts = 0
        var finishes = true
        var settles = false
    }

    private static let failures: [DecodingOutcome.Failure] = [
        .stopped, .refused(.decoding), .refused(.memory), .cancelled,
        .unavailable(WorkerFailure(kind: .model, sentence: "it does not work")),
    ]

    private static func settings(_ generator: inout SplitMix64) -> DictationDesk.Settings {
        var settings = DictationDesk.Settings()
        if Int.random(in: 0..<4, using: &generator) > 0 {
            let guesses = [DictationTranscriber.Guesses.none, .atPauses, .rolling].randomElement(using: &generator)!
            let pause = [nil, 0.3, 0.7, 2.5].randomElement(using: &generator)!
            settings = .live(guesses, finalizesFrequently: .random(using: &generator), closingPause: pause)
        }
        settings.share = [0.05, 0.3, 1].randomElement(using: &generator)!
        return settings
    }

    /// A number that depends on a range and a seed only, whenever the range is decoded.
    private static func chance(_ range: Range<Int64>, _ seed: UInt64, of count: Int) -> Bool {
        if count == 0 { return false }
        var generator = SplitMix64(seed: seed ^ UInt64(range.lowerBound) &* 31 ^ UInt64(range.upperBound) &* 1_000_003)
        return Int.random(in: 0..<count, using: &generator) == 0
    }

    /// Hears a random script with random delays to its end.
    ///
    /// - Parameters:
    ///   - chances: the seed of what the answers are; the delays are from `generator`.
    ///   - stops: the frames after which it is finished.
    private func run(
        _ script: SpeechScript, _ settings: DictationDesk.Settings, _ times: SpeechScript.Times, _ trouble: Trouble,
        chances: UInt64, stops: [Int], _ generator: inout SplitMix64
    ) -> DeskRun {
        var run = DeskRun(script, settings)
        run.pace = .milliseconds([1, 32].randomElement(using: &generator)!)
        let slowest = [1, 100, 1_000, 20_000].randomElement(using: &generator)!
        let delays = generator.next()
        run.delay = { request in
            var generator = SplitMix64(
                seed: delays ^ UInt64(request.range.upperBound) ^ UInt64(request.priority.rawValue))
            return .milliseconds(Int.random(in: 0...slowest, using: &generator))
        }
        // Between two words or in the middle of one; the same whenever it is asked for.
        run.desk.quietest = { range in
            var generator = SplitMix64(
                seed: chances ^ UInt64(range.lowerBound) &* 31 ^ UInt64(range.upperBound) &* 1_000_003)
            return Int64.random(in: range, using: &generator)
        }
        run.answer = { script, request in
            if Self.chance(request.range, chances, of: trouble.failures) {
                return .failed(Self.failures[Int(chances % UInt64(Self.failures.count))])
            }
            if Self.chance(request.range, chances + 1, of: trouble.doubts) { return .failed(.refused(.repetition)) }
            let error: Int64 = request.range.upperBound % 3 * 80 - 80
            var text = script.decoded(request.sound, times, error: error)
            // In a guess, the model takes the part of a word for another one.
            if request.priority == .guess,
                let last = script.words.last(where: { request.range.contains($0.middle) }),
                last.range.upperBound > request.range.upperBound + 1_600
            {
                text.text = text.text.replacing(last.text, with: "Then.")
                for index in text.words.indices where text.words[index].text == last.text {
                    text.words[index].text = "Then."
                }
                if let index = text.segments.indices.last {
                    text.segments[index].text = text.segments[index].text.replacing(last.text, with: "Then.")
                }
            }
            // Half of the engines guess in a hurry.
            text.isRough = request.priority.isGuess && chances % 2 == 0
            return .text(text)
        }
        let settles = trouble.settles ? Set(stops.map { $0 / 2 }) : []
        while !run.isAtEnd {
            run.hearFrame()
            if stops.contains(run.frame), trouble.finishes { run.finish() }
            if settles.contains(run.frame) { run.settle() }
            if Int.random(in: 0..<50, using: &generator) == 0 {
                run.answerWithdrawn(
                    [.failed(.cancelled), .text(DecodedText(text: "late"))].randomElement(using: &generator)!)
            }
        }
        run.finish()
        run.answerAll()
        return run
    }

    /// Runs episodes, and checks the words that become final with `expect`.
    private func episodes(
        _ name: String, _ times: [SpeechScript.Times], _ trouble: Trouble, live: Bool = true,
        expect: (DeskRun, _ said: [String]) -> Void
    ) {
        var generator = SplitMix64(for: name)
        for _ in 0..<Tier.count(40, long: 200) {
            let times = times.randomElement(using: &generator)!
            let script = SpeechScript.random(
                .random(in: 1...120, using: &generator), sentencesEndAtPauses: times != .ofWords, using: &generator)
            let settings = live ? Self.settings(&generator) : .file(hasLanguages: .random(using: &generator))
            // Between two words, so that it does not matter in which part a word is.
            let gaps = zip(script.words, script.words.dropFirst()).map { ($0.frames.upperBound, $1.frames.lowerBound) }
            let stops = (0..<2).compactMap { _ in gaps.randomElement(using: &generator) }.map {
                Int.random(in: $0.0...$0.1, using: &generator)
            }
            let run = run(script, settings, times, trouble, chances: generator.next(), stops: stops, &generator)
            run.expectComplete()
            expect(run, script.words.map(\.text))
        }
    }

    /// Whether words are among others, in their order.
    private func isPart(_ words: [String], of others: [String]) -> Bool {
        var rest = others[...]
        for word in words {
            guard let index = rest.firstIndex(of: word) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }

    @Test("Every word is final once, in order, whatever is decoded when")
    func words() {
        episodes("desk-words", [.ofWords, .ofSentences], Trouble()) { run, said in
            #expect(run.finals.flatMap(\.words) == said)
            #expect(run.finals.allSatisfy { $0.failure == nil })
        }
        episodes("desk-words-of-files", SpeechScript.Times.allCases, Trouble(), live: false) { run, said in
            #expect(run.finals.flatMap(\.words) == said)
        }
    }

    @Test("With failures, all speech is final or lost, and no word is final twice")
    func failures() {
        episodes("desk-failures", [.ofWords, .ofSentences], Trouble(failures: 4)) { run, said in
            #expect(isPart(run.finals.flatMap(\.words), of: said))
            let decided = run.finals.filter { $0.failure == nil }.map(\.range)
            let whole = run.script.words.filter { word in decided.contains { $0.contains(word.middle) } }
            #expect(
                isPart(whole.map(\.text), of: run.finals.flatMap(\.words)), "a range that is not lost has all its words"
            )
        }
    }

    @Test("With doubtful texts, all speech is final, and no word twice")
    func doubts() {
        episodes("desk-doubts", [.ofWords, .ofSentences], Trouble(failures: 12, doubts: 3)) { run, said in
            #expect(isPart(run.finals.flatMap(\.words), of: said))
        }
    }

    @Test("When it is settled in the middle, all speech is final, and no word twice")
    func settling() {
        var generator = SplitMix64(for: "desk-settling")
        for _ in 0..<Tier.count(40, long: 200) {
            let script = SpeechScript.random(80, sentencesEndAtPauses: true, using: &generator)
            let stops = (0..<3).map { _ in Int.random(in: 1..<2 * script.frameCount, using: &generator) }
            let run = run(
                script, Self.settings(&generator), .ofWords, Trouble(failures: 8, doubts: 8, settles: true),
                chances: generator.next(), stops: stops, &generator)
            run.expectComplete()
            let words = run.finals.flatMap(\.words).filter { $0 != "Then." }
            #expect(Set(words).count == words.count)
        }
    }

    @Test(
        "The finals of a file, and of speech of which nobody waits for each sentence, do not depend on the delays and the order of the answers",
        arguments: [nil] + DictationTranscriber.Guesses.allCases)
    func sameness(guesses: DictationTranscriber.Guesses?) {
        var generator = SplitMix64(for: "desk-sameness")
        for _ in 0..<Tier.count(20, long: 100) {
            let script = SpeechScript.random(
                .random(in: 1...150, using: &generator), sentencesEndAtPauses: true, using: &generator)
            let times = SpeechScript.Times.allCases.randomElement(using: &generator)!
            let stops = (0..<2).map { _ in Int.random(in: 1...script.frameCount, using: &generator) }
            let chances = generator.next()
            // Speech that can't be decoded keeps its guess.
            let trouble = Trouble(failures: guesses == nil ? 6 : 0, doubts: 3)
            let hasLanguages = Bool.random(using: &generator)
            let settings =
                guesses.map { DictationDesk.Settings.live($0, finalizesFrequently: false, hasLanguages: hasLanguages) }
                ?? .file(hasLanguages: hasLanguages)
            let runs = (0..<3).map { _ in
                run(script, settings, times, trouble, chances: chances, stops: stops, &generator)
            }
            for other in runs.dropFirst() {
                let difference = zip(other.finals, runs[0].finals).first { $0 != $1 }
                #expect(difference == nil && other.finals.count == runs[0].finals.count)
            }
            runs[0].expectComplete()
        }
    }
}
