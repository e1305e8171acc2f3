import Audio
import Foundation
import TestSupport
import Testing

@testable import Models
@testable import Speech

/// What Apple's documentation leaves open, or does by doing nothing; other suites have the rest of it.
@Suite("A program that does what it should not")
struct MisuseTests {
    private let fixture = Fixture.named("digits-awb")

    @Test("gets an error for a rate that no sound has, with which the session ends", arguments: [0, -5, 1, 1_000_000])
    func rate(_ rate: Int) async throws {
        let (transcriber, analyzer) = Options().session()
        let input = AnalyzerInput(samples: [1, 2, 3], sampleRate: rate)
        await #expect(throws: SampleRateError.self) { try await analyzer.analyzeSequence(Inputs([input])) }
        let (results, error) = await transcriber.results.allAndError()
        #expect(results.isEmpty && error is SampleRateError)
        await #expect(throws: SampleRateError.self) { try await analyzer.finalizeAndFinishThroughEndOfInput() }
    }

    @Test("may have the same module twice no more than in two analyzers")
    func twice() async throws {
        let (transcriber, _) = Options().session()
        let analyzer = SpeechAnalyzer(modules: [transcriber, transcriber])
        #expect(await code { try await analyzer.analyzeSequence(Inputs([[1]])) } == .moduleInUse)
        #expect(await analyzer.finishCode() == .moduleInUse)
        #expect(try await transcriber.allResults().isEmpty)
    }

    @Test("may have no module, and gets the times of its input all the same")
    func none() async throws {
        let analyzer = SpeechAnalyzer(modules: [])
        #expect(try await analyzer.analyzeSequence(Inputs([[1, 2, 3]])) != nil)
        try await analyzer.finalize()
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        #expect(await SpeechAnalyzer.bestAvailableAudioFormat(compatibleWith: []) == nil)
    }

    @Test("gets no time for an empty sequence, also after another, and can go on")
    func empty() async throws {
        let (transcriber, analyzer) = Options().session()
        #expect(try await analyzer.analyzeSequence(Inputs([[Int16]]())) == nil)
        let end = try await analyzer.analyzeSequence(Inputs(fixture.samples().cut(into: 3_200)))
        #expect(end?.sampleCount == Int64(try fixture.samples().count))
        #expect(try await analyzer.analyzeSequence(Inputs([[Int16]]())) == nil)
        try await analyzer.finalizeAndFinish(through: .zero)
        #expect(Outcome(results: try await transcriber.allResults()).text == fixture.transcript)
    }

    @Test("may wait for a time that is over, or for one that never comes once the input has ended")
    func times() async throws {
        let (transcriber, analyzer) = Options().session()
        let samples = try fixture.samples()
        _ = try await analyzer.analyzeSequence(Inputs(samples.cut(into: 3_200)))
        for time in [AudioTime.zero, AudioTime(seconds: 1), AudioTime(seconds: 1e9)] {
            try await analyzer.finalize(through: time)
        }
        try await analyzer.finalizeAndFinish(through: AudioTime(seconds: 1e9))
        #expect(Outcome(results: try await transcriber.allResults()).text == fixture.transcript)
    }

    @Test("may finish while a finalize waits, which ends without an error when its sound is final")
    func finishMeanwhile() async throws {
        let transcriber = Options().transcriber(engine: FakeEngine())
        let session = AnalysisSession(workers: [transcriber.worker])
        let feed = Feed()
        try session.startReading(feed.sequence)
        feed.give(FakeEngine.speech([1]))
        try await session.finalize(through: time(4_000))
        let finalize = Task { try await session.finalize(through: time(1_000_000)) }
        try await Patience.wait(for: "the finalize") { session.waiterCount == 1 }
        try await session.finish(after: .none)
        try await finalize.value
        #expect(Outcome(results: try await transcriber.allResults()).text == "1")
        #expect(await code { try await session.finalize(through: nil) } == .finished)
    }

    @Test("gets right times after a gap of an hour")
    func gap() async throws {
        let (transcriber, analyzer) = Options().session()
        let samples = try fixture.samples()
        let hour = AudioTime(sampleCount: 3_600 * 16_000, sampleRate: 16_000)
        let inputs = [
            AnalyzerInput(samples: samples, sampleRate: 16_000),
            AnalyzerInput(buffer: AudioBlock(samples: samples, sampleRate: 16_000), bufferStartTime: hour),
        ]
        _ = try await analyzer.analyzeSequence(Inputs(inputs))
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        let results = try await transcriber.allResults().filter { $0.isFinal && !$0.text.characters.isEmpty }
        #expect(results.map(\.text.spoken) == [fixture.transcript, fixture.transcript])
        #expect(results[1].range.start >= hour)
        #expect(await transcriber.ledger.missing == hour.sampleCount - Int64(samples.count))
    }
}
