import Synchronization
import Testing

@testable import Speech

@Suite("A finish")
struct FinishTests {
    private static let word = FakeEngine.speech([1])

    @Test("returns when the last final is in the results, which then end, even when every other reference is gone")
    func lastFinalIsThere() async throws {
        let fixture = Fixture.named("digits-awb")
        let results = try await { () async throws in
            let (transcriber, analyzer) = Options().session()
            try await analyzer.start(inputSequence: Inputs(fixture.samples().cut(into: 3200)))
            try await analyzer.finalizeAndFinishThroughEndOfInput()
            return transcriber.results
        }()
        #expect(Outcome(results: try await results.all()).text == fixture.transcript)
    }

    @Test("that cancels starts no further decoding, drops waiting input and ends the results")
    func cancelWithASlowEngine() async throws {
        let gate = ThreadGate()
        var behaviour = FakeEngine.Behaviour()
        behaviour.onAccept = { _ throws(SpeechError) in gate.pass() }
        let engine = FakeEngine(behaviour)
        let (transcriber, analyzer) = Options(reportsVolatile: true).session(engine: engine)
        let feed = Feed()
        feed.give(FakeEngine.speech([1, 2, 3, 4], gap: 16_000))
        try await analyzer.start(inputSequence: feed.sequence)
        await gate.reached.wait()
        let cancelling = Task { await analyzer.cancelAndFinishNow() }
        // The results end while the engine still computes.
        #expect(try await transcriber.allResults().isEmpty)
        gate.open()
        await cancelling.value
        #expect(engine.counts.accepts == 1)
        #expect(engine.counts.alive == 0)
    }

    @Test("that cancels drops results that were not read")
    func cancelDropsResults() async throws {
        let (transcriber, analyzer) = Options().session(engine: FakeEngine())
        _ = try await analyzer.analyzeSequence(Inputs([FakeEngine.speech([1, 2], gap: 16_000)]))
        await analyzer.cancelAndFinishNow()
        #expect(try await transcriber.allResults().isEmpty)
        // A second call has no effect.
        await analyzer.cancelAndFinishNow()
        #expect(await analyzer.finishCode() == nil)
    }

    @Test("that cancels does not wait while a model loads; the model is freed when it is loaded")
    func cancelWhileLoading() async throws {
        let natives = Natives()
        let load = HeldLoad(natives.counting())
        let transcriber = Options().transcriber(loadingWith: load.engine)
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        let feed = Feed()
        feed.give(Self.word)
        try await analyzer.start(inputSequence: feed.sequence)
        await load.begun.wait()
        await analyzer.cancelAndFinishNow()
        #expect(try await transcriber.allResults().isEmpty)
        #expect(natives.counts == Natives.Counts())
        load.mayEnd.happen()
        await load.ended.wait()
        await natives.empty()
        #expect(natives.counts.modelsEver == 1)
    }

    @Test("that waits for a model ends when another task cancels, and so does an analysis")
    func cancelEndsWhoWaits() async throws {
        for _ in 0..<50 {
            let loading = Events(), never = Events()
            let transcriber = Options().transcriber { () async throws in
                loading.happen()
                await never.wait()
                return FakeEngine()
            }
            let analyzer = SpeechAnalyzer(modules: [transcriber])
            let analyzing = Task { await code { try await analyzer.analyzeSequence(Inputs([Self.word])) } }
            await loading.wait()
            let finish = Task { await analyzer.finishCode() }
            await analyzer.cancelAndFinishNow()
            #expect(await finish.value == nil)
            // Either outcome is right, since it depends on how far the analysis had got.
            #expect([nil, SpeechError.Code(rawValue: "CancellationError()")].contains(await analyzing.value))
            #expect(try await transcriber.allResults().isEmpty)
            never.happen()
        }
    }

    @Test("does not follow from the end of the input: a second start continues, and so do the times")
    func endOfInputEndsNothing() async throws {
        let (transcriber, analyzer) = Options().session(engine: FakeEngine())
        let end = try await analyzer.analyzeSequence(Inputs([FakeEngine.speech([1], gap: 1000)]))
        #expect(end == time(5000))
        #expect(try await analyzer.analyzeSequence(Inputs([FakeEngine.speech([2], gap: 500)])) == time(9500))
        #expect(try await analyzer.analyzeSequence(Inputs([[Int16]]())) == nil)
        try await analyzer.start(inputSequence: Inputs([FakeEngine.speech([3])]))
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        let outcome = Outcome(results: try await transcriber.allResults(), ledger: await transcriber.ledger)
        #expect(outcome.text == "1 2 3")
        #expect(outcome.words.map(\.range.lowerBound) == [time(0), time(5000), time(9500)])
        #expect(outcome.ledger.delivered == 13_500)
    }

    @Test("has the same outcome for all callers, one after another or at once")
    func twice() async throws {
        for fails in [false, true] {
            var behaviour = FakeEngine.Behaviour()
            behaviour.onFlush = { () throws(SpeechError) in
                if fails { throw SpeechError(.moduleOutputFailed, "on command") }
            }
            let (_, analyzer) = Options().session(engine: FakeEngine(behaviour))
            try await analyzer.start(inputSequence: Inputs([Self.word]))
            let codes = await withTaskGroup(of: SpeechError.Code?.self) { group in
                for _ in 0..<5 { group.addTask { await analyzer.finishCode() } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes == Array(repeating: fails ? .moduleOutputFailed : nil, count: 5))
            #expect(await analyzer.finishCode() == codes[0])
        }
    }

    @Test("before any start ends the results with nothing in them")
    func beforeStart() async throws {
        let (transcriber, analyzer) = Options().session()
        #expect(await analyzer.finishCode() == nil)
        #expect(try await transcriber.allResults().isEmpty)
        #expect(await transcriber.ledger == SampleLedger())
    }

    @Test("is final: everything after it is refused", arguments: [false, true])
    func afterwards(_ cancels: Bool) async throws {
        let (_, analyzer) = Options().session()
        if cancels { await analyzer.cancelAndFinishNow() } else { try await analyzer.finalizeAndFinish() }
        #expect(await code { try await analyzer.start(inputSequence: Inputs([Self.word])) } == .finished)
        #expect(await code { try await analyzer.analyzeSequence(Inputs([Self.word])) } == .finished)
        #expect(await code { try await analyzer.finalize() } == .finished)
        #expect(await code { try await analyzer.prepareToAnalyze() } == .finished)
        #expect(await code { try await analyzer.setContext(AnalysisContext()) } == .finished)
        #expect(await analyzer.volatileRange == nil)
    }

    @Test("through a time waits for input up to it, and no longer")
    func throughATime() async throws {
        let (transcriber, analyzer) = Options().session(engine: FakeEngine())
        let feed = Feed()
        try await analyzer.start(inputSequence: feed.sequence)
        let finish = Task { try await analyzer.finalizeAndFinish(through: time(8000)) }
        feed.give(FakeEngine.speech([1]))
        feed.give(FakeEngine.speech([2]))
        try await finish.value
        await feed.ended.wait()
        #expect(Outcome(results: try await transcriber.allResults()).text == "1 2")
    }

    @Test("of the input so far makes its text final at once, and the session continues", arguments: [16_000, 48_000])
    func finalizeInMidStream(_ rate: Int) async throws {
        let (transcriber, analyzer) = Options(reportsVolatile: true).session(engine: FakeEngine())
        let ranges = Ranges()
        await analyzer.setVolatileRangeChangedHandler { range, _, _ in ranges.add(range) }
        let (inputs, continuation) = AsyncStream<AnalyzerInput>.makeStream()
        try await analyzer.start(inputSequence: inputs)
        continuation.yield(AnalyzerInput(samples: [Int16](repeating: 0, count: rate), sampleRate: rate))
        // The converter still holds samples back, but all of the input has been read.
        try await analyzer.finalize(through: AudioTime(sampleCount: Int64(rate), sampleRate: rate))
        #expect(await analyzer.volatileRange == nil)
        #expect(ranges.all.first??.upperBound == time(16_000))
        #expect(ranges.all.last == .some(nil))
        #expect(await transcriber.ledger.delivered == 16_000)
        #expect(await transcriber.ledger.pending == 0)
        continuation.yield(AnalyzerInput(samples: [Int16](repeating: 0, count: rate), sampleRate: rate))
        continuation.finish()
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        #expect(await transcriber.ledger.delivered == 32_000)
        #expect(ranges.all.last == .some(nil))
    }

    @Test("of the input so far does not stop the reading when it is cancelled")
    func cancelledFinalize() async throws {
        let (transcriber, analyzer) = Options().session(engine: FakeEngine())
        let feed = Feed()
        try await analyzer.start(inputSequence: feed.sequence)
        let finalize = Task { try await analyzer.finalize(through: time(1_000_000)) }
        finalize.cancel()
        await #expect(throws: CancellationError.self) { try await finalize.value }
        feed.give(Self.word)
        feed.end()
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        #expect(Outcome(results: try await transcriber.allResults()).text == "1")
    }
}

/// The ranges that a handler was called with.
private final class Ranges: Sendable {
    private let ranges = Mutex<[AudioTimeRange?]>([])
    var all: [AudioTimeRange?] { ranges.withLock { $0 } }
    func add(_ range: AudioTimeRange?) { ranges.withLock { $0.append(range) } }
}
