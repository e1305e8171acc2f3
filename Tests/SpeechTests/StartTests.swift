import Testing

@testable import Speech

@Suite("A start")
struct StartTests {
    @Test("replaces the one before; what was read of that stays")
    func replaces() async throws {
        let (transcriber, analyzer) = Options().session(engine: FakeEngine())
        let first = Feed()
        try await analyzer.start(inputSequence: first.sequence)
        first.give(FakeEngine.speech([1]))
        try await analyzer.finalize(through: time(4000))
        try await analyzer.start(inputSequence: Inputs([FakeEngine.speech([2])]))
        await first.ended.wait()
        first.give(FakeEngine.speech([3]))
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        let outcome = Outcome(results: try await transcriber.allResults())
        #expect(outcome.text == "1 2")
        #expect(outcome.words.map(\.range.lowerBound) == [time(0), time(4000)])
    }

    @Test("lets a replaced analyzeSequence return")
    func replacesAnalyzeSequence() async throws {
        let (transcriber, analyzer) = Options().session(engine: FakeEngine())
        let first = Feed()
        let analyzing = Task { try await analyzer.analyzeSequence(first.sequence) }
        first.give(FakeEngine.speech([1]))
        // If the reading has not begun, this returns at once, so it may have to be called again.
        while await transcriber.ledger.delivered < 4000 { try await analyzer.finalize(through: time(4000)) }
        _ = try await analyzer.analyzeSequence(Inputs([FakeEngine.speech([2])]))
        #expect(try await analyzing.value == time(4000))
        let last = Task { try await analyzer.analyzeSequence(Feed().sequence) }
        await analyzer.cancelAndFinishNow()
        // It returns if it began before the end of the session, and is refused after it.
        let end = await code { try await last.value }
        #expect(end == nil || end == .finished)
    }

    @Test("never lets the next sequence overtake input that waits for the model, in any module")
    func order() async throws {
        for _ in 0..<100 {
            let loading = Events(), mayLoad = Events()
            let transcribers = (0..<2).map { _ in
                Options().transcriber { () async throws in
                    loading.happen()
                    await mayLoad.wait()
                    return FakeEngine()
                }
            }
            let analyzer = SpeechAnalyzer(modules: transcribers)
            try await analyzer.start(inputSequence: Inputs([FakeEngine.speech([1])]))
            async let both: Void = analyzer.start(inputSequence: Inputs([FakeEngine.speech([2])]))
            await loading.wait()
            mayLoad.happen()
            try await both
            try await analyzer.finalizeAndFinishThroughEndOfInput()
            let texts = [
                Outcome(results: try await transcribers[0].allResults()).text,
                Outcome(results: try await transcribers[1].allResults()).text,
            ]
            // The first sequence may have been replaced before anything of it was read.
            #expect(texts[0] == "1 2" || texts[0] == "2")
            #expect(texts[0] == texts[1])
        }
    }

    @Test("of an analyzer that has not begun finalizes nothing of a transcriber that works for another")
    func finalizesOwn() async throws {
        let transcriber = Options().transcriber(engine: FakeEngine())
        let owner = SpeechAnalyzer(modules: [transcriber])
        let halfWord = [Int16](repeating: 7, count: 2000)
        _ = try await owner.analyzeSequence(Inputs([halfWord]))
        let other = SpeechAnalyzer(modules: [transcriber])
        try await other.finalize(through: nil)
        _ = try await owner.analyzeSequence(Inputs([halfWord]))
        #expect(await owner.finishCode() == nil)
        #expect(Outcome(results: try await transcriber.allResults()).text == "7")
    }

    @Test("with a transcriber that works for another analyzer is refused every time, and does the other no harm")
    func moduleInUse() async throws {
        let transcriber = Options().transcriber(engine: FakeEngine())
        let owner = SpeechAnalyzer(modules: [transcriber])
        _ = try await owner.analyzeSequence(Inputs([FakeEngine.speech([1])]))
        do {
            let other = SpeechAnalyzer(modules: [Options().transcriber(engine: FakeEngine()), transcriber])
            for _ in 0..<2 {
                #expect(
                    await code { try await other.start(inputSequence: Inputs([FakeEngine.speech([9])])) }
                        == .moduleInUse)
                #expect(
                    await code { try await other.analyzeSequence(Inputs([FakeEngine.speech([9])])) } == .moduleInUse)
                #expect(await code { try await other.prepareToAnalyze() } == .moduleInUse)
            }
            #expect(await other.finishCode() == .moduleInUse)
            let another = SpeechAnalyzer(modules: [transcriber])
            await another.cancelAndFinishNow()
            _ = SpeechAnalyzer(modules: [transcriber])
        }
        _ = try await owner.analyzeSequence(Inputs([FakeEngine.speech([2])]))
        #expect(await owner.finishCode() == nil)
        #expect(Outcome(results: try await transcriber.allResults()).text == "1 2")
        // The transcriber can't be used again either.
        #expect(
            await code { try await SpeechAnalyzer(modules: [transcriber]).start(inputSequence: Inputs([[1]])) }
                == .moduleInUse)
    }
}
