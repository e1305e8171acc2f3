import Foundation

/// Where models lie and which there are.
public struct ModelStore: Sendable {
    /// The folders that hold model folders, the user's own first.
    public let folders: [String]

    static let builtInName = "vosk-model-tiny-en"

    public init(folders: [String] = ModelStore.standardFolders) { self.folders = folders }

    /// `$XDG_DATA_HOME/utter/models`, then `share/utter/models` beside the program's own folder, or in a checkout its Models.
    public static var standardFolders: [String] {
        let environment = ProcessInfo.processInfo.environment
        let data =
            environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share"
        return [data + "/utter/models"] + programFolders
    }

    private static let programFolders: [String] = {
        guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return [] }
        var folder = URL(fileURLWithPath: program).deletingLastPathComponent()
        var candidates = [folder.deletingLastPathComponent().path + "/share/utter/models"]
        // A build lies a few folders deep in its checkout.
        for _ in 0..<5 where folder.path != "/" {
            folder.deleteLastPathComponent()
            candidates.append(folder.path + "/Models")
        }
        return candidates.filter { FileManager.default.fileExists(atPath: $0 + "/" + builtInName) }
    }()

    /// The models that are there, by folder and name.
    public var installed: [InstalledModel] {
        var names: Set<String> = []
        return folders.flatMap { folder in
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
                .map { InstalledModel(path: folder + "/" + $0) }
                .filter { $0.folder.problem == nil && names.insert($0.name).inserted }
        }
    }

    func model(named name: String) throws(SpeechError) -> InstalledModel {
        for folder in folders where !name.contains("/") && !name.hasPrefix(".") {
            let model = InstalledModel(path: folder + "/" + name)
            // A broken one is found too, so that loading it says what is missing.
            if FileManager.default.fileExists(atPath: model.path) { return model }
        }
        throw SpeechError(.noModel, "no model named \(name) is installed\(listing)")
    }

    func model(for locale: Locale) throws(SpeechError) -> InstalledModel {
        let wanted = locale.identifier.replacingOccurrences(of: "_", with: "-").split(separator: "-").map(String.init)
        let language = wanted.first?.lowercased()
        let region = wanted.dropFirst().first { $0.count == 2 }?.uppercased()
        // The region's own before another's, a dictation model before the built-in one.
        func rank(_ model: InstalledModel) -> Int? {
            guard let spoken = model.languageAndRegion, spoken.language == language else { return nil }
            let regionRank = region == nil || spoken.region == region ? 0 : spoken.region == nil ? 1 : 2
            return (model.isBuiltIn ? 10 : 0) + regionRank
        }
        let candidates = installed.compactMap { model in rank(model).map { (rank: $0, model: model) } }
        guard let best = candidates.min(by: { $0.rank < $1.rank }) else {
            throw SpeechError(.noModel, "no model for \(locale.identifier) is installed\(listing)")
        }
        return best.model
    }

    func builtIn() throws(SpeechError) -> InstalledModel { try model(named: Self.builtInName) }

    private var listing: String {
        let names = installed.map(\.name)
        return names.isEmpty
            ? "; put a model's folder into \(folders.first ?? "the model folder")"
            : "; there are: \(names.joined(separator: ", "))"
    }
}
