import Foundation
import Models
import Outbox
import Speech

/// Everything that is known about one model, installed or not.
struct ModelRecord {
    var entry: CatalogModel?
    var installed: InstalledModel?
}

extension ModelRecord {
    /// Creates the record of an installed model, with its entry in the catalog if there is one.
    init(_ installed: InstalledModel, in catalog: ModelCatalog) {
        self.init(entry: catalog.model(named: installed.name), installed: installed)
    }

    var name: String { installed?.name ?? entry?.name ?? "" }

    var pass: RecognitionPass { installed?.pass ?? entry?.pass ?? .first }

    /// The installed models, and then the other models of the catalog; of each, those of the first pass come first.
    static func all(in store: ModelStore) -> [ModelRecord] {
        let catalog = store.catalog
        let installed = store.installedForBothPasses
        let names = Set(installed.map(\.name))
        return installed.map { ModelRecord($0, in: catalog) }
            + catalog.models.filter { !names.contains($0.name) }.map { ModelRecord(entry: $0) }
    }

    /// The model's locale as in BCP 47; nil when it has several languages or none is known.
    var locale: String? {
        if let locale = entry?.localeIdentifier { return locale }
        if let languages, languages.count == 1 { return languages[0] }
        guard let spoken = installed?.languageAndRegion else { return nil }
        return [spoken.language, spoken.region].compactMap { $0 }.joined(separator: "-")
    }

    /// The model's language; nil when it has several or none is known.
    var spokenLanguage: SpokenLanguage? { locale.flatMap { SpokenLanguage($0) } }

    /// What is known of a model for the second pass: what the catalog says, or else the model's file.
    var traits: SecondPassTraits? { entry?.secondPass ?? installed?.ownTraits }

    /// The codes of the languages of a model for the second pass.
    var languages: [String]? { traits?.languages }

    var language: String {
        if let name = entry?.languageName { return name }
        if let languages, languages.count > 1 { return "\(languages.count) languages" }
        return installed?.isBuiltIn == true ? "English" : locale ?? "unknown"
    }

    /// Whether the model is for a language, and for its region if `wanted` has one.
    func isFor(_ wanted: SpokenLanguage) -> Bool {
        if let traits { return traits.languages.contains(wanted.language) }
        guard let own = spokenLanguage, own.language == wanted.language else { return false }
        return wanted.region == nil || own.region == wanted.region || own.region == nil
    }

    /// The size of the installed file, or else of the download: `41 MB`, `about 1.9 GB`.
    var sizeText: String? {
        if let size = installed?.fileSize { return Self.size(size) }
        guard let entry, let size = entry.size else { return installed.map { Self.size($0.diskSize) } }
        return (entry.isSizeExact ? "" : "about ") + Self.size(size)
    }

    /// A number of bytes as text: `41 MB`.
    static func size(_ bytes: Int) -> String {
        let megabytes = Double(bytes) / 1e6
        if megabytes >= 1000 { return Decimals.fixed(megabytes / 1000, decimals: 1) + " GB" }
        return Decimals.fixed(megabytes, decimals: megabytes < 10 ? 1 : 0) + " MB"
    }

    /// An error rate as text: `2.43 % of words wrong`.
    static func text(_ rate: ErrorRate) -> String {
        "\(Decimals.short(rate.percent, decimals: 2)) % of \(rate.unit) wrong"
    }

    /// Whether another file than the catalog's is installed under this name, such as the one that `Scripts/setup` makes.
    var isOtherFile: Bool { installed?.fileSize != nil && installed?.fileSize != entry?.size }

    /// The place of an installed model, in words; empty for utter's own folder.
    var place: String? {
        guard let installed else { return nil }
        if installed.isBuiltIn { return "built in" }
        return installed.origin == .own ? "" : installed.path
    }

    func json(isInUse: Bool, isRecommended: Bool) -> String {
        let traits = traits
        return JSONValue.object([
            "inUse": isInUse, "recommended": isRecommended, "name": name, "pass": pass.rawValue,
            "installed": installed != nil, "path": installed?.path, "origin": installed?.origin.rawValue,
            "language": language, "locale": locale, "languages": languages, "type": entry?.kind.rawValue,
            "size": entry?.size, "sizeIsExact": entry?.size == nil ? nil : entry?.isSizeExact,
            "license": entry?.license, "description": entry?.details, "url": entry?.address,
            "checksum": entry?.checksums.first.map { "\($0.algorithm.rawValue):\($0.hexadecimal)" },
            "obsolete": entry?.isObsolete, "installedSize": installed?.fileSize, "family": traits?.family,
            "quantization": traits?.quantization, "times": traits?.times,
            "errorRates": entry.flatMap { $0.errorRates.isEmpty ? nil : $0.errorRates.map(json) },
            "speed": traits?.speed.map(json), "licenseURL": traits?.licenseAddress,
        ]).json
    }

    private func json(_ rate: ErrorRate) -> JSONValue {
        JSONValue.object([
            "corpus": rate.corpus, "unit": rate.unit, "percent": JSONValue.number(rate.percent, decimals: 2),
            "source": rate.source,
        ])
    }

    private func json(_ speed: SecondPassTraits.Speed) -> JSONValue {
        JSONValue.object([
            "timesRealTime": JSONValue.number(speed.timesRealTime, decimals: 2), "processor": speed.processor,
            "source": speed.source,
        ])
    }
}
