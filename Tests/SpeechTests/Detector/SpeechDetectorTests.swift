import Audio
import Foundation
import TestSupport
import Testing

@testable import Models
@testable import Speech

@Suite("A detector of speech")
struct SpeechDetectorTests {
    private static let silence = [Int16](repeating: 0, count: 24_000)

    private struct Session {
        var results: [SpeechDetector.Result]
        var ledger: SampleLedger
        var finals: [SpeechDetector.Result] { results.filter(\.isFinal) }
        var speech: [Range<Int64>] {
            finals.filter(\.speechDetected).map { $0.range.lowerBound.sampleCount..<$0.range.upperBound.sampleCount }
        }
    }

    private func run(
        _ inputs: [AnalyzerInput], _ level: SpeechDetector.SensitivityLevel = .medium, reports: Bool = true
    ) async throws -> Session {
        let detector = SpeechDetector(detectionOptions: .init(sensitivityLevel: level), reportResults: reports)
        let analyzer = SpeechAnalyzer(modules: [detector])
        async let results = detector.results.all()
        _ = try await analyzer.analyzeSequence(Inputs(inputs))
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        return Session(results: try await results, ledger: await detector.worker.ledger)
    }

    private func run(_ blocks: [[Int16]], reports: Bool = true) async throws -> Session {
        try await run(blocks.inputs, reports: reports)
    }

    /// Checks that the finals follow each other from the first sample to the last, and that each is counted once.
    private func expectWhole(_ session: Session, _ count: Int) {
        var end: Int64 = 0
        for final in session.finals {
            #expect(final.range.lowerBound.sampleCount == end && final.range.upperBound > final.range.lowerBound)
            end = final.range.upperBound.sampleCount
        }
        #expect(end == Int64(count))
        #expect(session.ledger.delivered == Int64(count) && session.ledger.pending == 0)
        #expect(session.ledger.transcribed == session.speech.reduce(0) { $0 + Int64($1.count) })
    }

    @Test("Its ranges of speech and of silence cover the stream without gaps, whatever the pieces")
    func ranges() async throws {
        var generator = SplitMix64(for: "detector-pieces")
        let speech = try Fixture.named("commands-slt").samples()
        // The last ends in the middle of speech.
        for samples in [Self.silence + speech + Self.silence, speech + speech, Array(speech.prefix(30_001))] {
            var segmenter = SpeechSegmenter(weights: try SileroNetworkTests.weights.get())
            samples.withUnsafeBufferPointer { segmenter.hear($0) }
            segmenter.finish()
            for _ in 0..<Tier.count(2, long: 6) {
                let session = try await run(samples.cut(upTo: 20_000, using: &generator))
                #expect(session.speech == segmenter.ranges && !session.speech.isEmpty)
                expectWhole(session, samples.count)
            }
        }
    }

    @Test("Silence is one range, and nothing is none", arguments: [0, 1, 512, 20_000])
    func silence(_ count: Int) async throws {
        let session = try await run(count == 0 ? [] : [[Int16](repeating: 0, count: count)])
        #expect(session.results.count == (count == 0 ? 0 : 1) && session.speech.isEmpty)
        expectWhole(session, count)
    }

    @Test("Speech is reported as soon as it is heard, and once more when it has ended")
    func begun() async throws {
        let detector = SpeechDetector(reportResults: true)
        let analyzer = SpeechAnalyzer(modules: [detector])
        let feed = Feed()
        try await analyzer.start(inputSequence: feed.sequence)
        var results = detector.results.makeAsyncIterator()
        let samples = try Self.silence + Fixture.named("weekdays-awb").samples()
        for block in Array(samples[..<40_000]).cut(into: 1_600) { feed.give(block) }
        let before = try #require(try await results.next())
        #expect(before.isFinal && !before.speechDetected)
        let begun = try #require(try await results.next())
        #expect(!begun.isFinal && begun.speechDetected && begun.range.lowerBound == before.range.upperBound)
        for block in (Array(samples[40_000...]) + Self.silence).cut(into: 1_600) { feed.give(block) }
        let ended = try #require(try await results.next())
        #expect(ended.isFinal && ended.speechDetected && ended.range.lowerBound == begun.range.lowerBound)
        #expect(ended.range.upperBound > begun.range.upperBound)
        await analyzer.cancelAndFinishNow()
    }

    @Test("A finalize in the middle divides the range; each part is reported")
    func finalize() async throws {
        let detector = SpeechDetector(reportResults: true)
        let analyzer = SpeechAnalyzer(modules: [detector])
        async let results = detector.results.all()
        let samples = try Fixture.named("weekdays-awb").samples()
        var segmenter = SpeechSegmenter(weights: try SileroNetworkTests.weights.get())
        samples.withUnsafeBufferPointer { segmenter.hear($0) }
        let longest = try #require(segmenter.ranges.max { $0.count < $1.count })
        let cut = (longest.lowerBound + longest.upperBound) / 2
        for part in [samples.prefix(Int(cut)), samples.dropFirst(Int(cut))] {
            _ = try await analyzer.analyzeSequence(Inputs([Array(part)]))
            try await analyzer.finalize()
        }
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        let session = Session(results: try await results, ledger: await detector.worker.ledger)
        expectWhole(session, samples.count)
        #expect(session.speech.contains { $0.upperBound == cut } && session.speech.contains { $0.lowerBound >= cut })
    }

    @Test("Missing samples move what follows, and are counted")
    func gap() async throws {
        let samples = try Fixture.named("weekdays-awb").samples() + Self.silence
        let start = samples.count + 50_000
        let session = try await run([
            AnalyzerInput(samples: samples, sampleRate: 16_000),
            AnalyzerInput(buffer: AudioBlock(samples: samples, sampleRate: 16_000), bufferStartTime: time(start)),
        ])
        #expect(session.ledger.missing == 50_000 && session.ledger.pending == 0)
        let (first, second) = (
            session.speech.filter { $0.lowerBound < start }, session.speech.filter { $0.lowerBound >= start }
        )
        #expect(first.count == second.count && !first.isEmpty)
        for (range, moved) in zip(first, second) {
            // The detector remembers what it has heard before.
            #expect(abs(moved.lowerBound - Int64(start) - range.lowerBound) <= 1_600)
        }
    }

    @Test("It has results only if they were asked for")
    func noResults() async throws {
        let samples = try Fixture.named("weekdays-awb").samples()
        let session = try await run([samples], reports: false)
        #expect(session.results.isEmpty && session.ledger.pending == 0 && session.ledger.transcribed > 0)
    }

    @Test("It takes 16 kHz, and converts the rest")
    func rates() async throws {
        let format = AudioFormat(sampleRate: 16_000, channelCount: 1, encoding: .signed16)
        #expect(await SpeechDetector().availableCompatibleAudioFormats == [format])
        let samples = try Fixture.named("weekdays-awb").samples()
        let whole = try await run([AnalyzerInput(samples: samples, sampleRate: 16_000)])
        let other = try await run([AnalyzerInput(samples: samples.converted(to: 44_100), sampleRate: 44_100)])
        #expect(abs((other.speech.first?.lowerBound ?? 0) - (whole.speech.first?.lowerBound ?? 0)) <= 1_600)
        #expect(abs((other.speech.last?.upperBound ?? 0) - (whole.speech.last?.upperBound ?? 0)) <= 1_600)
    }

    @Test(
        "Beside a dictation transcriber it sets how sensitive that is, and both have their results", .needs("python3"))
    func beside() async throws {
        try await DictationRig.scripted { model in
            let samples = try Fixture.named("weekdays-awb").samples() + Self.silence
            for level in SpeechDetector.SensitivityLevel.allCases {
                let transcriber = DictationRig(model: model).transcriber()
                let detector = SpeechDetector(detectionOptions: .init(sensitivityLevel: level), reportResults: true)
                let analyzer = SpeechAnalyzer(modules: [detector, transcriber])
                #expect(transcriber.worker.sensitivity.withLock(\.self) == level)
                // A vocabulary is for the transcriber.
                try await analyzer.setContext(AnalysisContext(contextualStrings: [.general: ["Ada"]]))
                async let texts = transcriber.results.all()
                async let results = detector.results.all()
                _ = try await analyzer.analyzeSequence(Inputs(samples.cut(into: 3_200)))
                try await analyzer.finalizeAndFinishThroughEndOfInput()
                let session = Session(results: try await results, ledger: await detector.worker.ledger)
                expectWhole(session, samples.count)
                #expect(!session.speech.isEmpty)
                #expect(try await texts.contains { $0.isFinal && String($0.text.characters).contains("Sentence") })
                #expect(await transcriber.ledger.pending == 0)
            }
        }
    }

    @Test("It works for one analyzer, once, and a cancel ends its results")
    func cancel() async throws {
        let detector = SpeechDetector(reportResults: true)
        let analyzer = SpeechAnalyzer(modules: [detector])
        _ = try await analyzer.analyzeSequence(Inputs([Fixture.named("weekdays-awb").samples()]))
        let other = SpeechAnalyzer(modules: [detector])
        #expect(await code { try await other.prepareToAnalyze() } == .moduleInUse)
        await analyzer.cancelAndFinishNow()
        #expect(try await detector.results.all().isEmpty)
    }
}
