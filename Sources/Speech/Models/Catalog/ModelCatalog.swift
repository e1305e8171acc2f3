import Audio
import Foundation
import Glibc

/// The models that exist, as far as this machine knows: the catalog that came with utter, and over it the official list that was
/// fetched last.
public struct ModelCatalog: Sendable {
    /// In the catalog's order; what only the newer list has stands behind.
    public let models: [CatalogModel]
    /// When the official list was fetched; nil when it never was.
    public let updated: Date?

    /// The file that came with utter, and the one that `ModelStore.updateCatalog()` writes.
    static let shippedName = "catalog.json"
    static let fetchedName = "model-list.json"

    init(models: [CatalogModel], updated: Date? = nil) {
        self.models = models
        self.updated = updated
    }

    /// Reads what lies in the folders of a store. A file that can't be read or makes no sense counts as missing.
    init(folders: [String]) {
        func first(_ name: String) -> (list: CatalogList, path: String)? {
            for path in Self.paths(of: name, in: folders) {
                if let list = SmallFile.content(of: path, limit: 1 << 24).flatMap({ CatalogList($0) }) { return (list, path) }
            }
            return nil
        }
        var models = first(Self.shippedName)?.list.models ?? []
        let fetched = first(Self.fetchedName)
        var places = Dictionary(uniqueKeysWithValues: zip(models.map(\.name), models.indices))
        for newer in fetched?.list.models ?? [] {
            if let place = places[newer.name] {
                models[place].update(from: newer)
            } else {
                places[newer.name] = models.count
                models.append(newer)
            }
        }
        self.models = models
        updated = fetched.flatMap { Self.modificationDate($0.path) }
    }

    /// Where the lists of a store may lie.
    static func paths(in folders: [String]) -> [String] { [shippedName, fetchedName].flatMap { paths(of: $0, in: folders) } }

    private static func paths(of name: String, in folders: [String]) -> [String] { folders.map { $0 + "/" + name } }

    /// Foundation's own way would also ask the system's name service whose file it is. stat(2)
    private static func modificationDate(_ path: String) -> Date? {
        var status = stat()
        return stat(path, &status) == 0 ? Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec)) : nil
    }

    /// The entry of that very name.
    public func model(named name: String) -> CatalogModel? { models.first { $0.name == name } }

    /// The locales that there are models for.
    public var supportedLocales: [Locale] {
        Set(models.filter(\.isRecognizer).compactMap(\.localeIdentifier)).sorted().map { Locale(identifier: $0) }
    }

    /// The models for a locale: those for another region only where there are none for its own.
    public func models(for locale: Locale) -> [CatalogModel] { models(for: locale.identifier) }

    func models(for identifier: String) -> [CatalogModel] {
        guard let wanted = SpokenLanguage(identifier) else { return [] }
        let ranked = models.compactMap { model in model.language?.distance(from: wanted).map { (rank: $0, model: model) } }
        guard let best = ranked.map(\.rank).min() else { return [] }
        return ranked.filter { $0.rank == best }.map(\.model)
    }

    /// The one model that `reference` means: a name, its end, or a locale, which stands for that language's small model.
    ///
    /// - Throws: `SpeechError` `.noModel` when there is none, `.ambiguousModel` with the choices when there are several.
    public func model(for reference: String) throws(SpeechError) -> CatalogModel {
        let lowered = reference.lowercased()
        if let model = model(named: reference) ?? model(named: lowered) ?? models.first(where: { $0.shortName == lowered }) { return model }
        let candidates = models(for: reference).filter(\.isRecognizer)
        let current = candidates.filter { !$0.isObsolete }
        switch Self.choose(from: current.isEmpty ? candidates : current) {
        case .one(let model): return model
        case .several(let models):
            let names = models.map { "\($0.name) (\($0.languageName))" }.joined(separator: ", ")
            throw SpeechError(.ambiguousModel, "\(reference) means several models; name one of them: \(names)")
        case .none:
            throw SpeechError(
                .noModel,
                models.isEmpty
                    ? "the list of models is missing; fetch it with: utter models update"
                    : "there is no model \(reference) in the list; see what there is with: utter models list --all")
        }
    }

    private enum Choice {
        case none
        case one(CatalogModel)
        case several([CatalogModel])
    }

    /// The small one; of several, for one language, the one that is named plainly after language and version, without another project's name.
    private static func choose(from candidates: [CatalogModel]) -> Choice {
        if candidates.isEmpty { return .none }
        let small = candidates.filter { $0.kind == .small }
        let fitting = small.isEmpty ? candidates : small
        if fitting.count == 1 { return .one(fitting[0]) }
        if Set(fitting.map(\.localeIdentifier)).count == 1 {
            let plain = fitting.filter { model in
                let parts = model.shortName.split(separator: "-")
                return parts.last?.allSatisfy { $0.isNumber || $0 == "." } == true && parts.count <= 4
                    && parts.dropLast().dropFirst().allSatisfy { $0.count <= 3 }
            }
            if plain.count == 1 { return .one(plain[0]) }
        }
        return .several(fitting)
    }
}
