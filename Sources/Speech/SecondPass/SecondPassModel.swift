import Models

/// A model for the second pass, and the program that runs it.
public struct SecondPassModel: Hashable, Sendable {
    /// The path of the model's file, in GGUF format.
    public var path: String
    /// The path of the folder with libtranscribe.
    public var library: String
    /// The path of a program whose first action is `SecondPassWorker.runIfAsked()`; by default this program.
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

/// The settings of a transcriber's second pass.
struct SecondPassUse: Sendable {
    var model: SecondPassModel
    /// The code of the language, such as `en`; nil lets the model detect it.
    var language: String?
    var punctuates = true
    /// The time to wait for an utterance; nil for no limit.
    var timeout: Duration?
    /// Receives a sentence when the second pass stops or is late for the first time, and when it is given up.
    var report: @Sendable (String) -> Void = { _ in }

    /// Whether the workers for files are kept for the next file.
    var isKept = false
    /// Whether several utterances are decoded together.
    var sharesWindows = false

    /// The most requests of a stream that may be with the workers if there is no time limit. It limits the sound in
    /// memory.
    static func mostWaiting(width: Int) -> Int { max(4, 2 * width) }

    /// Makes a worker of its own if there is a time limit, otherwise joins the workers of the process.
    func makeService(_ phrases: [String]) -> any SecondPassService {
        let setup = WorkerSetup(
            library: model.library, model: model.path, language: language, vocabulary: phrases, punctuates: punctuates)
        if timeout != nil { return SecondPassSupervisor(setup: setup, program: model.program, report: report) }
        return SecondPassPool.shared(setup, program: model.program, isKept: isKept).join(report)
    }
}
