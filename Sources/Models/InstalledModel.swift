import Foundation
import Glibc

/// A model on this machine.
public struct InstalledModel: Hashable, Sendable {
    /// The owner of a model.
    public enum Origin: String, Hashable, Sendable {
        /// The user has installed the model, and can remove it.
        case own
        /// The model came with utter, or is installed for all users.
        case shared
        /// The model belongs to another program, or was named by its path.
        case otherProgram
    }

    /// The path of the model's folder.
    public let path: String
    /// The owner of the model.
    public let origin: Origin

    /// The name of the folder.
    public var name: String { URL(fileURLWithPath: path).standardizedFileURL.lastPathComponent }

    /// The pass that the model is for: the second if the folder has a GGUF file, or had it when it was installed.
    public var pass: RecognitionPass {
        if ModelFile.isFile(file.path) { return .second }
        if folder.problem == nil { return .first }
        return ModelManifest.of(modelAt: path)?.files.map(\.path) == [ModelFile.name] ? .second : .first
    }

    /// Whether this is the small model for the first pass that comes with utter.
    public var isBuiltIn: Bool { name == ModelStore.builtInName }

    /// The language code and, if the name has one, the region, from a name such as `vosk-model-small-en-us-0.15`; `nil`
    /// if the name has no language.
    public var languageAndRegion: (language: String, region: String?)? { language.map { ($0.language, $0.region) } }

    package var language: SpokenLanguage? {
        var parts = name.split(separator: "-").map { $0.lowercased() }[...]
        guard parts.starts(with: ["vosk", "model"]) else { return nil }
        parts = parts.dropFirst(2)
        while let size = parts.first, ["tiny", "small", "big"].contains(size) { parts = parts.dropFirst() }
        guard let code = parts.first else { return nil }
        if let region = parts.dropFirst().first, region.utf8.count == 2, region.allSatisfy(\.isLetter),
            let language = SpokenLanguage("\(code)-\(region)")
        {
            return language
        }
        return SpokenLanguage(code)
    }

    /// The sample rate that the model was trained for, in Hz.
    ///
    /// - Throws: `SpeechError` that names the missing file if the model is incomplete.
    public func sampleRate() throws -> Int {
        if let problem = folder.problem { throw problem }
        return try folder.sampleRate()
    }

    package var folder: ModelFolder { ModelFolder(path: path) }

    /// The file of a model for the second pass: the one at the path itself, or in the folder there.
    package var file: ModelFile {
        ModelFile(path: path.hasSuffix(".gguf") && ModelFile.isFile(path) ? path : path + "/" + ModelFile.name)
    }

    /// What a model for the second pass says of itself, in its file; nil if that names no language, and for a model for the first pass.
    package var ownTraits: SecondPassTraits? { pass == .second ? file.traits : nil }

    /// The size in bytes of the file of a model for the second pass; nil for a model for the first. stat(2)
    public var fileSize: Int? {
        pass == .second ? stat(file.path).map { Int($0.st_size) } : nil
    }

    /// The size of all files of the model, or of the file at its path, in bytes. lstat(2)
    package var diskSize: Int {
        let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        if ModelFile.isFile(folder) { return (try? ArchiveFile(path: folder).size) ?? 0 }
        return (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).reduce(0) {
            guard let status = stat(itself: folder + "/" + $1), status.isFile else { return $0 }
            return $0 + Int(status.st_size)
        }
    }

    /// Checks that the model is complete.
    ///
    /// - Throws: `SpeechError` that names the missing file if it is not.
    package func checkFiles() throws(SpeechError) {
        if pass == .second { return try file.checkLength() }
        if let problem = folder.problem { throw problem }
    }

    /// Whether the model is complete, as far as can be seen without reading its files.
    func isWhole(for pass: RecognitionPass) -> Bool { pass == .first ? folder.problem == nil : file.problem == nil }

    /// Creates a reference to the model in the folder at `path`.
    public init(path: String) { self.init(path: path, origin: .otherProgram) }

    init(path: String, origin: Origin) {
        self.path = path
        self.origin = origin
    }

    /// Whether two models have the same path. The owner, which depends on the store that found the model, is ignored.
    public static func == (one: InstalledModel, other: InstalledModel) -> Bool { one.path == other.path }
    /// Hashes the path.
    public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
