import Foundation
import Glibc

/// A model that lies on this machine.
public struct InstalledModel: Hashable, Sendable {
    /// Whose it is.
    public enum Origin: String, Hashable, Sendable {
        /// The user installed it, and can remove it.
        case own
        /// It came with utter, or the system has it for all users.
        case shared
        /// Another program's, or one that was given by its path.
        case otherProgram
    }

    /// The folder.
    public let path: String
    public let origin: Origin

    /// The folder's name.
    public var name: String { URL(fileURLWithPath: path).standardizedFileURL.lastPathComponent }

    /// What it is for. A folder with a GGUF file, or one that had it when it was installed, is for the second pass.
    public var pass: RecognitionPass {
        if ModelFile.isFile(file.path) { return .second }
        if folder.problem == nil { return .first }
        return ModelManifest.of(modelAt: path)?.files.map(\.path) == [ModelFile.name] ? .second : .first
    }

    /// Whether this is the small model of the first pass that comes with utter.
    public var isBuiltIn: Bool { name == ModelStore.builtInName }

    /// The language code and, where the name says one, the region, from names such as `vosk-model-small-en-us-0.15`; `nil`
    /// when the name tells nothing.
    public var languageAndRegion: (language: String, region: String?)? { language.map { ($0.language, $0.region) } }

    var language: SpokenLanguage? {
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

    /// The rate that the model was trained for, in Hz.
    ///
    /// - Throws: `SpeechError` that names what is missing when the folder is not a whole model.
    public func sampleRate() throws -> Int {
        if let problem = folder.problem { throw problem }
        return try folder.sampleRate()
    }

    var folder: ModelFolder { ModelFolder(path: path) }

    /// The file of a model of the second pass.
    var file: ModelFile { ModelFile(path: path + "/" + ModelFile.name) }

    /// Of the file of a model of the second pass, in bytes; nil for one of the first. stat(2)
    public var fileSize: Int? {
        var status = stat()
        return pass == .second && stat(file.path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Of all its files, in bytes. lstat(2)
    package var diskSize: Int {
        let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        return (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).reduce(0) { size, name in
            var status = stat()
            return lstat(folder + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? size + Int(status.st_size) : size
        }
    }

    /// - Throws: `SpeechError` that names what is missing when it is not a whole model of its pass.
    package func checkFiles() throws(SpeechError) {
        if let problem = pass == .first ? folder.problem : file.problem { throw problem }
    }

    /// Whether nothing of it is missing, as far as one can see without reading it.
    func isWhole(for pass: RecognitionPass) -> Bool { pass == .first ? folder.problem == nil : file.problem == nil }

    public init(path: String) { self.init(path: path, origin: .otherProgram) }

    init(path: String, origin: Origin) {
        self.path = path
        self.origin = origin
    }

    // Whose it is depends on who looks, and does not make it another model.
    public static func == (one: InstalledModel, other: InstalledModel) -> Bool { one.path == other.path }
    public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
