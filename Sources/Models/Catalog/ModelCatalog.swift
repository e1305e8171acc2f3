import Foundation
import Glibc
import System

/// The models that are known on this machine: the two lists that came with utter, one for each pass, updated by the
/// official list that was downloaded last, which has models for the first pass only.
public struct ModelCatalog: Sendable {
    /// The models in the order of the catalog, followed by those that only the official list has.
    public let models: [CatalogModel]
    /// The time at which the official list was downloaded; nil if it never was.
    public let updated: Date?

    /// The names of the lists that came with utter, and of the one that `ModelStore.updateCatalog()` writes. The models
    /// for the second pass have their own file, so that a list of an older version, which hides a later one of the same
    /// name, does not hide them.
    static let shippedName = "catalog.json"
    static let secondPassName = "second-pass.json"
    static let fetchedName = "model-list.json"
    static let names = [shippedName, secondPassName, fetchedName]

    init(models: [CatalogModel], updated: Date? = nil) {
        self.models = models
        self.updated = updated
    }

    /// Reads the lists in the folders of a store. A file that can't be read or is invalid counts as missing.
    init(folders: [String]) {
        func first(_ name: String) -> (list: CatalogList, path: String)? {
            for path in Self.paths(of: name, in: folders) {
                if let list = SmallFile.content(of: path, limit: 1 << 24).flatMap({ CatalogList($0) }) {
                    return (list, path)
                }
            }
            return nil
        }
        let fetched = first(Self.fetchedName)
        let lists = [first(Self.shippedName), first(Self.secondPassName), fetched]
        var models: [CatalogModel] = []
        var places: [String: Int] = [:]
        for newer in lists.flatMap({ $0?.list.models ?? [] }) {
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

    /// Returns the paths at which the lists of a store may be.
    static func paths(in folders: [String]) -> [String] { names.flatMap { paths(of: $0, in: folders) } }

    private static func paths(of name: String, in folders: [String]) -> [String] { folders.map { $0 + "/" + name } }

    /// Returns the modification time of a file. Foundation's function would also look up the owner by the name service.
    /// stat(2)
    private static func modificationDate(_ path: String) -> Date? {
        stat(path).map { Date(timeIntervalSince1970: Double($0.st_mtim.tv_sec)) }
    }

    /// Returns the model with exactly this name.
    public func model(named name: String) -> CatalogModel? { models.first { $0.name == name } }

    /// The locales for which models for the first pass exist.
    public var supportedLocales: [Locale] {
        Set(models.filter { $0.isRecognizer && $0.pass == .first }.compactMap(\.localeIdentifier)).sorted().map {
            Locale(identifier: $0)
        }
    }

    /// Returns the models for a locale, those for the first pass before those for the second. Models for another region
    /// are returned only if there are none for this one.
    public func models(for locale: Locale) -> [CatalogModel] { models(for: locale.identifier) }

    func models(for identifier: String) -> [CatalogModel] {
        guard let wanted = SpokenLanguage(identifier) else { return [] }
        return firstPassModels(for: wanted) + models.filter { $0.secondPass?.knows(wanted) == true }
    }

    /// Returns the model of a pass to begin with for a language, which `utter models install` offers; the first of the
    /// list if there are several.
    package func recommended(for language: SpokenLanguage, pass: RecognitionPass, on machine: Machine = .laptop)
        -> CatalogModel?
    {
        if pass == .second { return secondPassModel(for: language.identifier, on: machine) }
        return switch meaning(of: language.identifier, pass: pass) {
        case .none: nil
        case .one(let model): model
        case .several(let models): models[0]
        }
    }

    /// Returns the model for the second pass to begin with for a language: of those that a machine can bear, the one that
    /// knows the language and was made for the fewest others; the first of the list if there are several. If the machine
    /// can bear none, it is the fastest that has room in the memory, or else the smallest.
    ///
    /// - Parameters:
    ///   - identifier: a locale, such as `en-US`, or the code of a language.
    ///   - machine: the machine that decodes.
    public func secondPassModel(for identifier: String, on machine: Machine = .laptop) -> CatalogModel? {
        let known = models(for: identifier).filter { $0.pass == .second && !$0.isObsolete }
        let fitting = known.filter(machine.hasRoom)
        return fitting.filter(machine.isFastEnough)
            .min { ($0.secondPass?.languages.count ?? 0) < ($1.secondPass?.languages.count ?? 0) }
            ?? fitting.max { machine.speed(of: $0) ?? 0 < machine.speed(of: $1) ?? 0 }
            ?? known.min { $0.size ?? 0 < $1.size ?? 0 }
    }

    private func firstPassModels(for wanted: SpokenLanguage) -> [CatalogModel] {
        let ranked = models.filter { $0.pass == .first }.compactMap { model in
            model.language?.distance(from: wanted).map { (rank: $0, model: model) }
        }
        guard let best = ranked.map(\.rank).min() else { return [] }
        return ranked.filter { $0.rank == best }.map(\.model)
    }

    /// Returns the model with this name, ignoring letter case, with or without Vosk's prefix: `en-us-0.22`.
    public func model(withName reference: String) -> CatalogModel? {
        ModelName.whole(reference, among: models.map(\.name)).flatMap { model(named: $0) }
    }

    /// Returns the one model that `reference` means: a name; a locale or a language, for its small model for the first
    /// pass; or the end or another part of exactly one name.
    ///
    /// - Throws: `SpeechError` `.noModel` if there is none, `.ambiguousModel` with the choices if there are several.
    public func model(for reference: String) throws(SpeechError) -> CatalogModel {
        switch meaning(of: reference, pass: nil) {
        case .one(let model): return model
        case .several(let models):
            let names = models.map { "\($0.name) (\($0.languageName))" }.joined(separator: ", ")
            throw SpeechError(.ambiguousModel, "\(reference) means several models; name one of them: \(names)")
        case .none:
            if models.isEmpty {
                throw SpeechError(.noModel, "the list of models is missing; fetch it with: utter models update")
            }
            let hint =
                language(meantBy: reference).map { "did you mean \($0)?" }
                ?? "see what there is with: utter models list --all"
            throw SpeechError(.noModel, "there is no model \(reference) in the list; \(hint)")
        }
    }

    typealias Meaning = ModelName.Match<CatalogModel>

    /// Returns the model or models that `reference` means.
    ///
    /// - Parameter pass: the pass of the model; nil for either, where a locale means a model for the first.
    func meaning(of reference: String, pass: RecognitionPass?) -> Meaning {
        let models = models.filter { pass == nil || $0.pass == pass }
        func model(_ name: String) -> CatalogModel? { models.first { $0.name == name } }
        if let model = ModelName.whole(reference, among: models.map(\.name)).flatMap(model) { return .one(model) }
        if let wanted = language(reference) {
            if pass == .second, let model = secondPassModel(for: wanted.identifier) { return .one(model) }
            let candidates = pass == .second ? [] : firstPassModels(for: wanted).filter(\.isRecognizer)
            let current = candidates.filter { !$0.isObsolete }
            let choice = Self.choose(from: current.isEmpty ? candidates : current)
            if case .none = choice {} else { return choice }
        }
        switch ModelName.part(reference, among: models.filter { $0.isRecognizer && !$0.isObsolete }.map(\.name)) {
        case .none: return .none
        case .one(let name): return model(name).map { .one($0) } ?? .none
        case .several(let names): return .several(names.compactMap(model))
        }
    }

    /// Returns the language that a user names by a locale or a code, such as `en-US` or `de`, or by its name in English, in the
    /// language itself or in that of the user's locale.
    package func language(
        _ text: String, of environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> SpokenLanguage? {
        if let language = SpokenLanguage(text) { return language }
        let wanted = text.lowercased()
        guard (2...60).contains(wanted.count) else { return nil }
        if let model = models.first(where: { $0.languageName.lowercased() == wanted && $0.language != nil }) {
            return model.language
        }
        let codes = codes
        let usual = ["en", SpokenLanguage.ofUser(environment)?.language].compactMap { $0.map(Locale.init(identifier:)) }
        return codes.sorted().first { code in
            (usual + [Locale(identifier: code)]).contains {
                $0.localizedString(forLanguageCode: code)?.lowercased() == wanted
            }
        }.flatMap { SpokenLanguage($0) }
    }

    /// The codes of the languages for which there are models.
    private var codes: Set<String> {
        Set(models.flatMap { [$0.language?.language].compactMap { $0 } + ($0.secondPass?.languages ?? []) })
    }

    /// Whether a language has models, or is one that Foundation knows. A code that rather means a country is none, although it may be that
    /// of a language of which Foundation has only the name: `kr`, Kanuri, is typed for Korean.
    package func isKnown(_ language: SpokenLanguage) -> Bool {
        let code = language.language
        if codes.contains(code) || Locale.availableIdentifiers.contains(where: { SpokenLanguage($0)?.language == code })
        {
            return true
        }
        return Locale.LanguageCode(code).isISOLanguage && self.language(meantBy: code) == nil
    }

    /// Returns the code of the language that was perhaps meant by a code that is that of none: the usual one of a country, such as `ko` for
    /// `kr`, or that of two letters for one of three. It has models.
    package func language(meantBy text: String) -> String? {
        let parts = text.lowercased().split { "-_.".contains($0) }
        guard let code = parts.first, (2...3).contains(code.utf8.count),
            code.utf8.allSatisfy({ (0x61...0x7A).contains($0) })
        else { return nil }
        let short =
            code.utf8.count == 2
            ? Locale.Language(identifier: "und-\(code.uppercased())").maximalIdentifier
            : Locale.LanguageCode(String(code)).identifier(.alpha2)
        guard let meant = short.flatMap({ SpokenLanguage($0)?.language }), codes.contains(meant) else { return nil }
        // What is no country has likely tags as well: those of English, and for some those of another country.
        let region = code.uppercased()
        let isCountry = Locale.Region(region).isISORegion && short?.hasSuffix("-" + region) == true
        return code.utf8.count == 3 || isCountry ? meant : nil
    }

    /// Chooses the small model. Of several for one language it chooses the one whose name has only the language and the
    /// version, without the name of another project.
    private static func choose(from candidates: [CatalogModel]) -> Meaning {
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
