import Foundation
import Models

/// Reports which models exist for a module, and installs them, as Apple's `AssetInventory` does.
///
///     if let request = try await AssetInventory.assetInstallationRequest(supporting: [transcriber]) {
///         try await request.downloadAndInstall()
///     }
///
/// Locales need not be reserved, because the number of installed models is not limited.
public enum AssetInventory {
    /// The status of a model; a greater one is better.
    public enum Status: Int, Hashable, Sendable, Comparable {
        /// No such model exists.
        case unsupported
        /// The model exists, and can be installed.
        case supported
        /// A process is installing the model now.
        case downloading
        /// The model is installed.
        case installed

        /// Whether one status is worse than another.
        public static func < (one: Status, other: Status) -> Bool { one.rawValue < other.rawValue }
    }

    /// Returns the worst status among the models that the modules need. Never uses the network.
    public static func status(forModules modules: [any SpeechModule], in store: ModelStore = ModelStore()) async
        -> Status
    {
        modules.compactMap(model).map { status(of: $0, in: store) }.min() ?? .installed
    }

    /// Returns an installation of the first missing model that the modules need; nil if none is missing. Call this
    /// again after the installation, as other models may be missing.
    ///
    /// - Throws: `SpeechError` `.noModel` if no such model exists, `.ambiguousModel` if several fit.
    public static func assetInstallationRequest(
        supporting modules: [any SpeechModule], in store: ModelStore = ModelStore()
    ) async throws(SpeechError) -> ModelInstallation? {
        for model in modules.compactMap(model) {
            if let request = try installationRequest(for: model, in: store) { return request }
        }
        return nil
    }

    private static func model(of module: any SpeechModule) -> ModelReference? { (module as? any WorkerModule)?.model }

    /// Returns the status of one model. Never uses the network.
    public static func status(of model: ModelReference, in store: ModelStore = ModelStore()) -> Status {
        if let installed = try? model.resolved(in: store), installed.folder.problem == nil { return .installed }
        guard let reference = model.catalogReference, let entry = try? store.catalog.model(for: reference),
            entry.pass == .first
        else {
            return .unsupported
        }
        return InstallFolder.isLocked(entry.name, in: store.folders[0]) ? .downloading : .supported
    }

    /// Returns an installation of the model; nil if it is installed.
    ///
    /// - Throws: `SpeechError` `.noModel` if no such model exists, `.ambiguousModel` if several fit.
    public static func installationRequest(
        for model: ModelReference, in store: ModelStore = ModelStore()
    ) throws(SpeechError) -> ModelInstallation? {
        if status(of: model, in: store) == .installed { return nil }
        guard let reference = model.catalogReference else { throw missing(try model.resolved(in: store)) }
        let entry = try store.catalog.model(for: reference)
        if entry.pass == .second { throw .otherPass(.second, entry.name) }
        return store.installation(of: entry)
    }

    /// The error for a folder that was named by its path, which is never installed.
    private static func missing(_ model: InstalledModel) -> SpeechError {
        model.folder.problem ?? SpeechError(.noModel, "there is no model folder \(model.path)")
    }
}

extension SpeechTranscriber {
    /// The locales for which models exist.
    public static var supportedLocales: [Locale] { ModelStore().catalog.supportedLocales }

    /// The locales for which a model is installed.
    public static var installedLocales: [Locale] { ModelStore().installedLocales }
}
