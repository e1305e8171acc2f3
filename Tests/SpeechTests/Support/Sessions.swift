import Foundation

@testable import Models
@testable import Speech

/// The results of a session, and its ledger.
struct Outcome: Sendable {
    var results: [SpeechTranscriber.Result] = []
    var ledger = SampleLedger()

    var finals: [SpeechTranscriber.Result] { results.filter(\.isFinal) }
    /// The finals with words.
    var utterances: [SpeechTranscriber.Result] { finals.filter { !$0.text.characters.isEmpty } }
    var text: String { utterances.map { String($0.text.characters) }.joined() }
    var words: [SpeechTranscriber.Result.Word] { utterances.flatMap(\.words) }
}

/// The options of a session.
struct Options: Sendable {
    var model = Fixture.modelPath
    var calls = VoskCalls.library
    var phrases: [String] = []
    var configuration = RecognizerConfiguration()
    var reportsVolatile = false
    var reportsSilence = false
    var endpointing = Endpointing()
    var renewal: Double?
    /// How many stretches of recorded speech are decoded at a time; nil for live speech.
    var width: Int?
    var attributes: Set<SpeechTranscriber.ResultAttributeOption> = []

    /// A transcriber. Those with the same cache share a model.
    func transcriber(_ cache: ModelCache? = nil) -> SpeechTranscriber {
        let cache = cache ?? ModelCache(calls: calls)
        return transcriber { [model, endpointing] in
            try await cache.engine(ModelReference(path: model), endpointing: endpointing, retention: .whileInUse)
        }
    }

    /// A transcriber with an engine of the test.
    func transcriber(engine: any SpeechEngine) -> SpeechTranscriber { transcriber { engine } }

    /// A transcriber, with an engine of the test if one is given, and its analyzer.
    func session(engine: (any SpeechEngine)? = nil) -> (transcriber: SpeechTranscriber, analyzer: SpeechAnalyzer) {
        let transcriber = engine.map(self.transcriber(engine:)) ?? self.transcriber()
        return (transcriber, SpeechAnalyzer(modules: [transcriber]))
    }

    func transcriber(loadingWith load: @escaping @Sendable () async throws -> any SpeechEngine) -> SpeechTranscriber {
        var settings = RecognitionPipeline.Settings()
        settings.reportsVolatile = reportsVolatile
        settings.reportsSilence = reportsSilence
        if let renewal { settings.renewal = renewal }
        var configuration = configuration
        configuration.endpointing = endpointing
        return SpeechTranscriber(
            setup: TranscriptionWorker.Setup(
                loadEngine: load, configuration: configuration, settings: settings, attributes: attributes, width: width
            ))
    }

    /// Runs a whole session with these inputs, and finishes it.
    func run(_ inputs: [AnalyzerInput], cache: ModelCache? = nil) async throws -> Outcome {
        let transcriber = transcriber(cache)
        return try await run(inputs, transcriber)
    }

    func run(_ inputs: [AnalyzerInput], _ transcriber: SpeechTranscriber) async throws -> Outcome {
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        if !phrases.isEmpty {
            try await analyzer.setContext(AnalysisContext(vocabulary: phrases))
        }
        async let results = transcriber.allResults()
        do {
            _ = try await analyzer.analyzeSequence(Inputs(inputs, isLeisurely: reportsVolatile))
        } catch {
            // The finish throws the error.
        }
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        return Outcome(results: try await results, ledger: await transcriber.ledger)
    }

    func run(_ samples: [Int16], blocks: Int = 3200, cache: ModelCache? = nil) async throws -> Outcome {
        try await run(samples.cut(into: blocks).inputs, cache: cache)
    }
}

extension SpeechTranscriber {
    /// All results until the end.
    func allResults() async throws -> [Result] { try await results.all() }
}

extension AsyncSequence {
    func all() async throws -> [Element] {
        var all: [Element] = []
        for try await element in self { all.append(element) }
        return all
    }

    /// All elements, and the error after the last one; nil when there is none.
    func allAndError() async -> ([Element], (any Error)?) {
        var all: [Element] = []
        do {
            for try await element in self { all.append(element) }
            return (all, nil)
        } catch {
            return (all, error)
        }
    }
}

/// A sequence of inputs that are all available.
struct Inputs: AsyncSequence, Sendable {
    let inputs: [AnalyzerInput]
    /// Whether each input comes after other tasks have run, as with live input. Otherwise most volatile results are replaced before
    /// they are read.
    var isLeisurely = false

    init(_ inputs: [AnalyzerInput], isLeisurely: Bool = false) {
        self.inputs = inputs
        self.isLeisurely = isLeisurely
    }

    init(_ blocks: [[Int16]]) { inputs = blocks.inputs }

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: ArraySlice<AnalyzerInput>
        let isLeisurely: Bool

        mutating func next() async -> AnalyzerInput? {
            if isLeisurely { await Task.detached {}.value }
            return rest.popFirst()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: inputs[...], isLeisurely: isLeisurely) }
}

extension SpeechAnalyzer {
    /// Analyzes samples as the last of a session, and returns what a transcriber of it has given in all.
    func outcome(of samples: [Int16], _ transcriber: SpeechTranscriber) async throws -> Outcome {
        _ = try await analyzeSequence(Inputs(samples.cut(into: 3200)))
        try await finalizeAndFinishThroughEndOfInput()
        return Outcome(results: try await transcriber.allResults(), ledger: await transcriber.ledger)
    }

    /// Finishes the session; returns the code of the error that this throws, or nil.
    func finishCode() async -> SpeechError.Code? {
        do {
            try await finalizeAndFinishThroughEndOfInput()
            return nil
        } catch {
            return (error as? SpeechError)?.code ?? SpeechError.Code(rawValue: "\(error)")
        }
    }
}

/// The code of the speech error that a body throws; nil when it throws nothing.
func code<Value>(_ isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value) async -> SpeechError
    .Code?
{
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? SpeechError)?.code ?? SpeechError.Code(rawValue: "\(error)")
    }
}

/// The speech error that a body throws; nil when it throws nothing.
func speechError<Value>(_ body: () throws -> Value) -> SpeechError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? SpeechError
    }
}

/// The words with their times, as strings, to compare two sessions.
func said(_ outcome: Outcome) -> [String] {
    outcome.words.map { "\($0.text) \($0.range.lowerBound.sampleCount)-\($0.range.upperBound.sampleCount)" }
}
