import Audio

/// A part of an analysis: it gets the analyzer's input and has results of its own.
public protocol SpeechModule: AnyObject, Sendable {
    associatedtype Results: AsyncSequence

    /// The results, in order, until a finish of the analyzer.
    var results: Results { get }

    /// The formats that the module takes without converting; empty while its model is not installed.
    var availableCompatibleAudioFormats: [AudioFormat] { get async }
}

/// One result of a module.
public protocol SpeechModuleResult: Sendable {
    /// The stretch of audio that the result is about.
    var range: AudioTimeRange { get }
    /// The moment before which all results are final.
    var resultsFinalizationTime: AudioTime { get }
}

extension SpeechModuleResult {
    /// Whether nothing will replace this result.
    public var isFinal: Bool { resultsFinalizationTime >= range.upperBound }
}

/// What the analyzer asks of a module. Only this package's modules have it, as only Apple's have it in Apple's framework.
protocol AnalyzerModule: SpeechModule {
    /// What must be installed for it; nil where it needs no model.
    var model: SpeechModel? { get }

    /// Runs a task that feeds the module on the module's own thread.
    var executor: any TaskExecutor { get }

    /// Claims the module for an analyzer; it works for one, once.
    func attach() throws(SpeechError)

    /// Loads what is needed, so that the first input meets no wait.
    ///
    /// - Parameter warm: whether to use it once, which takes a little longer still.
    func prepare(warm: Bool) async throws

    func setContext(_ context: AnalysisContext) async throws

    /// Takes input and returns, once it is decoded, what is not final yet.
    func consume(_ input: AnalyzerInput) async throws -> AudioTimeRange

    /// Makes final what was consumed. Of some of that it may not be decided yet what its text is.
    func finalize() async throws

    /// Returns when the results are out of what has been made final. More may be consumed meanwhile.
    func waitUntilDecided() async

    /// What was consumed and is not final yet.
    var volatileRange: AudioTimeRange { get async }

    /// Makes final what was consumed, ends the results and frees everything.
    func finish() async throws

    /// Ends the results at once; nothing more is delivered. What is held is freed as soon as the engine returns.
    func cancel()

    /// Nobody can finish the module any more: a cancel, unless it has been finished.
    func abandon()

    /// Returns when a cancel has freed everything but a model that is still loading.
    func waitUntilCancelled() async
}
