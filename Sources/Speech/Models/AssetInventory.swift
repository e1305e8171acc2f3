import Foundation

/// Which models there are for what one wants to recognize, and how to get them: the shape of Apple's `AssetInventory`.
///
///     if let request = try await AssetInventory.assetInstallationRequest(supporting: [transcriber]) {
///         try await request.downloadAndInstall()
///     }
///
/// Left out, because nothing limits how many models there may be: reserving locales.
public enum AssetInventory {
    /// What can be said of a model, the better the later.
    public enum Status: Int, Hashable, Sendable, Comparable {
        /// Nobody has one.
        case unsupported
        /// There is one, and it can be installed.
        case supported
        /// Some process is installing it right now.
        case downloading
        case installed

        public static func < (one: Status, other: Status) -> Bool { one.rawValue < other.rawValue }
    }

    /// What can be said of the models that the modules need: that of the least. Never uses the network.
    public static func status(forModules modules: [any SpeechModule], in store: ModelStore = ModelStore()) async -> Status {
        modules.compactMap(model).map { status(of: $0, in: store) }.min() ?? .installed
    }

    /// What installs the first model that the modules need and that is missing; nil when none is. Modules with several models
    /// need several.
    ///
    /// - Throws: `SpeechError` `.noModel` when nobody has one, `.ambiguousModel` when it could be several.
    public static func assetInstallationRequest(
        supporting modules: [any SpeechModule], in store: ModelStore = ModelStore()
    ) async throws(SpeechError) -> ModelInstallation? {
        for model in modules.compactMap(model) {
            if let request = try installationRequest(for: model, in: store) { return request }
        }
        return nil
    }

    private static func model(of module: any SpeechModule) -> SpeechModel? { (module as? any AnalyzerModule)?.model }

    /// The same for one model. Never uses the network.
    public static func status(of model: SpeechModel, in store: ModelStore = ModelStore()) -> Status {
        if let installed = try? model.resolved(in: store), installed.folder.problem == nil { return .installed }
        guard let reference = model.catalogReference, let entry = try? store.catalog.model(for: reference), entry.pass == .first else {
            return .unsupported
        }
        return InstallFolder.isLocked(entry.name, in: store.folders[0]) ? .downloading : .supported
    }

    /// What installs the model; nil when it is installed.
    ///
    /// - Throws: `SpeechError` `.noModel` when nobody has one, `.ambiguousModel` when it could be several.
    public static func installationRequest(
        for model: SpeechModel, in store: ModelStore = ModelStore()
    ) throws(SpeechError) -> ModelInstallation? {
        if status(of: model, in: store) == .installed { return nil }
        guard let reference = model.catalogReference else { throw missing(try model.resolved(in: store)) }
        let entry = try store.catalog.model(for: reference)
        if entry.pass == .second { throw .otherPass(.second, entry.name) }
        return store.installation(of: entry)
    }

    /// A folder that was given by its path is not for us to fill.
    private static func missing(_ model: InstalledModel) -> SpeechError {
        model.folder.problem ?? SpeechError(.noModel, "there is no model folder \(model.path)")
    }
}

extension SpeechTranscriber {
    /// The locales that there are models for.
    public static var supportedLocales: [Locale] { ModelStore().catalog.supportedLocales }

    /// The locales that an installed model is for.
    public static var installedLocales: [Locale] { ModelStore().installedLocales }
}
