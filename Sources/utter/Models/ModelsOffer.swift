import Foundation
import Glibc
import Models
import Speech

/// The models that `utter models install LANGUAGE` offers, one for each pass.
struct ModelsOffer {
    enum Wish: String, CaseIterable {
        case first, second, both
    }

    /// The language as the user has named it.
    let reference: String
    private let language: SpokenLanguage
    private let catalog: ModelCatalog
    let trial: MachineTrial
    /// The recommended model of the second pass; nil when none knows the language.
    let second: CatalogModel?

    init(_ reference: String, _ language: SpokenLanguage, _ catalog: ModelCatalog, _ trial: MachineTrial) {
        (self.reference, self.language, self.catalog, self.trial) = (reference, language, catalog, trial)
        second = catalog.secondPassModel(for: language.identifier, on: trial.machine)
    }

    /// Returns whether a model is one of those to begin with.
    func recommends(_ name: String) -> Bool {
        name == second?.name || name == catalog.recommended(for: language, pass: .first)?.name
    }

    /// Whether an error rate was measured in another language.
    func isForeign(to rate: ErrorRate) -> Bool {
        rate.corpus?.hasPrefix("LibriSpeech") == true && language.language != "en"
    }

    /// Returns a model's memory and speed on this machine, in words; nil for a model of the first pass.
    func cost(_ model: CatalogModel) -> String? {
        guard model.pass == .second else { return nil }
        let memory = model.workingMemory.map { "about \(ModelRecord.size($0)) of memory" }
        let speed = trial.machine.speed(of: model).map { speed in
            let times = Decimals.fixed(speed, decimals: speed < 10 ? 1 : 0)
            return "\(times) times as fast as speech"
        }
        return [memory, speed].compactMap { $0 }.joined(separator: ", ")
    }

    /// The models for a wish. Where there is none of the first pass, the wish for both means the other one.
    ///
    /// - Throws: `SpeechError` when there is no such model, or there are several of the first pass.
    func models(_ wish: Wish) throws(SpeechError) -> [CatalogModel] {
        let isFirstMissing = wish == .both && catalog.recommended(for: language, pass: .first) == nil && second != nil
        let first = wish == .second || isFirstMissing ? nil : try catalog.model(for: reference)
        if wish == .first { return [first].compactMap { $0 } }
        guard let second else {
            throw SpeechError(
                .noModel,
                "no model of the second pass in the list knows \(reference); see what there is with: utter models list")
        }
        return [first, second].compactMap { $0 }
    }

    /// Asks the user at the terminal which models to install.
    ///
    /// - Returns: nil for none.
    func ask(_ isInstalled: (CatalogModel) -> Bool) throws(SpeechError) -> Wish? {
        func line(_ model: CatalogModel, _ use: String) -> String {
            let state = isInstalled(model) ? "installed already" : ModelRecord(entry: model).sizeText ?? "unknown size"
            return TerminalText.visible("  \(model.pass.rawValue) pass: \(model.name), \(state), \(use)") + "\n"
        }
        guard let first = try models(.first).first, let second else { return .first }
        Console.say(
            "For \(TerminalText.visible(reference)) there are:\n" + line(first, "which hears while you speak")
                + line(second, "which then writes capitals and punctuation")
                + "Install both, the first, the second, or none? [B/f/s/n] ", layout: .tabsAndNewlines)
        while let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased() {
            switch answer {
            case "", "b", "both", "y", "yes": return .both
            case "f", "first": return .first
            case "s", "second": return .second
            case "n", "none", "no": return nil
            default: Console.say("b for both, f for the first, s for the second, or n for none: ")
            }
        }
        return nil
    }
}
