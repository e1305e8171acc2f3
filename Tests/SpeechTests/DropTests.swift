import Testing

@testable import Models
@testable import Speech

@Suite("Without a reference")
struct DropTests {
    private static func transcriber(_ natives: Natives) -> SpeechTranscriber {
        Options(calls: natives.counting(), reportsVolatile: true).transcriber()
    }

    @Test("an idle analyzer ends its results")
    func idle() async throws {
        let transcriber = Options().transcriber()
        _ = SpeechAnalyzer(modules: [transcriber])
        #expect(try await transcriber.allResults().isEmpty)
    }

    @Test("a transcriber that no analyzer ever had ends its results")
    func neverUsed() async throws {
        let results = Options().transcriber().results
        #expect(try await results.all().isEmpty)
    }

    @Test("a prepared analyzer frees everything")
    func prepared() async throws {
        let natives = Natives()
        let transcriber = Self.transcriber(natives)
        do {
            let analyzer = SpeechAnalyzer(modules: [transcriber])
            try await analyzer.prepareToAnalyze()
            #expect(natives.counts.models == 1 && natives.counts.recognizers == 1)
        }
        #expect(try await transcriber.allResults().isEmpty)
        await natives.empty()
    }

    @Test("an analyzer that reads stops reading, ends the results and frees everything, from any task")
    func reading() async throws {
        let natives = Natives()
        let transcriber = Self.transcriber(natives)
        let feed = Feed()
        do {
            let analyzer = SpeechAnalyzer(modules: [transcriber])
            try await analyzer.start(inputSequence: feed.sequence)
            try feed.give(Fixture.named("digits-awb").samples())
            try await analyzer.finalize(through: time(1600))
            #expect(natives.counts.recognizers == 1)
            await Task.detached { [analyzer] in _ = analyzer }.value
        }
        await feed.ended.wait()
        #expect(try await transcriber.allResults().isEmpty)
        await natives.empty()
    }

    @Test("an analyzer whose model is loading frees the model when it is loaded")
    func readingWhileLoading() async throws {
        let natives = Natives()
        let load = HeldLoad(natives.counting())
        let transcriber = Options().transcriber(loadingWith: load.engine)
        do {
            let analyzer = SpeechAnalyzer(modules: [transcriber])
            try await analyzer.start(inputSequence: Inputs([[1, 2, 3]]))
            await load.begun.wait()
        }
        #expect(try await transcriber.allResults().isEmpty)
        load.mayEnd.happen()
        await load.ended.wait()
        await natives.empty()
        #expect(natives.counts.modelsEver == 1)
    }

    @Test("an analyzer whose last owner waits for the finish still returns its text when that task is cancelled")
    func finishing() async throws {
        let natives = Natives()
        let transcriber = Self.transcriber(natives)
        let feed = Feed()
        let finishing = try await { () async throws in
            let analyzer = SpeechAnalyzer(modules: [transcriber])
            try await analyzer.start(inputSequence: feed.sequence)
            try feed.give(Fixture.named("digits-awb").samples())
            try await analyzer.finalize(through: time(1600))
            return Task { try await analyzer.finalizeAndFinishThroughEndOfInput() }
        }()
        finishing.cancel()
        await #expect(throws: CancellationError.self) { try await finishing.value }
        await feed.ended.wait()
        #expect(Outcome(results: try await transcriber.allResults()).text == Fixture.named("digits-awb").transcript)
        await natives.empty()
    }

    @Test("an analyzer that finishes after a file reads it to its end, and frees everything")
    func finishingAfterFile() async throws {
        let natives = Natives()
        let fixture = Fixture.named("digits-awb")
        let transcriber = Self.transcriber(natives)
        try await SpeechAnalyzer(modules: [transcriber]).start(
            inputAudioFile: AudioFile(path: fixture.path), finishAfterFile: true)
        #expect(Outcome(results: try await transcriber.allResults()).text == fixture.transcript)
        await natives.empty()
    }

    @Test("a finished analyzer leaves its results, and no native object")
    func finished() async throws {
        let natives = Natives()
        let fixture = Fixture.named("digits-awb")
        let transcriber = Self.transcriber(natives)
        do {
            let analyzer = SpeechAnalyzer(modules: [transcriber])
            _ = try await analyzer.analyzeSequence(Inputs(fixture.samples().cut(into: 3200)))
            try await analyzer.finalizeAndFinish()
            await natives.empty()
        }
        #expect(Outcome(results: try await transcriber.allResults()).text == fixture.transcript)
    }

    @Test("a transcriber is kept by its analyzer, and its results continue")
    func transcriber() async throws {
        let fixture = Fixture.named("digits-awb")
        let (analyzer, results) = { () in
            let transcriber = Options().transcriber()
            return (SpeechAnalyzer(modules: [transcriber]), transcriber.results)
        }()
        _ = try await analyzer.analyzeSequence(Inputs(fixture.samples().cut(into: 3200)))
        try await analyzer.finalizeAndFinish()
        #expect(Outcome(results: try await results.all()).text == fixture.transcript)
    }

    @Test("an iterator of results ends nothing")
    func iterator() async throws {
        let (transcriber, analyzer) = Options(reportsVolatile: true).session(engine: FakeEngine())
        _ = try await analyzer.analyzeSequence(Inputs([FakeEngine.speech([1, 2], gap: 20_000)]))
        do {
            var iterator = transcriber.results.makeAsyncIterator()
            #expect(try await iterator.next()?.isFinal != nil)
        }
        try await analyzer.finalizeAndFinish()
        #expect(Outcome(results: try await transcriber.allResults()).text.hasSuffix("2"))
    }

    @Test("a session whose engine has failed frees everything too")
    func failed() async throws {
        let natives = Natives()
        var calls = VoskCalls.library
        calls.recognizerAccept = { _, _, _ in -1 }
        let transcriber = Options(calls: natives.counting(calls)).transcriber()
        do {
            let analyzer = SpeechAnalyzer(modules: [transcriber])
            #expect(
                await code { try await analyzer.analyzeSequence(Inputs([[Int16](repeating: 0, count: 1600)])) }
                    == .moduleOutputFailed)
            await #expect(throws: SpeechError.self) { _ = try await transcriber.allResults() }
        }
        await natives.empty()
        #expect(natives.counts.modelsEver == 1)
    }
}
