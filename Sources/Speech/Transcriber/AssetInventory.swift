import Foundation
import Models
import Synchronization

/// Reports which models exist for a module, and installs them, as Apple's `AssetInventory` does.
///
///     if let request = try await AssetInventory.assetInstallationRequest(supporting: [transcriber]) {
///         try await request.downloadAndInstall()
///     }
///
/// Locales need not be reserved, because the number of installed models is not limited. What reserves and releases them
/// remembers them for this process, and does nothing else.
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
        modules.flatMap { needs(of: $0) }.map { $0.status(in: store) }.min() ?? .installed
    }

    /// Returns the installation of all missing models that the modules need; nil if none is missing.
    ///
    /// - Throws: `SpeechError` `.noModel` if no such model exists, `.ambiguousModel` if several fit.
    public static func assetInstallationRequest(
        supporting modules: [any SpeechModule], in store: ModelStore = ModelStore()
    ) async throws(SpeechError) -> AssetInstallationRequest? {
        var installations: [ModelInstallation] = []
        for need in modules.flatMap({ needs(of: $0) }) {
            if let installation = try need.installationRequest(in: store) { installations.append(installation) }
        }
        return installations.isEmpty ? nil : AssetInstallationRequest(installations)
    }

    /// A model that a module needs.
    private enum Need {
        case speech(ModelReference)
        /// The model for the second pass of a language.
        case deciding(language: String)

        func status(in store: ModelStore) -> Status {
            switch self {
            case .speech(let model): return AssetInventory.status(of: model, in: store)
            case .deciding(let language):
                if SecondPassFiles.standard.library == nil { return .unsupported }
                if SpokenLanguage(language).flatMap({ store.model(for: $0, pass: .second) }) != nil {
                    return .installed
                }
                guard let entry = store.catalog.secondPassModel(for: language) else { return .unsupported }
                return InstallFolder.isLocked(entry.name, in: store.folders[0]) ? .downloading : .supported
            }
        }

        func installationRequest(in store: ModelStore) throws(SpeechError) -> ModelInstallation? {
            switch self {
            case .speech(let model): return try AssetInventory.installationRequest(for: model, in: store)
            case .deciding(let language):
                if status(in: store) == .installed { return nil }
                guard SecondPassFiles.standard.library != nil, let entry = store.catalog.secondPassModel(for: language)
                else {
                    _ = try SecondPassModel.installed(for: language)
                    return nil
                }
                return store.installation(of: entry)
            }
        }
    }

    private static func needs(of module: any SpeechModule) -> [Need] {
        guard let module = module as? any WorkerModule else { return [] }
        return [module.decidingLanguage.map { .deciding(language: $0) }, module.model.map { .speech($0) }]
            .compactMap(\.self)
    }

    // MARK: Reservations

    private static let reserved = Mutex<[Locale]>([])

    /// The most locales that can be reserved: there is no limit.
    public static var maximumReservedLocales: Int { .max }

    /// The locales that this process has reserved.
    public static var reservedLocales: [Locale] { get async { reserved.withLock(\.self) } }

    /// Remembers a locale. Its models are used, and stay installed, without that.
    ///
    /// - Returns: whether it was not reserved before.
    @discardableResult
    public static func reserve(locale: Locale) async throws -> Bool {
        reserved.withLock { reserved in
            if reserved.contains(locale) { return false }
            reserved.append(locale)
            return true
        }
    }

    /// Forgets a locale that was reserved. Its models stay installed.
    ///
    /// - Returns: whether it was reserved.
    @discardableResult
    public static func release(reservedLocale locale: Locale) async -> Bool {
        reserved.withLock { reserved in
            let count = reserved.count
            reserved.removeAll { $0 == locale }
            return reserved.count < count
        }
    }

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
        guard let reference = model.catalogReference else {
            // A folder that was named by its path, which is never installed.
            let named = try model.resolved(in: store)
            throw named.folder.problem ?? SpeechError(.noModel, "there is no model folder \(named.path)")
        }
        let entry = try store.catalog.model(for: reference)
        if entry.pass == .second { throw .otherPass(.second, entry.name) }
        return store.installation(of: entry)
    }
}
