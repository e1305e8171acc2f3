import Foundation

/// A model that lies on this machine.
public struct InstalledModel: Hashable, Sendable {
    /// The folder.
    public let path: String

    /// The folder's name.
    public var name: String { URL(fileURLWithPath: path).standardizedFileURL.lastPathComponent }

    /// Whether this is the small model that comes with utter.
    public var isBuiltIn: Bool { name == ModelStore.builtInName }

    /// The language code and, where the name says one, the region, from names such as `vosk-model-small-en-us-0.15`; `nil`
    /// when the name tells nothing.
    public var languageAndRegion: (language: String, region: String?)? {
        var parts = name.split(separator: "-").map { $0.lowercased() }[...]
        guard parts.starts(with: ["vosk", "model"]) else { return nil }
        parts = parts.dropFirst(2)
        while let size = parts.first, ["tiny", "small", "big"].contains(size) { parts = parts.dropFirst() }
        guard let language = parts.first, (2...3).contains(language.count), language.allSatisfy(\.isLetter) else { return nil }
        let region = parts.dropFirst().first.flatMap { $0.count == 2 && $0.allSatisfy(\.isLetter) ? $0.uppercased() : nil }
        return (language, region)
    }

    /// The rate that the model was trained for, in Hz.
    ///
    /// - Throws: `SpeechError` that names what is missing when the folder is not a whole model.
    public func sampleRate() throws -> Int {
        if let problem = folder.problem { throw problem }
        return try folder.sampleRate()
    }

    var folder: ModelFolder { ModelFolder(path: path) }

    public init(path: String) { self.path = path }
}
