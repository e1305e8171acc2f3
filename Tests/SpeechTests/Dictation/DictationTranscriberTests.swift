import Foundation
import Glibc
import TestSupport
import Testing

@testable import Models
@testable import Speech

@Suite("A dictation transcriber")
struct DictationTranscriberTests {
    /// A pause that divides a recording, in seconds.
    private static let closingPause = 5

    /// Recordings, each with a pause behind it, in seconds.
    private func samples(_ names: [String], pause: Int = closingPause) throws -> [Int16] {
        let pause = (0..<pause).flatMap { _ in DictationRig.silence }
        return try names.flatMap { try Fixture.named($0).samples() + pause }
    }

    // MARK: With the real model

    @Test("Recordings have their text, with capitals and punctuation, and each sample is accounted for", .secondPass)
    func real() async throws {
        let model = try #require(DictationRig.real)
        let samples = try samples(["weekdays-awb", "commands-slt", "date-slt"])
        let session = try await DictationRig(model: model).run([samples])
        let text = session.outcome.text
        #expect(text.hasPrefix("Monday, Wednesday, Friday, Sunday"), "\(text)")
        #expect(text.contains("1965") && text.lowercased().contains("repeat"), "\(text)")
        #expect(session.code == nil && session.counts.lost == 0)
        DictationRig.expectWhole(session, samples.count)
        #expect(session.outcome.utterances.allSatisfy { $0.pass == .second })
        #expect(session.counts.decided >= 3 && session.outcome.words.count > 8)
    }

    @Test("The text and its times are the same whatever the pieces and however many workers there are", .secondPass)
    func sameness() async throws {
        let model = try #require(DictationRig.real)
        var generator = SplitMix64(for: "dictation-cuts")
        let samples = try samples(["weekdays-awb", "date-slt", "digits-awb"])
        for isLive in [false, true] {
            let expected = try await DictationRig(model: model, isLive: isLive, width: 2).run([samples])
            #expect(expected.outcome.words.count > 6)
            for round in 0..<Tier.count(1, long: 2, "UTTER_DICTATION_CUTS") {
                let rig = DictationRig(model: model, isLive: isLive, width: 1 + round % 2)
                let session = try await rig.run(samples.cut(upTo: 20_000, using: &generator))
                #expect(said(session.outcome) == said(expected.outcome))
                #expect(session.outcome.finals.map(\.range) == expected.outcome.finals.map(\.range))
                DictationRig.expectWhole(session, samples.count)
            }
        }
    }

    @Test("Each guess is replaced by a final one, and the text is complete", .secondPass, arguments: [true, false])
    func guesses(guessesBesides: Bool) async throws {
        let model = try #require(DictationRig.real)
        let samples = try samples(["weekdays-awb", "commands-slt", "date-slt"], pause: 2)
        var rig = DictationRig(model: model, isLive: true, guesses: .rolling)
        rig.reporting = [.volatileResults, .silences]
        if guessesBesides { rig.guessing = ModelReference(path: Fixture.modelPath) }
        let session = try await rig.run(samples.cut(into: 1_600))
        DictationRig.expectWhole(session, samples.count)
        DictationRig.expectReplaced(session)
        let text = session.outcome.text
        for word in ["Monday", "Sunday", "stop", "1965"] {
            #expect(text.lowercased().contains(word.lowercased()), "\(text)")
        }
        if guessesBesides { #expect(session.outcome.results.contains { !$0.isFinal }) }
        var transcript = Transcript()
        for result in session.outcome.results { transcript.apply(result) }
        #expect(String(transcript.finalized.characters) == text && transcript.volatile.characters.isEmpty)
    }

    @Test("A finish in the middle of speech keeps the last word", .secondPass, arguments: [true, false])
    func lastWord(isLive: Bool) async throws {
        let model = try #require(DictationRig.real)
        let all = try Fixture.named("weekdays-awb").samples()
        var segmenter = SpeechSegmenter(weights: try SileroNetworkTests.weights.get())
        all.withUnsafeBufferPointer { segmenter.hear($0) }
        segmenter.finish()
        let samples = Array(all[..<Int(try #require(segmenter.ranges.last).upperBound)])
        let session = try await DictationRig(model: model, isLive: isLive).run(samples.cut(into: 1_600))
        #expect(session.outcome.text.contains("Sunday"), "\(session.outcome.text)")
        DictationRig.expectWhole(session, samples.count)
    }

    @Test("Without punctuation there is none, and the words are the same", .secondPass)
    func punctuation() async throws {
        let model = try #require(DictationRig.real)
        let samples = try Fixture.named("weekdays-awb").samples()
        let session = try await DictationRig(model: model, punctuates: false).run([samples])
        #expect(session.outcome.text.lowercased() == "monday wednesday friday sunday")
        DictationRig.expectWhole(session, samples.count)
    }

    @Test("A stream with gaps has its words at their places, and no sample is counted twice", .secondPass)
    func gaps() async throws {
        let model = try #require(DictationRig.real)
        let samples = try samples(["weekdays-awb"], pause: 1)
        for gap in [800, 16_000, 48_000, 160_000] {
            var inputs: [AnalyzerInput] = []
            var position = 0
            for block in (samples + samples).cut(into: samples.count) {
                inputs.append(
                    AnalyzerInput(buffer: .init(samples: block, sampleRate: 16_000), bufferStartTime: time(position)))
                position += block.count + gap
            }
            let session = try await DictationRig(model: model).run(inputs)
            DictationRig.expectWhole(session, 2 * samples.count, missing: gap)
            let sundays = session.outcome.words.filter { $0.text.contains("Sunday") }
            #expect(sundays.count == 2, "\(session.outcome.text)")
            guard let first = sundays.first, let last = sundays.last else { continue }
            let distance = last.range.lowerBound.sampleCount - first.range.lowerBound.sampleCount
            #expect(abs(distance - Int64(samples.count + gap)) < 8_000, "\(distance)")
        }
    }

    // MARK: With scripted workers

    @Test("A session without speech, or without a sample, loads, has no text, and finishes", .needs("python3"))
    func silent() async throws {
        try await DictationRig.scripted { model in
            for count in [0, 1, 511, 40_000] {
                for isLive in [true, false] {
                    let rig = DictationRig(model: model, isLive: isLive)
                    let session = try await rig.run(count == 0 ? [] : [[Int16](repeating: 0, count: count)])
                    #expect(session.outcome.text.isEmpty && session.code == nil)
                    #expect(session.outcome.ledger.silent == Int64(count))
                    DictationRig.expectWhole(session, count)
                }
            }
        }
    }

    @Test("What kills every worker is lost, the finish says so, and all other text is there", .needs("python3"))
    func lost() async throws {
        var samples = try samples(["weekdays-awb", "digits-slt", "date-slt"])
        let middle = try Fixture.named("weekdays-awb").samples().count + Self.closingPause * 16_000 + 20_000
        samples[middle] = 30_000
        try await DictationRig.scripted { [samples] model in
            let session = try await DictationRig(model: model, width: 2).run(samples.cut(into: 3_200))
            #expect(session.code == .moduleOutputFailed)
            #expect(session.counts.lost == 1 && session.counts.decided == 2 && session.outcome.utterances.count == 2)
            DictationRig.expectWhole(session, samples.count)
        }
    }

    @Test(
        "Speech for which the engine gives nonsense only has no text, and the counts say how much and from when",
        .needs("python3"))
    func nonsense() async throws {
        let samples = try samples(["weekdays-awb", "digits-slt"])
        try await DictationRig.scripted(#"result(i, "you and you and " * 200)"#) { [samples] model in
            let session = try await DictationRig(model: model).run([samples])
            #expect(session.code == nil && session.outcome.text.isEmpty)
            #expect(session.counts.decided == 0 && session.counts.lost == 0)
            #expect(session.counts.nonsense > 2 && session.counts.nonsense < Double(samples.count) / 16_000)
            #expect(session.counts.firstNonsense.map { $0 < 2 } == true)
            DictationRig.expectWhole(session, samples.count)
        }
    }

    @Test("Speech whose text was not waited for is not said to be undecodable")
    func unawaited() {
        func loss(_ failures: DecodingOutcome.Failure...) -> String? {
            var counts = DictationCounts()
            for (number, failure) in failures.enumerated() { counts.noteLoss(at: "0:0\(number)", failure) }
            return counts.loss
        }
        let stopped = "the model's process has stopped each time"
        #expect(loss() == nil)
        #expect(loss(.cancelled) == "the text of speech at 0:00 was not waited for")
        #expect(
            loss(.cancelled, .cancelled)
                == "the text of 2 stretches of speech was not waited for, the first at 0:00")
        #expect(loss(.stopped) == "a stretch of speech could not be decoded: at 0:00, \(stopped)")
        #expect(
            loss(.cancelled, .stopped, .stopped)
                == "2 stretches of speech could not be decoded; the first: at 0:01, \(stopped); "
                + "the text of speech at 0:00 was not waited for")
    }

    @Test("Without a worker all speech is lost, and the finish says so")
    func noWorker() async throws {
        let samples = try samples(["weekdays-awb", "digits-slt"])
        let model = SecondPassModel(path: "", library: "", program: "/nonexistent/utter")
        for isLive in [true, false] {
            let session = try await DictationRig(model: model, isLive: isLive).run([samples])
            #expect(session.code == .moduleOutputFailed && session.outcome.text.isEmpty && session.counts.lost == 2)
            DictationRig.expectWhole(session, samples.count)
        }
    }

    @Test("A sentence that the model places after the end of the sound has its text, and no sample", .needs("python3"))
    func afterEnd() async throws {
        let answer = """
            result(i, "Hi. So. Go.", [("Hi.", 0, 500), ("So.", 10**6, 10**6), ("Go.", 10**6, 10**7)])
            """
        try await DictationRig.scripted(answer) { model in
            let samples = try Array(Fixture.named("weekdays-awb").samples().prefix(24_000))
            for count in [24_000, 23_999, 20_000] {
                let session = try await DictationRig(model: model).run([Array(samples.prefix(count))])
                #expect(session.outcome.text == "Hi. So. Go.")
                DictationRig.expectWhole(session, count)
            }
        }
    }

    /// An answer of a worker that says for which phrases it was started.
    private static let heard =
        #"result(i, "What is heard here was said of " + " and ".join(vocabulary) + " on that day.")"#

    private static func context(_ phrases: String...) -> AnalysisContext {
        AnalysisContext(contextualStrings: [.general: phrases])
    }

    @Test(
        "A vocabulary is taken until the first sound, whatever was prepared, and refused after, as often as it is set",
        .needs("python3"))
    func vocabulary() async throws {
        let samples = try Fixture.named("weekdays-awb").samples()
        try await DictationRig.scripted(Self.heard) { model in
            for preparation in 0..<4 {
                let transcriber = DictationRig(model: model).transcriber()
                let analyzer = SpeechAnalyzer(modules: [transcriber])
                let feed = Feed()
                if preparation > 0 { try await analyzer.setContext(Self.context("Ada")) }
                switch preparation {
                case 1: try await analyzer.prepareToAnalyze(warmingUp: true)
                case 2: try await analyzer.prepareToAnalyze(warmingUp: false)
                case 3:
                    try await analyzer.start(inputSequence: feed.sequence)
                    try await Patience.wait(for: "a worker") {
                        SecondPassRig.children.contains { SecondPassRig.arguments(of: $0).contains(model.path) }
                    }
                default: break
                }
                try await analyzer.setContext(Self.context("Grace", "Joan"))
                if preparation != 3 { try await analyzer.start(inputSequence: feed.sequence) }
                feed.give(samples)
                try await analyzer.finalize(through: time(samples.count))
                try await analyzer.setContext(Self.context("Grace", "Joan"))
                for _ in 0..<2 {
                    #expect(
                        await code { try await analyzer.setContext(Self.context("Ada")) } == .vocabularyNotSupported)
                }
                feed.end()
                try await analyzer.finalizeAndFinishThroughEndOfInput()
                let text = Outcome(results: try await transcriber.results.all()).text
                #expect(text.contains("of Grace and Joan on") && !text.contains("Ada"), "\(preparation): \(text)")
            }
        }
    }

    @Test("A vocabulary that is set while the model loads is that of the first sound", .needs("python3"))
    func vocabularyWhileLoading() async throws {
        let samples = try Fixture.named("weekdays-awb").samples()
        try await DictationRig.scripted(Self.heard) { model in
            for _ in 0..<20 {
                let transcriber = DictationRig(model: model).transcriber()
                let analyzer = SpeechAnalyzer(modules: [transcriber])
                try await analyzer.setContext(Self.context("Ada"))
                async let prepared: Void = analyzer.prepareToAnalyze()
                try await analyzer.setContext(Self.context("Grace"))
                try await prepared
                _ = try await analyzer.analyzeSequence(Inputs([samples]))
                #expect(await analyzer.finishCode() == nil)
                let text = Outcome(results: try await transcriber.results.all()).text
                #expect(text.contains("of Grace on") && !text.contains("Ada"), "\(text)")
            }
        }
    }

    /// Starts a session whose worker does not answer any more, gives it speech, and calls `body`.
    private func stopped(
        isLive: Bool, _ body: (DictationTranscriber, SpeechAnalyzer) async throws -> Void
    ) async throws {
        try await DictationRig.scripted { model in
            var rig = DictationRig(model: model, isLive: isLive)
            rig.width = 1
            let transcriber = rig.transcriber()
            let analyzer = SpeechAnalyzer(modules: [transcriber])
            try await analyzer.prepareToAnalyze()
            // The worker of an earlier test may still be ending.
            let worker = try #require(
                SecondPassRig.children.first { SecondPassRig.arguments(of: $0).contains(model.path) })
            kill(worker, SIGSTOP)
            try await body(transcriber, analyzer)
            try await Patience.wait(for: "the worker's end") { !SecondPassRig.children.contains(worker) }
        }
    }

    @Test(
        "A cancel ends a finish that waits for a worker, and the worker", .needs("python3"), arguments: [true, false])
    func cancelledFinish(isLive: Bool) async throws {
        let samples = try Fixture.named("weekdays-awb").samples()
        try await stopped(isLive: isLive) { transcriber, analyzer in
            _ = try await analyzer.analyzeSequence(Inputs([samples]))
            async let finished = analyzer.finishCode()
            // The finish has closed the stretch and waits.
            try await Patience.wait(for: "the finish") { await transcriber.worker.waitingCount == 1 }
            await analyzer.cancelAndFinishNow()
            _ = await finished
        }
    }

    @Test("A cancel ends the reading of a file that waits for a worker", .needs("python3"))
    func cancelledReading() async throws {
        let samples = try samples([String](repeating: "digits-awb", count: 6))
        try await stopped(isLive: false) { transcriber, analyzer in
            async let read = code { try await analyzer.analyzeSequence(Inputs(samples.cut(into: 3_200))) }
            try await Patience.wait(for: "stretches") { await transcriber.worker.waitingCount == 5 }
            await analyzer.cancelAndFinishNow()
            _ = await read
        }
    }

    @Test(
        "A task that reads a file and waits for a worker stops when it is cancelled; what it has read is kept",
        .needs("python3"))
    func cancelledReader() async throws {
        let samples = try samples([String](repeating: "digits-awb", count: 6))
        try await stopped(isLive: false) { transcriber, analyzer in
            let reading = Task { try await analyzer.analyzeSequence(Inputs(samples.cut(into: 3_200))) }
            try await Patience.wait(for: "stretches") { await transcriber.worker.waitingCount == 5 }
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
            #expect(await transcriber.worker.waitingCount == 5)
            await analyzer.cancelAndFinishNow()
        }
    }

    @Test("To settle makes everything final without waiting, and speech goes on after it", .needs("python3"))
    func settle() async throws {
        let samples = try samples(["weekdays-awb"])
        try await stopped(isLive: true) { transcriber, analyzer in
            async let results = transcriber.results.all()
            _ = try await analyzer.analyzeSequence(Inputs([samples]))
            #expect(await transcriber.undecidedCount == 1)
            await transcriber.settle()
            #expect(await transcriber.undecidedCount == 0)
            _ = try await analyzer.analyzeSequence(Inputs([samples]))
            await transcriber.settle()
            #expect(await analyzer.finishCode() == .moduleOutputFailed, "there was no guess")
            let session = DictationRig.Session(
                outcome: Outcome(results: try await results, ledger: await transcriber.ledger),
                counts: await transcriber.counts)
            #expect(session.counts.lost == 2 && session.outcome.text.isEmpty)
            DictationRig.expectWhole(session, 2 * samples.count)
        }
    }

    @Test("What is said after a settle is decoded as always", .needs("python3"))
    func speechAfterSettle() async throws {
        let samples = try Fixture.named("weekdays-awb").samples()
        try await DictationRig.scripted { model in
            let transcriber = DictationRig(model: model, isLive: true).transcriber()
            let analyzer = SpeechAnalyzer(modules: [transcriber])
            async let results = transcriber.results.all()
            _ = try await analyzer.analyzeSequence(Inputs([samples]))
            await transcriber.settle()
            _ = try await analyzer.analyzeSequence(Inputs([DictationRig.silence, samples]))
            #expect(await analyzer.finishCode() == .moduleOutputFailed, "there was no guess at the first")
            let session = DictationRig.Session(
                outcome: Outcome(results: try await results, ledger: await transcriber.ledger),
                counts: await transcriber.counts)
            #expect(session.counts.lost == 1 && session.counts.decided == 1, "\(session.counts)")
            DictationRig.expectWhole(session, 2 * samples.count + DictationRig.silence.count)
        }
    }

    @Test("To settle ends a finalize that waits", .needs("python3"))
    func settledFinalize() async throws {
        let samples = try Fixture.named("weekdays-awb").samples()
        try await stopped(isLive: true) { transcriber, analyzer in
            _ = try await analyzer.analyzeSequence(Inputs([samples]))
            async let finalized: Void = analyzer.finalize()
            try await Patience.wait(for: "the finalize") { await transcriber.worker.waitingCount == 1 }
            await transcriber.settle()
            try await finalized
            #expect(await transcriber.ledger.pending == 0)
            await analyzer.cancelAndFinishNow()
        }
    }

    @Test("A cancelled finalize that waits for a worker ends, and only it", .needs("python3"))
    func cancelledFinalize() async throws {
        let samples = try Fixture.named("weekdays-awb").samples()
        try await stopped(isLive: true) { transcriber, analyzer in
            _ = try await analyzer.analyzeSequence(Inputs([samples]))
            let finalizes = (0..<2).map { _ in Task { try await analyzer.finalize() } }
            try await Patience.wait(for: "the finalize") { await transcriber.worker.waitingCount == 1 }
            finalizes[0].cancel()
            await #expect(throws: CancellationError.self) { try await finalizes[0].value }
            #expect(await transcriber.undecidedCount == 1)
            await transcriber.settle()
            try await finalizes[1].value
            await analyzer.cancelAndFinishNow()
        }
    }

    @Test("A finalize waits for the text of what was said before it", .needs("python3"))
    func finalize() async throws {
        try await DictationRig.scripted { model in
            let transcriber = DictationRig(model: model, isLive: true).transcriber()
            let analyzer = SpeechAnalyzer(modules: [transcriber])
            let samples = try Fixture.named("weekdays-awb").samples()
            for round in 1...3 {
                _ = try await analyzer.analyzeSequence(Inputs([samples]))
                try await analyzer.finalize()
                #expect(await transcriber.counts.decided == round)
                #expect(await transcriber.ledger.pending == 0)
            }
            try await analyzer.finalizeAndFinishThroughEndOfInput()
        }
    }
}
