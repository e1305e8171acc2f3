import Foundation
import Glibc
import Models
import Speech

struct ModelsList: Command {
    private let store = ModelStore.ofUser()
    let arguments: ParsedArguments

    private var language: String? { arguments.operands.first }
    private var onlyInstalled: Bool { arguments[Self.onlyInstalled] }

    func run() async throws -> ExitCode {
        var records = ModelRecord.all(in: store)
        let showsAll = arguments[Self.showsAll]
        if !showsAll {
            records = records.filter {
                $0.installed != nil || $0.entry?.isObsolete == false && $0.entry?.isRecognizer == true
            }
        }
        let wanted = try language.map(find)
        if let wanted { records = records.filter { $0.isFor(wanted) } }
        let passes = arguments[Self.pass].map { [$0] } ?? RecognitionPass.allCases
        records = records.filter { passes.contains($0.pass) && ($0.installed != nil || !onlyInstalled) }
        if let language, records.isEmpty {
            let rest = onlyInstalled ? " installed" : "; see all with: utter models list"
            throw CommandError("there is no model for \(language)\(rest)", .unavailable)
        }
        let use = ModelsInUse()
        let offer = await offer(wanted)
        if arguments[Flag.json] {
            let objects = records.map {
                $0.json(isInUse: use.uses($0.installed), isRecommended: offer?.recommends($0.name) == true)
            }
            try Output.write("[\n" + objects.joined(separator: ",\n") + "\n]\n")
            return .ok
        }
        let isForOne = language != nil && !onlyInstalled
        let screen = isForOne && !showsAll ? Console.size(of: STDOUT_FILENO) : nil
        let table = ModelTable(records: records, use: use, offer: offer, screen: screen)
        let advice = isForOne ? table.advice : ""
        var text = advice + table.text(below: advice)
        if !onlyInstalled, language == nil, !records.contains(where: { $0.installed == nil }) {
            text += "\nThe list of models is missing; fetch it with: utter models update\n"
        }
        try Output.write(text)
        return .ok
    }

    /// The language that an operand means.
    ///
    /// - Parameter text: a language's code, a locale, or the language's name.
    /// - Throws: `CommandError` when the catalog has no such language.
    private func find(_ text: String) throws(CommandError) -> SpokenLanguage {
        let catalog = store.catalog
        if let language = store.knownLanguage(text) { return language }
        if RecognitionPlan.isDetected(text) {
            throw CommandError(
                "\(text) is not one language; a model that tells languages apart: utter models install whisper-base",
                .unavailable)
        }
        throw CommandError(catalog.complaint(aboutLanguage: text), .unavailable)
    }

    /// The models that `utter models install` offers for a language, or for the user's own.
    private func offer(_ wanted: SpokenLanguage?) async -> ModelsOffer? {
        guard let wanted = wanted ?? SpokenLanguage.ofUser(ProcessInfo.processInfo.environment) else { return nil }
        let trial = onlyInstalled || language == nil ? MachineTrial() : await MachineTrial.run(in: store)
        return ModelsOffer(language ?? wanted.identifier, wanted, store.catalog, trial)
    }
}

extension ModelStore {
    /// The language that a text names, by a code or a word; nil for letters that are the code of no language.
    func knownLanguage(_ text: String) -> SpokenLanguage? {
        guard let named = catalog.language(text) else { return nil }
        let isInstalled = { installedForBothPasses.contains { $0.languageAndRegion?.language == named.language } }
        return catalog.isKnown(named) || isInstalled() ? named : nil
    }
}

extension ModelCatalog {
    /// A sentence that says that a text is no language, with the one that was perhaps meant.
    func complaint(aboutLanguage text: String) -> String {
        if let code = language(meantBy: text) { return "\(text) is not a known language; did you mean \(code)?" }
        let names = Set(models.filter { $0.locale != nil }.map(\.languageName)).sorted()
        let meant = Suggestion.nearest(to: text.lowercased(), among: names.map { $0.lowercased() })
        let question = meant.flatMap { word in names.first { $0.lowercased() == word } }.map { "; did you mean \($0)?" }
        return "\(text) is not a known language\(question ?? "; see all with: utter models list")"
    }
}
