import Foundation
import Glibc

/// Where the library and the models of the second pass lie.
public struct SecondPassFiles: Sendable {
    /// Folders in which libtranscribe and its backends are looked for, the first first.
    public var libraryFolders: [String]
    /// Folders that hold a folder for each model, with a `model.gguf`.
    public var modelFolders: [String]

    /// The model that `Scripts/setup` makes.
    static let standardModel = "whisper-tiny.en"

    public init(libraryFolders: [String], modelFolders: [String]) {
        (self.libraryFolders, self.modelFolders) = (libraryFolders, modelFolders)
    }

    /// What `UTTER_LIBTRANSCRIBE` names; beside the program; where `Scripts/setup` puts it. The models are where the others are.
    public static var standard: SecondPassFiles {
        let environment = ProcessInfo.processInfo.environment
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let prefix = program.map { URL(fileURLWithPath: $0).deletingLastPathComponent().deletingLastPathComponent().path }
        let prefixes = [prefix, environment["HOME"].map { $0 + "/.local" }, "/usr/local", "/usr"].compactMap { $0 }
        let given = environment["UTTER_LIBTRANSCRIBE"].flatMap { $0.isEmpty ? nil : $0 }
        return SecondPassFiles(
            libraryFolders: given.map { [$0] } ?? prefixes.map { $0 + "/lib/utter/transcribe" }, modelFolders: ModelStore.standardFolders)
    }

    /// The folder with the library; nil when there is none.
    public var library: String? {
        libraryFolders.first { access($0 + "/" + TranscribeCalls.fileName, R_OK) == 0 }
    }

    /// The names of the models that are there.
    public var models: [String] {
        let names = modelFolders.flatMap { folder in
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
                !$0.hasPrefix(".") && Self.isFile(folder + "/" + $0 + "/" + Self.fileName)
            }
        }
        return Set(names).sorted()
    }

    /// The file of a model: a name of one that is there, or a path.
    ///
    /// - Throws: `SpeechError` `.noModel` when it is not there.
    public func model(_ reference: String) throws(SpeechError) -> String {
        if reference.contains("/") || reference.hasSuffix(".gguf") {
            if Self.isFile(reference) { return reference }
            if Self.isFile(reference + "/" + Self.fileName) { return reference + "/" + Self.fileName }
            throw SpeechError(.noModel, "there is no model for the second pass at \(reference); give the path of a GGUF file")
        }
        for folder in modelFolders where Self.isFile(folder + "/" + reference + "/" + Self.fileName) {
            return folder + "/" + reference + "/" + Self.fileName
        }
        let there = models.isEmpty ? "" : "; there are: " + models.joined(separator: ", ")
        throw SpeechError(.noModel, "no model named \(reference) is there for the second pass\(there)")
    }

    /// The model to use when nobody said: the one that comes with utter, or the first; nil when there is none.
    public var standardModel: String? {
        guard let name = models.contains(Self.standardModel) ? Self.standardModel : models.first else { return nil }
        return try? model(name)
    }

    private static let fileName = "model.gguf"

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
