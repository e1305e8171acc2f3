import Foundation

/// A reference to a model: by its folder, by the name of an installed model, or by a locale, for the best installed
/// one.
public struct ModelReference: Hashable, Sendable {
    private enum Reference: Hashable, Sendable {
        case path(String)
        case name(String)
        case locale(String)
        case standard
    }

    private let reference: Reference

    /// Creates a reference to the model in the folder at `path`.
    public init(path: String) { reference = .path(path) }

    /// Creates a reference to an installed model by any of its names; see `ModelStore.installedModel(for:pass:)`.
    public init(named name: String) { reference = .name(name) }

    /// Creates a reference to the best installed model for a locale.
    public init(locale: Locale) { reference = .locale(locale.identifier) }

    /// The model to use if none is named; see `ModelStore.standardModel(_:)`.
    public static let standard = ModelReference(reference: .standard)

    private init(reference: Reference) { self.reference = reference }

    /// The reference to look up in the catalog; nil for a folder, and for the standard model.
    package var catalogReference: String? {
        switch reference {
        case .name(let name): name
        case .locale(let identifier): identifier
        case .path, .standard: nil
        }
    }

    /// Finds the installed model.
    ///
    /// - Throws: `SpeechError` `.noModel` if it is not installed; `.ambiguousModel` if the name means several.
    public func resolved(in store: ModelStore = ModelStore()) throws(SpeechError) -> InstalledModel {
        switch reference {
        case .path(let path): return InstalledModel(path: path)
        case .name(let name): return try store.model(named: name)
        case .locale(let identifier): return try store.model(for: Locale(identifier: identifier))
        case .standard: return try store.standardModel().model
        }
    }
}
