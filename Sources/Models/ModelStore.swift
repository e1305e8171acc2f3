import Foundation
import System

/// The folders in which models are, the installed models, and the catalog. Reading it never uses the network.
public struct ModelStore: Sendable {
    /// The folders that contain models. The first is the one in which models are installed, and the only one that is
    /// changed.
    public let folders: [String]
    /// The places of other programs' models: each is a model or a folder of models. They are used but never changed.
    public let otherPlaces: [String]
    /// The models that the user has chosen, the latest choice last. They may include models that are not installed.
    public var chosen: [ChosenModel] = []
    private let catalogs = CatalogCache()

    static let builtInName = "vosk-model-tiny-en"

    /// Creates the standard store: the user's own folder, those of the system, and those of other programs.
    public init() { self.init(folders: Self.standardFolders, otherPlaces: Self.standardOtherPlaces) }

    /// Creates a store of the models in `folders` and in the places of other programs.
    public init(folders: [String], otherPlaces: [String] = []) {
        self.folders = folders
        self.otherPlaces = otherPlaces
    }

    /// The standard folders: `$XDG_DATA_HOME/utter/models`; then `share/utter/models` beside the program's folder, or
    /// `Models` in a checkout, or the resources beside a program of a package that depends on this one; then
    /// `utter/models` in the folders of `$XDG_DATA_DIRS`.
    public static var standardFolders: [String] {
        let environment = ProcessInfo.processInfo.environment
        let shared = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
        let system = shared.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }.map {
            $0 + "/utter/models"
        }
        return ([BaseFolder.data.utter(environment) + "/models"] + programFolders + system).unique
    }

    /// The folders of the vosk command and package and of nerd-dictation, and the one in `VOSK_MODEL_PATH`.
    public static var standardOtherPlaces: [String] {
        let environment = ProcessInfo.processInfo.environment
        let home = BaseFolder.home(environment)
        let named = environment["VOSK_MODEL_PATH"].flatMap { $0.isEmpty ? nil : $0 }
        return [named, home + "/.cache/vosk", home + "/.config/nerd-dictation/model", "/usr/share/vosk"].compactMap {
            $0
        }
    }

    private static let programFolders: [String] = {
        guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
            return []
        }
        var folder = URL(fileURLWithPath: program).deletingLastPathComponent()
        var candidates = [folder.deletingLastPathComponent().path + "/share/utter/models"]
        // A build is a few folders deep in its checkout.
        for _ in 0..<5 where folder.path != "/" {
            folder.deleteLastPathComponent()
            candidates.append(folder.path + "/Models")
        }
        // What Swift's package manager puts beside a program that is built with this library.
        candidates.append(URL(fileURLWithPath: program).deletingLastPathComponent().path + "/utter_Models.resources")
        return candidates.filter { FileManager.default.fileExists(atPath: $0 + "/" + builtInName) }
    }()

    /// The path of the weights of the detector of speech, which come along as the built-in model does; nil if there are none.
    package static var detectorWeights: String? { shipped("silero-vad/silero_vad_16k.safetensors") }

    /// The path of the recording with which models are tried, which comes along as the built-in model does; nil if there is none.
    package static var spokenSentence: String? { shipped("spoken-sentence/weekdays.wav") }

    private static func shipped(_ name: String) -> String? {
        standardFolders.lazy.map { $0 + "/" + name }.first { FileManager.default.isReadableFile(atPath: $0) }
    }

    /// The installed models for the first pass, by folder and name; of several with one name, the first.
    public var installed: [InstalledModel] { installed(for: .first) }

    /// Returns the installed models for a pass, by folder and name; of several with one name, the first.
    public func installed(for pass: RecognitionPass) -> [InstalledModel] {
        allInstalled(for: pass).unique(by: \.name)
    }

    /// The installed models for both passes, those for the first before those for the second.
    public var installedForBothPasses: [InstalledModel] { RecognitionPass.allCases.flatMap { installed(for: $0) } }

    private func allInstalled(for pass: RecognitionPass) -> [InstalledModel] {
        func models(in folder: String, _ origin: InstalledModel.Origin) -> [InstalledModel] {
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
                .filter { !$0.hasPrefix(".") }
                .map { InstalledModel(path: folder + "/" + $0, origin: origin) }
                .filter { $0.isWhole(for: pass) }
        }
        let ours = folders.enumerated().flatMap { models(in: $1, $0 == 0 ? .own : .shared) }
        // Other programs have only models of Vosk.
        if pass == .second { return ours }
        return ours
            + otherPlaces.flatMap { place -> [InstalledModel] in
                let itself = InstalledModel(path: place, origin: .otherProgram)
                return itself.folder.problem == nil ? [itself] : models(in: place, .otherProgram)
            }
    }

    /// The catalog of models that exist.
    public var catalog: ModelCatalog { catalogs.catalog(in: folders) }

    /// The locales for which a model is installed.
    public var installedLocales: [Locale] {
        Set(installed.compactMap(\.language?.identifier)).sorted().map { Locale(identifier: $0) }
    }

    func wholeModel(named name: String, for pass: RecognitionPass = .first) -> InstalledModel? {
        allInstalled(for: pass).first { $0.name == name }
    }

    func model(for locale: Locale) throws(SpeechError) -> InstalledModel {
        if let wanted = SpokenLanguage(locale.identifier), let model = model(for: wanted, pass: .first) { return model }
        throw noModel(for: locale, .first)
    }

    func builtIn() throws(SpeechError) -> InstalledModel { try model(named: Self.builtInName) }
}
