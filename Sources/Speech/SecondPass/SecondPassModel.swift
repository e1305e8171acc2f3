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
            let (name, unknown) = files.store.modelToInstall(detecting: languages)
            if let unknown {
                throw SpeechError(.noModel, "no model that detects which language is spoken knows \(unknown)")
            }
            let what =
                languages.isEmpty
                ? "no installed model knows several languages, of which it could detect one"
                : "no installed model can tell \(languages.joined(separator: ", ")) from each other"
            throw SpeechError(.noModel, what + (name.map { "; to get one: utter models install \($0)" } ?? ""))
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
            : "no installed model for the second pass is known to understand \(language.isEmpty ? "a language without a name" : language)"
        throw SpeechError(.noModel, what + installation)
    }
}
