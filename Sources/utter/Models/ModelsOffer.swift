import Foundation
import Glibc
import Models
import Speech

/// The models that `utter models install LANGUAGE` offers, one for each pass.
struct ModelsOffer {
    /// The passes for which to install models.
    enum Wish: String, CaseIterable {
        case first, second, both
    }

    private let reference: String
    private let catalog: ModelCatalog
    /// The recommended model of the second pass; nil when none knows the language.
    let second: CatalogModel?

    /// Creates the offer for a language.
    ///
    /// - Parameters:
    ///   - reference: a locale, such as `en-us`.
    ///   - catalog: the catalog.
    init(_ reference: String, _ catalog: ModelCatalog) {
        (self.reference, self.catalog) = (reference, catalog)
        second = catalog.secondPassModel(for: reference)
    }

    /// The models for a wish.
    ///
    /// - Throws: `SpeechError` when there is no such model, or there are several of the first pass.
    func models(_ wish: Wish) throws(SpeechError) -> [CatalogModel] {
        let first = wish == .second ? nil : try catalog.model(for: reference)
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
