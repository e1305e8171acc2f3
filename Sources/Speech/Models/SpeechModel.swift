import Foundation

/// Which model to use: a folder, the name of an installed one, or the best installed one for a locale.
public struct SpeechModel: Hashable, Sendable {
    private enum Reference: Hashable, Sendable {
        case path(String)
        case name(String)
        case locale(String)
        case standard
    }

    private let reference: Reference

    /// The model in a folder.
    public init(path: String) { reference = .path(path) }

    /// An installed model, by what people call it; see `ModelStore.installedModel(for:pass:)`.
    public init(named name: String) { reference = .name(name) }

    /// The best installed model for a locale.
    public init(locale: Locale) { reference = .locale(locale.identifier) }

    /// The model to use when nobody said; see `ModelStore.standardModel(_:)`.
    public static let standard = SpeechModel(reference: .standard)

    private init(reference: Reference) { self.reference = reference }

    /// What to look for in the catalog; nil for a folder, and for the model that comes with utter.
    var catalogReference: String? {
        switch reference {
        case .name(let name): name
        case .locale(let identifier): identifier
        case .path, .standard: nil
        }
    }

    /// Finds the model.
    ///
    /// - Throws: `SpeechError` `.noModel` when it is not there.
    public func resolved(in store: ModelStore = ModelStore()) throws(SpeechError) -> InstalledModel {
        switch reference {
        case .path(let path): return InstalledModel(path: path)
        case .name(let name): return try store.model(named: name)
        case .locale(let identifier): return try store.model(for: Locale(identifier: identifier))
        case .standard: return try store.standardModel().model
        }
    }
}
