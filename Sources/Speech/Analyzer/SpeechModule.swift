import Audio
import Models

/// A part of an analysis, which takes the analyzer's input and gives results.
public protocol SpeechModule: AnyObject, Sendable {
    /// The type of the sequence of results.
    associatedtype Results: AsyncSequence

    /// The results, in order, until the analyzer finishes.
    var results: Results { get }

    /// The formats that the module takes without conversion; empty while its model is not installed.
    var availableCompatibleAudioFormats: [AudioFormat] { get async }
}

/// A result of a module.
public protocol SpeechModuleResult: Sendable {
    /// The range of audio that the result belongs to.
    var range: AudioTimeRange { get }
    /// The time before which all results are final.
    var resultsFinalizationTime: AudioTime { get }
}

extension SpeechModuleResult {
    /// Whether no later result can replace this one.
    public var isFinal: Bool { resultsFinalizationTime >= range.upperBound }
}

/// The requirements of the analyzer on a module, which only the modules of this package meet.
protocol AnalyzerModule: SpeechModule {
    /// The model that must be installed for the module; nil if it needs none.
    var model: ModelReference? { get }

    /// An executor preference for a task that feeds the module: it runs on the module's own thread.
    var executor: any TaskExecutor { get }

    /// Claims the module for an analyzer. A module works for one analyzer, once.
    func attach() throws(SpeechError)

    /// Loads the model, so that the first input causes no delay.
    ///
    /// - Parameter extent: how much to make ready.
    func prepare(_ extent: Preparation) async throws

    /// Sets the phrases to expect.
    func setContext(_ context: AnalysisContext) async throws

    /// Decodes input, and returns the range that is not final yet.
    func consume(_ input: AnalyzerInput) async throws -> AudioTimeRange

    /// Finalizes the audio that was consumed. The text of some of it may be undecided for a while.
    func finalize() async throws

    /// Waits until the results of all finalized audio are delivered. More audio may be consumed meanwhile.
    func waitUntilDecided() async

    /// The range of audio that was consumed and is not final yet.
    var volatileRange: AudioTimeRange { get async }

    /// Finalizes the audio that was consumed, ends the results and frees everything.
    func finish() async throws

    /// Ends the results at once; no more are delivered. Resources are freed as soon as the engine returns.
    func cancel()

    /// Cancels the module unless it has finished: its analyzer was released, so nothing can finish it any more.
    func abandon()

    /// Waits until a cancel has freed everything, except a model that is still loading.
    func waitUntilCancelled() async
}

/// How far a module gets ready before input comes.
enum Preparation {
    /// Its model is loaded.
    case model
    /// What recognizes with the model is there as well, so that whatever is wrong with it shows.
    case recognizer
    /// The model has decoded a little silence, so that the first words meet no wait.
    case warm
}
