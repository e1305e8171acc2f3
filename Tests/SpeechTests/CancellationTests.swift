import TestSupport
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

    @Test("that analyzes stops also where the sequence gives on and on, as a file does; what was read is kept")
    func endless() async throws {
        /// Gives words, and knows nothing of cancellation. Before the third it waits until its reader is cancelled.
        struct Endless: AsyncSequence, AsyncIteratorProtocol, Sendable {
            let asked = Events()
            var count: Int16 = 0
            mutating func next() async -> AnalyzerInput? {
                if count == 2 {
                    asked.happen()
                    try? await Patience.wait(for: "the cancel") { Task.isCancelled }
                }
                // The test fails, and does not run for ever, where the reading goes on.
                if count == 50 { return nil }
                count += 1
                return AnalyzerInput(samples: FakeEngine.speech([count], gap: 20_000), sampleRate: 16_000)
            }
            func makeAsyncIterator() -> Endless { self }
        }
        let (transcriber, analyzer) = Options().session(engine: FakeEngine())
        let endless = Endless()
        let analyzing = Task { try await analyzer.analyzeSequence(endless) }
        await endless.asked.wait()
        analyzing.cancel()
        await #expect(throws: CancellationError.self) { try await analyzing.value }
        #expect(await transcriber.ledger.delivered == 3 * 24_000)
        #expect(await analyzer.finishCode() == nil)
        #expect(Outcome(results: try await transcriber.allResults()).text == "1 2 3")
    }

    @Test("that analyzes ends its stream, also if the cancel comes while sound is passed on")
    func betweenTwoInputs() async throws {
        let gate = ThreadGate()
        var behaviour = FakeEngine.Behaviour()
        behaviour.onAccept = { number throws(SpeechError) in if number == 0 { gate.pass() } }
        let (transcriber, analyzer) = Options().session(engine: FakeEngine(behaviour))
        let feed = Feed()
        feed.give(FakeEngine.speech([1]))
        let analyzing = Task { try await analyzer.analyzeSequence(feed.sequence) }
        await gate.reached.wait()
        analyzing.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await analyzing.value }
        // A producer, such as one with a microphone, stops now.
        await feed.ended.wait()
        #expect(await analyzer.finishCode() == nil)
        #expect(Outcome(results: try await transcriber.allResults()).text == "1")
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

    @Test("that finalizes ends, also while the sound before waits for a model, which it then has")
    func finalizingWhileLoading() async throws {
        let loading = Events(), mayLoad = Events()
        let transcriber = Options().transcriber { () async throws in
            loading.happen()
            await mayLoad.wait()
            return FakeEngine()
        }
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        let feed = Feed()
        feed.give(FakeEngine.speech([1]))
        try await analyzer.start(inputSequence: feed.sequence)
        await loading.wait()
        for _ in 0..<20 {
            let finalizing = (0..<3).map { _ in Task { try await analyzer.finalize() } }
            for task in finalizing { task.cancel() }
            // One that had its turn before the sound has nothing to wait for.
            for task in finalizing { _ = await task.result }
        }
        mayLoad.happen()
        try await analyzer.finalize(through: time(4_000))
        #expect(await transcriber.ledger.delivered == 4_000)
        feed.end()
        #expect(await analyzer.finishCode() == nil)
        #expect(Outcome(results: try await transcriber.allResults()).text == "1")
    }

    @Test("that waits for its turn goes, and the others have theirs in order")
    func turns() async throws {
        for cancelled in 0..<3 {
            let turns = AsyncTurns()
            await turns.take()
            let order = Collected<Int>()
            var waiting: [Task<Void, any Error>] = []
            for number in 0..<3 {
                waiting.append(
                    Task {
                        try await turns.takeUnlessCancelled()
                        order.add(number)
                        turns.giveBack()
                    })
                try await Patience.wait(for: "the waiter") { turns.waiterCount == number + 1 }
            }
            waiting[cancelled].cancel()
            await #expect(throws: CancellationError.self) { try await waiting[cancelled].value }
            #expect(order.all.isEmpty)
            turns.giveBack()
            for (number, task) in waiting.enumerated() where number != cancelled { try await task.value }
            #expect(order.all == (0..<3).filter { $0 != cancelled })
            // It is free again.
            await turns.take()
        }
    }

    @Test("that finishes waits for no more input; the text so far is kept")
    func finishing() async throws {
        let (transcriber, analyzer, feed, analyzing) = try await reading()
        let finishing = Task { try await analyzer.finalizeAndFinishThroughEndOfInput() }
        finishing.cancel()
        await #expect(throws: CancellationError.self) { try await finishing.value }
        #expect(try await analyzing.value == time(4000))
        await feed.ended.wait()
        #expect(Outcome(results: try await transcriber.allResults()).text == "1")
        #expect(await transcriber.ledger.pending == 0)
    }

    @Test("that finishes leaves the input to another task that waits for the finish, and only the last one ends it")
    func finishingOfTwo() async throws {
        for cancelsAll in [false, true] {
            let transcriber = Options().transcriber(engine: FakeEngine())
            let session = AnalysisSession(workers: [transcriber.worker])
            let feed = Feed()
            feed.give(FakeEngine.speech([1]))
            let analyzing = try session.startReading(feed.sequence)
            try await session.finalize(through: time(4_000))
            let finishing = (0..<3).map { _ in Task { try await session.finish(after: .toItsEnd) } }
            try await Patience.wait(for: "those who finish") { session.finisherCount == 3 }
            for task in finishing.prefix(cancelsAll ? 3 : 2) { task.cancel() }
            for task in finishing.prefix(2) { await #expect(throws: CancellationError.self) { try await task.value } }
            if !cancelsAll {
                feed.give(FakeEngine.speech([2]))
                feed.end()
                try await finishing[2].value
            } else {
                await #expect(throws: CancellationError.self) { try await finishing[2].value }
            }
            #expect(try await analyzing.value == time(cancelsAll ? 4_000 : 8_000))
            #expect(Outcome(results: try await transcriber.allResults()).text == (cancelsAll ? "1" : "1 2"))
        }
    }

    @Test("that finishes a session whose input is over gets the finish, with all of the text")
    func finishingAfterInput() async throws {
        let (transcriber, analyzer) = Options().session(engine: FakeEngine())
        let last = try await analyzer.analyzeSequence(Inputs([FakeEngine.speech([1, 2])]))
        let finishing = Task { try await analyzer.finalizeAndFinish(through: last) }
        finishing.cancel()
        try await finishing.value
        #expect(Outcome(results: try await transcriber.allResults()).text == "1 2")
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
