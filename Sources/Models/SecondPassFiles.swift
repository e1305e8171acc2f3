import Foundation
import Glibc

/// The places of the library and the models for the second pass.
public struct SecondPassFiles: Sendable {
    /// The folders in which to look for libtranscribe and its backends, in this order.
    public var libraryFolders: [String]
    /// The store of the models, which has those for both passes.
    public var store: ModelStore

    package static let libraryName = "libtranscribe.so"

    public init(libraryFolders: [String], store: ModelStore) {
        (self.libraryFolders, self.store) = (libraryFolders, store)
    }

    /// The standard places: the library in the folder that `UTTER_LIBTRANSCRIBE` names, beside the program, or where
    /// `Scripts/setup` installs it; the models in the standard store.
    public static var standard: SecondPassFiles {
        let environment = ProcessInfo.processInfo.environment
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let prefix = program.map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().deletingLastPathComponent().path
        }
        let prefixes = [prefix, environment["HOME"].map { $0 + "/.local" }, "/usr/local", "/usr"].compactMap { $0 }
        let given = environment["UTTER_LIBTRANSCRIBE"].flatMap { $0.isEmpty ? nil : $0 }
        return SecondPassFiles(
            libraryFolders: given.map { [$0] } ?? prefixes.map { $0 + "/lib/utter/transcribe" }, store: ModelStore())
    }

    /// The folder with the library; nil if there is none.
    public var library: String? {
        libraryFolders.first { access($0 + "/" + Self.libraryName, R_OK) == 0 }
    }

    /// Returns the path of a model's file.
    ///
    /// - Parameter reference: the name of an installed model, or a path.
    ///
    /// - Throws: `SpeechError` `.noModel` if the model does not exist or is for the first pass; `.ambiguousModel` if
    ///   the name means several.
    public func model(_ reference: String) throws(SpeechError) -> String {
        if reference.contains("/") || reference.hasSuffix(".gguf") {
            if ModelFile.isFile(reference) { return reference }
            let model = InstalledModel(path: reference)
            if ModelFile.isFile(model.file.path) { return model.file.path }
            if model.folder.problem == nil { throw .otherPass(.first, reference) }
            throw SpeechError(
                .noModel, "there is no model for the second pass at \(reference); give the path of a GGUF file")
        }
        return try store.installedModel(for: reference, pass: .second).file.path
    }

    /// Whether a model is known to understand a language.
    ///
    /// - Parameters:
    ///   - reference: the name of an installed model, or a path.
    ///   - language: the code of the language, such as `en`.
    package func knows(_ reference: String, _ language: String) -> Bool {
        guard let path = try? model(reference) else { return false }
        // By its folder a model may be in the catalog.
        let installed = store.installed(for: .second).first { $0.file.path == path }
        return store.knows(installed ?? InstalledModel(path: path), language)
    }

    /// Returns the installed model to use for a language if none is named: the one that the user has chosen for it, or
    /// else the best by the rule for both passes (`ModelStore`). The catalog knows the languages of a model; one that
    /// it does not have says them in its file, or knows English if its name ends in `.en`.
    ///
    /// - Parameter language: the code of the language, such as `en`.
    public func model(forLanguage language: String) -> InstalledModel? {
        SpokenLanguage(language).flatMap { store.model(for: $0, pass: .second) }
    }
}
