/// The model of a second pass, and how it is run.
public struct SecondPassModel: Hashable, Sendable {
    /// The model's file, in GGUF format.
    public var path: String
    /// The folder with libtranscribe.
    public var library: String
    /// A program that calls `SecondPassWorker.runIfAsked()` first of all: this one, unless told otherwise.
    public var program: String

    /// Of the sound that it takes, in Hz.
    public static let sampleRate = 16_000

    public init(path: String, library: String, program: String = "/proc/self/exe") {
        (self.path, self.library, self.program) = (path, library, program)
    }

    /// The name of its folder, or of its file where that lies alone.
    public var name: String {
        let parts = path.split(separator: "/").map(String.init)
        return parts.count > 1 && parts.last == ModelFile.name ? parts[parts.count - 2] : parts.last ?? path
    }

    /// The one that is there.
    ///
    /// - Parameters:
    ///   - reference: the name of a model or the path of a file; nil takes the one that `SecondPassFiles.model(forLanguage:)` chooses.
    ///   - language: the code of what is spoken.
    /// - Throws: `SpeechError` when the library or the model is missing.
    public static func installed(
        _ reference: String? = nil, for language: String = "en", in files: SecondPassFiles = .standard
    ) throws(SpeechError) -> SecondPassModel {
        guard let library = files.library else {
            throw SpeechError(.programMissing, "libtranscribe, which computes the second pass, is not installed; to get it: Scripts/setup")
        }
        if let reference { return SecondPassModel(path: try files.model(reference), library: library) }
        if let model = files.model(forLanguage: language) { return SecondPassModel(path: model.file.path, library: library) }
        let installation = files.store.catalog.secondPassModel(for: language).map { "; to get one: utter models install \($0.name)" } ?? ""
        let what =
            files.store.installed(for: .second).isEmpty
            ? "there is no model for the second pass" : "no model for the second pass is known to know \(language)"
        throw SpeechError(.noModel, what + installation)
    }
}

/// What a transcriber needs for a second pass.
struct SecondPassUse: Sendable {
    var model: SecondPassModel
    /// A code such as `en`; nil lets the model find out.
    var language: String?
    var punctuates = true
    /// How long an utterance is waited for; nil waits as long as it takes.
    var timeout: Duration?
    /// Gets a sentence when the second pass stops or is late for the first time, and when there is none any more.
    var report: @Sendable (String) -> Void = { _ in }

    /// Whether the workers of files stay for the next file.
    var isKept = false
    /// Whether several utterances are decoded at once.
    var sharesWindows = false

    /// How many stretches of a stream may be with the workers where they are waited for as long as it takes: their sound is in memory.
    static func mostWaiting(width: Int) -> Int { max(4, 2 * width) }

    /// A worker of its own where somebody waits for each sentence, else a part in those of the process.
    func makeService(_ phrases: [String]) -> any SecondPassService {
        let setup = WorkerSetup(
            library: model.library, model: model.path, language: language, vocabulary: phrases, punctuates: punctuates)
        if timeout != nil { return SecondPassSupervisor(setup: setup, program: model.program, report: report) }
        return SecondPassPool.shared(setup, program: model.program, isKept: isKept).join(report)
    }
}
