import Foundation
import Glibc

/// Where the library and the models of the second pass lie.
public struct SecondPassFiles: Sendable {
    /// Folders in which libtranscribe and its backends are looked for, the first first.
    public var libraryFolders: [String]
    /// Where the models are: those of both passes lie in the same folders.
    public var store: ModelStore

    public init(libraryFolders: [String], store: ModelStore) { (self.libraryFolders, self.store) = (libraryFolders, store) }

    /// What `UTTER_LIBTRANSCRIBE` names; beside the program; where `Scripts/setup` puts it. The models are where the others are.
    public static var standard: SecondPassFiles {
        let environment = ProcessInfo.processInfo.environment
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let prefix = program.map { URL(fileURLWithPath: $0).deletingLastPathComponent().deletingLastPathComponent().path }
        let prefixes = [prefix, environment["HOME"].map { $0 + "/.local" }, "/usr/local", "/usr"].compactMap { $0 }
        let given = environment["UTTER_LIBTRANSCRIBE"].flatMap { $0.isEmpty ? nil : $0 }
        return SecondPassFiles(libraryFolders: given.map { [$0] } ?? prefixes.map { $0 + "/lib/utter/transcribe" }, store: ModelStore())
    }

    /// The folder with the library; nil when there is none.
    public var library: String? {
        libraryFolders.first { access($0 + "/" + TranscribeCalls.fileName, R_OK) == 0 }
    }

    /// The file of a model: a name of one that is installed, or a path.
    ///
    /// - Throws: `SpeechError` `.noModel` when it is not there, or is a model of the first pass.
    public func model(_ reference: String) throws(SpeechError) -> String {
        if reference.contains("/") || reference.hasSuffix(".gguf") {
            if ModelFile.isFile(reference) { return reference }
            let model = InstalledModel(path: reference)
            if ModelFile.isFile(model.file.path) { return model.file.path }
            if model.folder.problem == nil { throw .otherPass(.first, reference) }
            throw SpeechError(.noModel, "there is no model for the second pass at \(reference); give the path of a GGUF file")
        }
        return try store.installedModel(for: reference, pass: .second).file.path
    }

    /// The installed model to use for a language when nobody named one: the one that the user has chosen for it, or else the best by the
    /// rule of both passes (`ModelStore`). Those that know the language are told by the catalog or, where that does not have them, by a name
    /// that ends in `.en`.
    ///
    /// - Parameter language: a code, such as `en`.
    public func model(forLanguage language: String) -> InstalledModel? {
        SpokenLanguage(language).flatMap { store.model(for: $0, pass: .second) }
    }
}
