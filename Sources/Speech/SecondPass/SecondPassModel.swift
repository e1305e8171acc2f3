import Foundation
import Models

/// A model for the second pass, and the program that runs it.
public struct SecondPassModel: Hashable, Sendable {
    /// The path of the model's file, in GGUF format.
    public var path: String
    /// The path of the folder with libtranscribe.
    public var library: String
    /// The path of a program that is linked with this library, and becomes the model's process; by default this program.
    public var program: String

    /// The sample rate that the models take, in Hz.
    public static let sampleRate = 16_000

    /// Creates a model from its file and the folder with libtranscribe.
    public init(path: String, library: String, program: String = "/proc/self/exe") {
        (self.path, self.library, self.program) = (path, library, program)
    }

    /// The name of the model's folder, or of the file if it is not in a model's folder.
    public var name: String {
        let parts = path.split(separator: "/").map(String.init)
        return parts.count > 1 && parts.last == ModelFile.name ? parts[parts.count - 2] : parts.last ?? path
    }

    /// Returns the best installed model that detects the language that is spoken.
    ///
    /// - Parameters:
    ///   - languages: the codes of the languages that may be spoken; empty for all that the model knows.
    ///   - files: the places of the library and the models.
    /// - Throws: `SpeechError` if the library or the model is missing.
    public static func detectingLanguage(
        among languages: [String] = [], in files: SecondPassFiles = .standard
    ) throws(SpeechError) -> SecondPassModel {
        guard let model = files.store.model(detecting: languages) else {
            let what =
                languages.isEmpty
                ? "no installed model knows several languages, of which it could detect one"
                : "no installed model can tell \(languages.joined(separator: ", ")) from each other"
            throw SpeechError(.noModel, "\(what); to get one: utter models install whisper-base")
        }
        return try installed(model.file.path, in: files)
    }

    /// Returns an installed model.
    ///
    /// - Parameters:
    ///   - reference: the name of a model or the path of a file; nil for the one that
    ///     `SecondPassFiles.model(forLanguage:)` chooses.
    ///   - language: the code of the spoken language.
    ///   - files: the places of the library and the models.
    /// - Throws: `SpeechError` if the library or the model is missing.
    public static func installed(
        _ reference: String? = nil, for language: String = "en", in files: SecondPassFiles = .standard
    ) throws(SpeechError) -> SecondPassModel {
        guard let library = files.library else {
            throw SpeechError(
                .programMissing,
                "libtranscribe, which computes the second pass, is not installed; to get it: Scripts/setup")
        }
        if let reference { return SecondPassModel(path: try files.model(reference), library: library) }
        if let model = files.model(forLanguage: language) {
            return SecondPassModel(path: model.file.path, library: library)
        }
        let installation =
            files.store.catalog.secondPassModel(for: language).map { "; to get one: utter models install \($0.name)" }
            ?? ""
        let what =
            files.store.installed(for: .second).isEmpty
            ? "there is no model for the second pass"
            : "no model for the second pass is known to understand \(language)"
        throw SpeechError(.noModel, what + installation)
    }
}

/// The engine that decides a transcriber's text, and when it is asked.
struct DecidingEngine: Sendable {
    /// Finds the model when a session begins.
    var model: @Sendable () throws(SpeechError) -> SecondPassModel
    /// The codes of the languages that may be spoken, such as `en`. Of several the model detects which; none allows all.
    var languages: [String] = []
    /// The names of the marks that may be dictated.
    var marks: [String] = []
    var punctuates = true
    /// Whether someone waits for each sentence. Otherwise stretches are decoded side by side.
    var isLive = true
    var guesses = DictationDesk.Settings.Guesses.rolling
    /// The pause that ends an utterance, in seconds; nil for the standard.
    var closingPause: Double?
    /// The share of the time in which guesses are decoded while someone speaks.
    var guessShare = 0.36
    /// The most stretches to decode at a time; nil for one on each core.
    var width: Int?
    /// Whether the workers for files are kept for the next file.
    var isKept = false
    /// Receives a sentence when a worker stops for the first time.
    var report: @Sendable (String) -> Void = { _ in }

    /// Returns the use of the workers, of which the first begins to load the model.
    ///
    /// - Parameter phrases: the phrases to prefer.
    /// - Throws: `SpeechError` if the library or the model is missing.
    func lease(_ phrases: [String]) throws(SpeechError) -> EngineHosts.Lease {
        let model = try model()
        let setup = WorkerSetup(
            library: model.library, model: model.path, languages: languages, vocabulary: phrases,
            marks: marks, punctuates: punctuates,
            threads: isLive ? 2 : 1, guesses: isLive && guesses != .none)
        let width = isLive ? 1 : width ?? ProcessInfo.processInfo.activeProcessorCount
        return EngineHosts.lease(setup, program: model.program, width: width, isKept: isKept, report: report)
    }

    /// Returns the settings of a stream.
    func settings(
        _ settings: RecognitionPipeline.Settings, _ sensitivity: SpeechSegmenter.Sensitivity
    ) -> DictationPipeline.Settings {
        var desk =
            isLive ? DictationDesk.Settings.live(guesses, closingPause: closingPause) : DictationDesk.Settings()
        desk.share = guessShare
        return DictationPipeline.Settings(
            desk: desk, sensitivity: sensitivity, reportsVolatile: settings.reportsVolatile,
            reportsSilence: settings.reportsSilence, punctuates: punctuates)
    }
}
