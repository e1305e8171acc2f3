import Audio
import Models

/// A part of an analysis, which takes the analyzer's input and gives results.
public protocol SpeechModule: AnyObject, Sendable {
    /// The type of a result.
    associatedtype Result: SpeechModuleResult
    /// The type of the sequence of results.
    associatedtype Results: AsyncSequence & Sendable where Results.Element == Result

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

/// What the modules of this package have, which are all that an analyzer knows.
protocol WorkerModule: SpeechModule {
    /// The model that must be installed for the module; nil if it needs none.
    var model: ModelReference? { get }
    /// The language for which a model of the second pass must be installed; nil if it needs none, or has a particular one.
    var decidingLanguage: String? { get }
    /// Does the work. It works for one analyzer, once.
    var worker: TranscriptionWorker { get }
}

extension WorkerModule {
    var decidingLanguage: String? { nil }
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
