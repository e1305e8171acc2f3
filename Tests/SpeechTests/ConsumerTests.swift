import Testing

@testable import Speech

@Suite("A consumer")
struct ConsumerTests {
    private static let speech = FakeEngine.speech([1, 2, 3, 4, 5], gap: 20_000)

    @Test("that never reads blocks nothing: the finals are kept for it, and at most one guess")
    func neverReads() async throws {
        let (transcriber, analyzer) = Options(reportsVolatile: true).session(engine: FakeEngine())
        _ = try await analyzer.analyzeSequence(Inputs([Self.speech, FakeEngine.speech([6])]))
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        let results = try await transcriber.allResults()
        #expect(Outcome(results: results).text == "1 2 3 4 5 6")
        #expect(!results.contains { !$0.isFinal })
        #expect(results.count == 6)
    }

    @Test("that reads late gets all results of a session that has finished, also if it is cancelled after that")
    func readsLate() async throws {
        let (transcriber, analyzer) = Options().session(engine: FakeEngine())
        _ = try await analyzer.analyzeSequence(Inputs([Self.speech]))
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        await analyzer.cancelAndFinishNow()
        #expect(Outcome(results: try await transcriber.allResults()).text == "1 2 3 4 5")
    }

    @Test("that reads late gets the failure of a session, and the results before it, also if it is cancelled later")
    func readsFailureLate() async throws {
        struct Broken: AsyncSequence, AsyncIteratorProtocol, Sendable {
            var rest = [FakeEngine.speech([1, 2], gap: 20_000)].inputs[...]
            mutating func next() async throws -> AnalyzerInput? {
                if let first = rest.popFirst() { return first }
                throw SpeechError(.audioReadFailed, "on command")
            }
            func makeAsyncIterator() -> Broken { self }
        }
        let (transcriber, analyzer) = Options().session(engine: FakeEngine())
        try await analyzer.start(inputSequence: Broken())
        #expect(await analyzer.finishCode() == .audioReadFailed)
        await analyzer.cancelAndFinishNow()
        let (results, error) = await transcriber.results.allAndError()
        #expect(Outcome(results: results).text == "1 2")
        #expect((error as? SpeechError)?.code == .audioReadFailed)
    }

    @Test("whose task is cancelled stops, and another gets the later results")
    func cancelled() async throws {
        let (transcriber, analyzer) = Options().session(engine: FakeEngine())
        let heard = Events()
        let consumer = Task {
            var texts: [String] = []
            for try await result in transcriber.results {
                texts.append(String(result.text.characters))
                heard.happen()
            }
            return texts
        }
        _ = try await analyzer.analyzeSequence(Inputs([FakeEngine.speech([1, 2], gap: 20_000)]))
        await heard.wait(for: 2)
        consumer.cancel()
        #expect(try await consumer.value == ["1", " 2"])
        _ = try await analyzer.analyzeSequence(Inputs([FakeEngine.speech([3], gap: 20_000)]))
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        #expect(Outcome(results: try await transcriber.allResults()).text == " 3")
    }

    @Test("shares the results with a second one: each goes to one of them, and both end")
    func two() async throws {
        let (transcriber, analyzer) = Options().session(engine: FakeEngine())
        async let first = transcriber.allResults()
        async let second = transcriber.allResults()
        _ = try await analyzer.analyzeSequence(Inputs([Self.speech]))
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        let both = (try await first + second).sorted { $0.range.lowerBound < $1.range.lowerBound }
        #expect(Outcome(results: both).text == "1 2 3 4 5")
    }

    @Test("gets a failure after all results, once")
    func failure() async throws {
        let storage = ResultStorage<Int>()
        for number in 1...3 { storage.send(number, isFinal: number == 2) }
        storage.finish(throwing: CancellationError())
        storage.finish()
        storage.send(4, isFinal: true)
        #expect(try await [storage.next(), storage.next()] == [2, 3])
        await #expect(throws: CancellationError.self) { try await storage.next() }
        #expect(try await storage.next() == nil)
    }

    @Test("that is cancelled at any moment loses no result for the next")
    func cancelledAtAnyMoment() async throws {
        for _ in 0..<200 {
            let storage = ResultStorage<Int>()
            let consumer = Task {
                var numbers: [Int] = []
                for try await number in ResultSequence(storage: storage) { numbers.append(number) }
                return numbers
            }
            let sending = Task { for number in 0..<20 { storage.send(number, isFinal: true) } }
            consumer.cancel()
            await sending.value
            storage.finish()
            let first = try await consumer.value
            #expect(try await first + ResultSequence(storage: storage).all() == Array(0..<20))
        }
    }
}
