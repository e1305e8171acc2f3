import Foundation

/// The choice among the installed models, by one rule for both passes.
extension ModelStore {
    /// Returns the model for the first pass to use if none is named. It is, in this order:
    ///
    /// 1. the model for the user's locale: the one that the user has chosen, or else the best;
    /// 2. the model that the user chose last, for any language;
    /// 3. the best installed model, if all are for one language, and that may be the one of the user's locale: it is the same, or one
    ///    of the two is not known;
    /// 4. the best installed model for English, if no model is for the user's locale;
    /// 5. the built-in model.
    ///
    /// - Parameter environment: the environment, whose `LC_ALL`, `LC_MESSAGES` and `LANG` name the user's locale.
    /// - Throws: `SpeechError` `.noModel` if there is not even a built-in model.
    public func standardModel(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(SpeechError) -> StandardModel {
        let installed = installed
        if let wanted = SpokenLanguage.ofUser(environment) {
            if let model = chosenModel(for: wanted, among: installed) {
                return StandardModel(model: model, reason: .chosen)
            }
            if let model = best(of: installed.filter { !$0.isBuiltIn }, for: wanted) {
                return StandardModel(model: model, reason: .locale)
            }
        }
        let last = chosen.last { choice in choice.pass == .first && installed.contains { $0.name == choice.name } }
        if let last, let model = installed.first(where: { $0.name == last.name }) {
            return StandardModel(model: model, reason: .chosen)
        }
        let others = installed.filter { !$0.isBuiltIn }
        let isForeign = SpokenLanguage.ofUser(environment) != nil && others.contains { $0.language != nil }
        if !isForeign, Set(others.map { $0.language?.language ?? $0.name }).count == 1,
            let model = best(of: others, for: nil)
        {
            return StandardModel(model: model, reason: .onlyLanguage)
        }
        if isForeign, let model = best(of: others, for: SpokenLanguage("en")) {
            return StandardModel(model: model, reason: .english)
        }
        return StandardModel(model: try builtIn(), reason: .builtIn)
    }

    /// Returns the installed model of a pass for a language: the one that the user has chosen, or else the best.
    package func model(for wanted: SpokenLanguage, pass: RecognitionPass) -> InstalledModel? {
        let installed = installed(for: pass)
        return chosenModel(for: wanted, among: installed) ?? best(of: installed, for: wanted)
    }

    /// Returns the best stronger model that detects which of some languages is spoken.
    ///
    /// - Parameter languages: the codes of the languages; empty for all that the model knows.
    package func model(detecting languages: [String]) -> InstalledModel? {
        let catalog = catalog
        let fitting = installed(for: .second).filter {
            guard let known = $0.traits(catalog.model(named: $0.name)), known.detectsLanguage else { return false }
            return languages.allSatisfy(known.languages.contains)
        }
        return best(of: fitting, for: nil)
    }

    /// Returns the model of the catalog to install for detecting which of some languages is spoken, and the first of the languages that no such
    /// model knows.
    package func modelToInstall(detecting languages: [String]) -> (name: String?, unknown: String?) {
        let detecting = catalog.models.filter { $0.secondPass?.detectsLanguage == true }
        func knows(_ model: CatalogModel, _ language: String) -> Bool {
            model.secondPass?.languages.contains(language) == true
        }
        let fitting = detecting.filter { model in languages.allSatisfy { knows(model, $0) } }.map(\.name)
        let unknown = languages.first { language in !detecting.contains { knows($0, language) } }
        return (fitting.first { $0 == "whisper-base" } ?? fitting.first, unknown)
    }

    private func chosenModel(for wanted: SpokenLanguage, among installed: [InstalledModel]) -> InstalledModel? {
        for choice in chosen.reversed() where choice.language == wanted.language {
            if let model = installed.first(where: { $0.name == choice.name && $0.pass == choice.pass }) { return model }
        }
        return nil
    }

    /// Returns the best of some models. A model for the same region is better than one for another, one that keeps up
    /// with speech better than one that does not, and then one with a lower error rate better than one with a higher.
    /// Of equal models the first by name is returned, and the built-in one is the last.
    ///
    /// - Parameter wanted: the language that the models must know; nil for any.
    private func best(of models: [InstalledModel], for wanted: SpokenLanguage?) -> InstalledModel? {
        // If there is no choice, the lists need not be read.
        guard !models.isEmpty, models.count > 1 || wanted != nil else { return models.first }
        let catalog = catalog
        func rank(_ model: InstalledModel) -> (Int, Int, Int, Double, String)? {
            let entry = catalog.model(named: model.name)
            var distance = 0
            if let wanted {
                guard let known = model.distance(from: wanted, entry) else { return nil }
                distance = known
            }
            let isMeasured = entry?.pass == model.pass
            return (
                model.isBuiltIn ? 1 : 0, distance, entry?.secondPass?.keepsUp == false ? 1 : 0,
                isMeasured ? entry?.errorRank ?? 100 : 100, model.name
            )
        }
        let ranked = models.compactMap { model in rank(model).map { (rank: $0, model: model) } }
        return ranked.min { $0.rank < $1.rank }?.model
    }
}

extension ModelStore {
    /// Whether a model is known to understand a language.
    ///
    /// - Parameter language: the code of the language, such as `en`.
    package func knows(_ model: InstalledModel, _ language: String) -> Bool {
        SpokenLanguage(language).flatMap { model.distance(from: $0, catalog.model(named: model.name)) } != nil
    }
}

extension InstalledModel {
    /// Returns what is known of a model for the second pass: what the catalog says of it, or else its file.
    fileprivate func traits(_ entry: CatalogModel?) -> SecondPassTraits? { entry?.secondPass ?? ownTraits }

    /// How well the model serves a user of a language: less is better, and nil is not at all.
    ///
    /// - Parameter entry: what the catalog has of the model. One that it does not have says its languages in its file, or names its
    ///   language, as Vosk's and Whisper's do.
    fileprivate func distance(from wanted: SpokenLanguage, _ entry: CatalogModel?) -> Int? {
        if pass == .first { return (entry?.language ?? language)?.distance(from: wanted) }
        return traits(entry)?.knows(wanted) ?? (name.hasSuffix(".en") && wanted.language == "en") ? 0 : nil
    }
}

extension CatalogModel {
    /// The percentage by which models are compared: of wrong words, or else of whatever was counted.
    var errorRank: Double? { wordErrorRate ?? errorRates.first?.percent }
}

extension SpokenLanguage {
    /// Returns the language of the user's locale; nil if that has none, as C and POSIX do.
    package static func ofUser(_ environment: [String: String]) -> SpokenLanguage? {
        ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }.flatMap {
            SpokenLanguage($0)
        }
    }
}
