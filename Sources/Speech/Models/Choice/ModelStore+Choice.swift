import Foundation

/// Which of the installed models is used. There is one rule for both passes.
extension ModelStore {
    /// The model of the first pass to use where nobody names one: the one for the user's locale, which the user has chosen or which is the
    /// best; else the one that was chosen last for whatever language; else, where all that are installed are for one language, the best
    /// of them; else the built-in one.
    ///
    /// - Parameter environment: `LC_ALL`, `LC_MESSAGES` and `LANG` say the user's locale.
    /// - Throws: `SpeechError` `.noModel` where there is not even the built-in one.
    public func standardModel(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(SpeechError) -> StandardModel {
        let installed = installed
        if let wanted = SpokenLanguage.ofUser(environment) {
            if let model = chosenModel(for: wanted, among: installed) { return StandardModel(model: model, reason: .chosen) }
            if let model = best(of: installed.filter { !$0.isBuiltIn }, for: wanted) { return StandardModel(model: model, reason: .locale) }
        }
        let last = chosen.last { choice in choice.pass == .first && installed.contains { $0.name == choice.name } }
        if let last, let model = installed.first(where: { $0.name == last.name }) { return StandardModel(model: model, reason: .chosen) }
        let others = installed.filter { !$0.isBuiltIn }
        if Set(others.map { $0.language?.language ?? $0.name }).count == 1, let model = best(of: others, for: nil) {
            return StandardModel(model: model, reason: .onlyLanguage)
        }
        return StandardModel(model: try builtIn(), reason: .builtIn)
    }

    /// The installed model of a pass for a language: the one that the user has chosen for it, or else the best.
    func model(for wanted: SpokenLanguage, pass: RecognitionPass) -> InstalledModel? {
        let installed = installed(for: pass)
        return chosenModel(for: wanted, among: installed) ?? best(of: installed, for: wanted)
    }

    private func chosenModel(for wanted: SpokenLanguage, among installed: [InstalledModel]) -> InstalledModel? {
        for choice in chosen.reversed() where choice.language == wanted.language {
            if let model = installed.first(where: { $0.name == choice.name && $0.pass == choice.pass }) { return model }
        }
        return nil
    }

    /// The best of some models: one for the region itself comes before one for another, one that keeps up with speech before one that does
    /// not, then the one with the lowest error rate in the list, and of equals the first by name. The built-in one comes last.
    ///
    /// - Parameter wanted: only those that know this language; nil takes all.
    private func best(of models: [InstalledModel], for wanted: SpokenLanguage?) -> InstalledModel? {
        // Where there is nothing to choose the lists need not be read.
        guard !models.isEmpty, models.count > 1 || wanted != nil else { return models.first }
        let catalog = catalog
        func rank(_ model: InstalledModel) -> (Int, Int, Int, Double, String)? {
            let entry = catalog.model(named: model.name)
            let traits = entry?.secondPass
            var distance = 0
            if let wanted {
                if model.pass == .second {
                    // One that the list does not have tells it by its name, as Whisper's do.
                    guard traits?.knows(wanted) ?? (model.name.hasSuffix(".en") && wanted.language == "en") else { return nil }
                } else {
                    guard let known = (entry?.language ?? model.language)?.distance(from: wanted) else { return nil }
                    distance = known
                }
            }
            let isMeasured = entry?.pass == model.pass
            return (
                model.isBuiltIn ? 1 : 0, distance, traits?.keepsUp == false ? 1 : 0, isMeasured ? entry?.errorRank ?? 100 : 100, model.name
            )
        }
        let ranked = models.compactMap { model in rank(model).map { (rank: $0, model: model) } }
        return ranked.min { $0.rank < $1.rank }?.model
    }
}

extension CatalogModel {
    /// What its errors are compared by, in percent: those of words, or else of what was counted.
    var errorRank: Double? { wordErrorRate ?? errorRates.first?.percent }
}

extension SpokenLanguage {
    /// That of the user's locale; nil where that says none, as C and POSIX do.
    package static func ofUser(_ environment: [String: String]) -> SpokenLanguage? {
        ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }.flatMap { SpokenLanguage($0) }
    }
}
