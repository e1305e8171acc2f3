import CLinux
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Models
@testable import Speech

@Suite("A dictation transcriber")
struct DictationTranscriberTests {
    private static let scripted = SecondPassModel(path: "", library: "", program: SecondPassRig.script)
    private static let numbered = SecondPassModel(path: "numbered", library: "", program: SecondPassRig.script)
    private static let missing = SecondPassModel(path: "", library: "", program: "/nonexistent/utter")

    /// Runs a whole session, and returns its outcome and how many utterances became final with each pass's text.
    private func run(
        _ blocks: [[Int16]], _ secondPass: SecondPassModel, reports: Reports = Reports(), timeout: Duration? = nil,
        reportsVolatile: Bool = false, sharesWindows: Bool = false
    ) async throws -> (outcome: Outcome, counts: DictationCounts) {
        let transcriber = DictationTranscriber(
            model: ModelReference(path: Fixture.modelPath), secondPass: secondPass,
            reportingOptions: reportsVolatile ? [.volatileResults, .silences] : [.silences],
            attributeOptions: [.audioTimeRange],
            timeout: timeout, sharesWindows: sharesWindows, report: reports.add)
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        async let results = transcriber.results.all()
        let inputs = blocks.map { AnalyzerInput(samples: $0, sampleRate: 16_000) }
        _ = try await analyzer.analyzeSequence(Inputs(inputs, isLeisurely: reportsVolatile))
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        return (Outcome(results: try await results, ledger: await transcriber.ledger), await transcriber.counts)
    }

    /// The sentence that the scripted worker returns for these samples.
    private func sentence(of samples: ArraySlice<Int16>) -> String {
        // Adler-32, as in zlib.
        var (a, b): (UInt32, UInt32) = (1, 0)
        for sample in samples {
            for byte in [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)] {
                a = (a + UInt32(byte)) % 65_521
                b = (b + a) % 65_521
            }
        }
        let sum = String(b << 16 | a, radix: 16)
        return "Sentence \(String(repeating: "0", count: 8 - sum.count))\(sum), of \(samples.count) samples."
    }

    /// Checks that the finals cover the whole stream without gaps, and that the ledger counts each sample.
    private func expectWhole(_ outcome: Outcome, _ count: Int) {
        var end = AudioTime.zero
        for final in outcome.finals {
            #expect(final.range.lowerBound == end)
            end = final.range.upperBound
            var word = final.range.lowerBound
            for range in final.words.map(\.range) {
                #expect(
                    range.lowerBound >= word && range.upperBound <= final.range.upperBound,
                    "words are in order and inside")
                word = range.upperBound
            }
        }
        #expect(end == time(count))
        #expect(outcome.ledger.delivered == Int64(count) && outcome.ledger.pending == 0, "\(outcome.ledger)")
    }

    @Test("returns each utterance of the first pass once, in order, with its range and the second pass's text")
    func secondPass() async throws {
        let samples = try Fixture.named("memo").samples()
        let first = try await run(samples.cut(into: 3200), Self.missing).outcome
        let (outcome, counts) = try await run(samples.cut(into: 3200), Self.scripted)
        #expect(outcome.finals.map(\.range) == first.finals.map(\.range))
        #expect(outcome.ledger == first.ledger)
        #expect(!outcome.utterances.isEmpty && outcome.utterances.count == first.utterances.count)
        for utterance in outcome.utterances {
            let range = Int(utterance.range.lowerBound.sampleCount)..<Int(utterance.range.upperBound.sampleCount)
            #expect(String(utterance.text.characters) == sentence(of: samples[range]))
            #expect(utterance.pass == .second && utterance.words.count == 5)
        }
        // The worker got each sample of the utterances once.
        let numbers = outcome.text.split(separator: " ").compactMap { Int64($0) }
        #expect(numbers.reduce(0, +) == outcome.ledger.transcribed)
        #expect(counts.second == outcome.utterances.count && counts.first == 0)
        expectWhole(outcome, samples.count)
    }

    @Test("returns the first pass's text, word for word, if there is no second pass, and reports that")
    func firstPass() async throws {
        let samples = try Fixture.named("memo").samples()
        var options = Options()
        options.reportsSilence = true
        let first = try await options.run(samples)
        let reports = Reports()
        let (outcome, counts) = try await run(samples.cut(into: 3200), Self.missing, reports: reports)
        #expect(said(outcome) == said(first) && outcome.text == first.text)
        #expect(outcome.utterances.allSatisfy { $0.pass == .first })
        #expect(counts.first == outcome.utterances.count && counts.second == 0)
        #expect(reports.all.count == 1)
        expectWhole(outcome, samples.count)
    }

    @Test("begins to decode an utterance before it has ended, and still decodes each once: the text is that of a file")
    func ahead() async throws {
        let samples = try Fixture.named("memo").samples()
        let file = try await run([samples], Self.scripted).outcome
        let live = try await run(samples.cut(into: 800), Self.scripted, timeout: .seconds(600), reportsVolatile: true)
            .outcome
        #expect(live.text == file.text && said(live) == said(file) && live.utterances.count > 3)
        expectWhole(live, samples.count)
        // Each sentence has the number of earlier requests to the worker.
        let counted = try await run(
            samples.cut(into: 800), Self.numbered, timeout: .seconds(600), reportsVolatile: true
        ).outcome
        let asked = counted.utterances.map { String(String($0.text.characters).prefix { $0 != "," }) }
        #expect(asked == counted.utterances.indices.map { "Sentence \($0 + 1)" })
    }

    @Test("accepts a first pass with another sample rate, and converts the samples for the second")
    func rate() async throws {
        let silence = [Int16](repeating: 0, count: 8_000)
        let samples = silence.prefix(800) + FakeEngine.speech([3_000, 4_000], wordLength: 8_000) + silence
        let transcriber = DictationTranscriber(
            setup: TranscriptionWorker.Setup(
                loadEngine: { FakeEngine(sampleRate: 8_000) },
                settings: RecognitionPipeline.Settings(keepsSamples: true),
                secondPass: SecondPassUse(model: Self.numbered, timeout: .seconds(600))))
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        async let results = transcriber.results.all()
        _ = try await analyzer.analyzeSequence(Inputs([AnalyzerInput(samples: Array(samples), sampleRate: 8_000)]))
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        let final = try #require(try await results.first)
        #expect(final.range == AudioTime.zero..<AudioTime(sampleCount: 18_400, sampleRate: 8_000))
        #expect(String(final.text.characters) == "Sentence 1, of 36800 samples." && final.pass == .second)
    }

    @Test("shows undecided utterances as one guess, and has the same final text however the input is cut")
    func volatile() async throws {
        var generator = SplitMix64(for: "dictation-cuts")
        let samples = try Fixture.named("memo").samples()
        let expected = try await run([samples], Self.scripted).outcome
        for _ in 0..<Tier.count(2, long: 40, "UTTER_DICTATION_CUTS") {
            let (outcome, _) = try await run(
                samples.cut(upTo: 20_000, using: &generator), Self.scripted, reportsVolatile: true)
            #expect(outcome.text == expected.text && said(outcome) == said(expected))
            expectWhole(outcome, samples.count)
            var finalized = AudioTime.zero
            var transcript = Transcript()
            for result in outcome.results {
                transcript.apply(result)
                #expect(result.range.lowerBound >= finalized, "what is final is not guessed at any more")
                if result.isFinal { finalized = result.range.upperBound }
            }
            #expect(String(transcript.finalized.characters) == expected.text && transcript.volatile.characters.isEmpty)
            #expect(outcome.results.contains { !$0.isFinal })
        }
    }

    @Test("marks the part of a guess that waits for the second pass, and hears further speech while a finalize waits")
    func waiting() async throws {
        let transcriber = DictationTranscriber(
            model: ModelReference(path: Fixture.modelPath), secondPass: Self.scripted,
            reportingOptions: [.volatileResults],
            timeout: .seconds(900))
        // The other module, without a second pass, has nothing undecided after a finalize.
        let analyzer = SpeechAnalyzer(modules: [
            transcriber, SpeechTranscriber(model: ModelReference(path: Fixture.modelPath)),
        ])
        let isHeld = Atomic(false)
        await analyzer.setVolatileRangeChangedHandler { range, _, _ in
            #expect(range != nil || !isHeld.load(ordering: .relaxed), "an utterance waits")
        }
        let (inputs, sending) = AsyncStream.makeStream(of: AnalyzerInput.self)
        func say(_ fixture: String) throws {
            for block in try Fixture.named(fixture).samples().cut(into: 3200) {
                sending.yield(AnalyzerInput(samples: block, sampleRate: 16_000))
            }
        }
        try await analyzer.start(inputSequence: inputs)
        try await analyzer.prepareToAnalyze()
        let worker = try await SecondPassRig.worker()
        kill(worker, SIGSTOP)
        try say("weekdays-awb")
        var results = transcriber.results.makeAsyncIterator()
        func next(_ isSo: (SpeechTranscriber.Result) -> Bool) async throws -> SpeechTranscriber.Result {
            while let result = try await results.next() { if isSo(result) { return result } }
            throw CancellationError()
        }
        // By then the utterance is long enough for the script's sentence about it.
        let guess = try await next { String($0.text.characters).contains("friday") }
        #expect(
            !guess.isFinal && guess.waiting.isEmpty && guess.guess?.text == guess.text
                && guess.guess?.range == guess.range)
        isHeld.store(true, ordering: .relaxed)
        async let finalized: Void = analyzer.finalize()
        let ended = try await next { !$0.waiting.isEmpty }
        #expect(
            !ended.isFinal && ended.guess == nil && ended.waiting.map(\.range) == [ended.range]
                && ended.waiting[0].text == ended.text)
        try say("digits-slt")
        let both = try await next { !$0.waiting.isEmpty && $0.guess != nil }
        #expect(both.waiting == ended.waiting && both.range.lowerBound == ended.range.lowerBound)
        #expect(
            both.guess!.range.lowerBound == ended.range.upperBound
                && both.guess!.range.upperBound == both.range.upperBound)
        #expect(both.text == both.waiting[0].text + AttributedString(" ") + both.guess!.text)
        isHeld.store(false, ordering: .relaxed)
        kill(worker, SIGCONT)
        try await finalized
        let final = try await next(\.isFinal)
        #expect(final.range == ended.range && final.waiting.isEmpty && final.guess == nil)
        #expect(final.pass == .second, "\(final.text)")
        await analyzer.cancelAndFinishNow()
        try await Patience.wait(for: "the worker's end") { SecondPassRig.children.isEmpty }
    }

    @Test(
        "stops waiting for the second pass on request: waiting and later utterances become final with the first pass's text"
    )
    func endSecondPass() async throws {
        let transcriber = DictationTranscriber(
            model: ModelReference(path: Fixture.modelPath), secondPass: Self.scripted,
            reportingOptions: [.volatileResults],
            timeout: .seconds(900))
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        try await analyzer.prepareToAnalyze()
        kill(try await SecondPassRig.worker(), SIGSTOP)
        async let results = transcriber.results.all()
        let samples = try Fixture.named("weekdays-awb").samples()
        _ = try await analyzer.analyzeSequence(Inputs([AnalyzerInput(samples: samples, sampleRate: 16_000)]))
        async let finished: Void = analyzer.finalizeAndFinishThroughEndOfInput()
        // The utterance may already wait, or end later.
        await transcriber.endSecondPass()
        try await finished
        #expect(await transcriber.counts.first == 1)
        let outcome = Outcome(results: try await results, ledger: await transcriber.ledger)
        #expect(outcome.text == "monday wednesday friday sunday" && outcome.utterances.allSatisfy { $0.pass == .first })
        try await Patience.wait(for: "the worker's end") { SecondPassRig.children.isEmpty }
    }

    @Test(
        "makes nothing final with the second pass's text after that was ended, in a file and before the first sound too",
        arguments: [true, false])
    func endedBefore(isFile: Bool) async throws {
        let transcriber = DictationTranscriber(
            model: ModelReference(path: Fixture.modelPath), secondPass: Self.scripted,
            timeout: isFile ? nil : .seconds(900))
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        async let results = transcriber.results.all()
        if !isFile { await transcriber.endSecondPass() }
        let samples = try Fixture.named("weekdays-awb").samples() + [Int16](repeating: 0, count: 32_000)
        for round in 0..<2 {
            _ = try await analyzer.analyzeSequence(Inputs([AnalyzerInput(samples: samples, sampleRate: 16_000)]))
            try await analyzer.finalize()
            if isFile, round == 0 { await transcriber.endSecondPass() }
        }
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        let passes = Outcome(results: try await results, ledger: await transcriber.ledger).utterances.map(\.pass)
        #expect(passes == (isFile ? [.second, .first] : [.first, .first]))
        try await Patience.wait(for: "the worker's end") { SecondPassRig.children.isEmpty }
    }

    @Test("refuses a vocabulary after it was prepared, as often as it is set")
    func lateVocabulary() async throws {
        let transcriber = DictationTranscriber(
            model: ModelReference(path: Fixture.modelPath), secondPass: Self.scripted)
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        try await analyzer.prepareToAnalyze(warmingUp: false)
        for _ in 0..<2 {
            await #expect(throws: SpeechError.self) {
                try await analyzer.setContext(AnalysisContext(contextualStrings: [.general: ["Ada"]]))
            }
        }
        await analyzer.cancelAndFinishNow()
    }

    @Test("counts utterances while they become final")
    func counts() async throws {
        let transcriber = DictationTranscriber(
            model: ModelReference(path: Fixture.modelPath), secondPass: Self.scripted,
            timeout: .seconds(900))
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        let samples = try Fixture.named("weekdays-awb").samples()
        _ = try await analyzer.analyzeSequence(Inputs([AnalyzerInput(samples: samples, sampleRate: 16_000)]))
        try await analyzer.finalize()
        #expect(await transcriber.counts.second == 1)
        await analyzer.cancelAndFinishNow()
    }

    @Test("ends its worker when it is cancelled")
    func cancel() async throws {
        let samples = try Fixture.named("memo").samples()
        let transcriber = DictationTranscriber(
            model: ModelReference(path: Fixture.modelPath), secondPass: Self.scripted)
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        _ = try await analyzer.analyzeSequence(
            Inputs(samples.cut(into: 3200).map { AnalyzerInput(samples: $0, sampleRate: 16_000) }))
        #expect(SecondPassRig.children.count == 1)
        let worker = pidfd_open(SecondPassRig.children[0], 0)
        defer { close(worker) }
        await analyzer.cancelAndFinishNow()
        try await onThread {
            var wait = pollfd(fd: worker, events: Int16(POLLIN), revents: 0)
            #expect(poll(&wait, 1, 60_000) == 1, "it has ended")
        }
    }

    @Test(
        "decodes several utterances at once, with the ranges that they have alone, and the same however the input is cut",
        .secondPass, .long)
    func sharedWindows() async throws {
        let setup = try #require(SecondPassRig.setup)
        let model = SecondPassModel(path: setup.model, library: setup.library, program: SecondPassRig.program)
        let pause = [Int16](repeating: 0, count: 16_000)
        let samples = try ["weekdays-awb", "commands-slt", "date-slt"].flatMap {
            try Fixture.named($0).samples() + pause
        }
        let first = try await run([samples], Self.missing).outcome
        let (outcome, counts) = try await run([samples], model, sharesWindows: true)
        #expect(
            outcome.finals.map(\.range) == first.finals.map(\.range)
                && outcome.utterances.count == first.utterances.count)
        #expect(
            outcome.utterances.first.map { String($0.text.characters).hasPrefix("Monday, Wednesday, Friday, Sunday") }
                == true)
        #expect(counts.second == outcome.utterances.count)
        expectWhole(outcome, samples.count)
        var generator = SplitMix64(for: "cuts of shared windows")
        for _ in 0..<Tier.count(1, long: 20, "UTTER_DICTATION_CUTS") {
            let again = try await run(samples.cut(upTo: 20_000, using: &generator), model, sharesWindows: true).outcome
            #expect(again.text == outcome.text && said(again) == said(outcome))
        }
    }

    @Test("recognizes real speech with capitals and punctuation", .secondPass)
    func real() async throws {
        let setup = try #require(SecondPassRig.setup)
        let model = SecondPassModel(path: setup.model, library: setup.library, program: SecondPassRig.program)
        let samples = try Fixture.named("weekdays-awb").samples()
        let (outcome, counts) = try await run([samples], model)
        #expect(outcome.text.hasPrefix("Monday, Wednesday, Friday, Sunday"), "\(outcome.text)")
        #expect(counts.second == 1)
        expectWhole(outcome, samples.count)
    }
}

@Suite("Undecided utterances")
struct UndecidedUtterancesTests {
    @Test("become final once, in order, and are shown as one guess until then, in whatever order they are decided")
    func random() {
        var generator = SplitMix64(for: "undecided")
        for _ in 0..<Tier.count(1_000, long: 50_000) { episode(&generator) }
    }

    private func utterance(_ number: Int, isFinal: Bool, text: String? = nil) -> Utterance {
        let text = text ?? "u\(number)"
        return Utterance(
            range: Int64(number * 100)..<Int64(number * 100 + 100),
            alternatives: [Hypothesis.Alternative(text: text, words: [], confidence: nil)], isFinal: isFinal)
    }

    private func episode(_ generator: inout SplitMix64) {
        var undecided = UndecidedUtterances(reportsVolatile: true, reportsSilence: true)
        var finals: [String] = []
        var volatile = ""
        var waiting: [Int] = []
        var count = 0
        func take(_ utterances: [Utterance]) {
            for utterance in utterances {
                if utterance.isFinal { finals.append(utterance.text) }
                volatile = utterance.isFinal ? "" : utterance.text
            }
        }
        for _ in 0..<Int.random(in: 1...30, using: &generator) {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: take(undecided.guessed(utterance(count, isFinal: false, text: "guess")))
            case 1:
                let needsSecond = Bool.random(using: &generator)
                if needsSecond { waiting.append(count) }
                take(undecided.ended(utterance(count, isFinal: true), identifier: needsSecond ? UInt64(count) : nil))
                count += 1
            default:
                guard let number = waiting.randomElement(using: &generator) else { break }
                waiting.removeAll { $0 == number }
                take(undecided.decided(UInt64(number), as: utterance(number, isFinal: true)))
                take(undecided.decided(UInt64(number), as: utterance(number, isFinal: true)))
            }
            #expect(undecided.waitingCount == waiting.count)
            #expect(finals == (0..<(waiting.min() ?? count)).map { "u\($0)" }, "all before the first that waits")
            let shown = volatile.split(separator: " ").filter { $0 != "guess" }
            #expect(shown.map(String.init) == (finals.count..<count).map { "u\($0)" }, "what waits is shown")
        }
        take(undecided.settleAll())
        #expect(finals == (0..<count).map { "u\($0)" } && undecided.waitingCount == 0)
    }
}
