import Testing

@testable import Speech

@Suite("A cancelled task")
struct CancellationTests {
    /// A session whose analyzer has read one word of an input that has not ended.
    private func reading() async throws -> (SpeechTranscriber, SpeechAnalyzer, Feed, Task<AudioTime?, any Error>) {
        let (transcriber, analyzer) = Options().session(engine: FakeEngine())
        let read = Events()
        await analyzer.setVolatileRangeChangedHandler { _, _, _ in read.happen() }
        let feed = Feed()
        feed.give(FakeEngine.speech([1]))
        let analyzing = Task { try await analyzer.analyzeSequence(feed.sequence) }
        await read.wait()
        return (transcriber, analyzer, feed, analyzing)
    }

    @Test("that analyzes stops reading; what was read can still be made final")
    func analyzing() async throws {
        let (transcriber, analyzer, feed, analyzing) = try await reading()
        analyzing.cancel()
        await #expect(throws: CancellationError.self) { try await analyzing.value }
        await feed.ended.wait()
        try await analyzer.finalize()
        #expect(await transcriber.ledger.pending == 0)
        // The session can continue.
        _ = try await analyzer.analyzeSequence(Inputs([FakeEngine.speech([2])]))
        #expect(await analyzer.finishCode() == nil)
        #expect(Outcome(results: try await transcriber.allResults()).text == "1 2")
    }

    @Test("that was cancelled before it analyzes reads nothing")
    func cancelledBefore() async throws {
        let (_, analyzer) = Options().session(engine: FakeEngine())
        let may = Events()
        let analyzing = Task {
            await may.wait()
            return try await analyzer.analyzeSequence(Feed().sequence)
        }
        analyzing.cancel()
        may.happen()
        await #expect(throws: CancellationError.self) { try await analyzing.value }
        #expect(await analyzer.finishCode() == nil)
    }

    @Test("that finishes waits for no more input; the text so far is kept")
    func finishing() async throws {
        let (transcriber, analyzer, feed, analyzing) = try await reading()
        let finishing = Task { try await analyzer.finalizeAndFinishThroughEndOfInput() }
        finishing.cancel()
        try await finishing.value
        #expect(try await analyzing.value == time(4000))
        await feed.ended.wait()
        #expect(Outcome(results: try await transcriber.allResults()).text == "1")
        #expect(await transcriber.ledger.pending == 0)
    }

    @Test("that analyzes ends when another task cancels the session")
    func sessionCancelled() async throws {
        let (transcriber, analyzer, feed, analyzing) = try await reading()
        await analyzer.cancelAndFinishNow()
        #expect(try await analyzing.value == time(4000))
        await feed.ended.wait()
        #expect(try await transcriber.allResults().isEmpty)
    }
}
