import Foundation
import Models
import Outbox
import Speech

struct ModelsUse: Command {
    private let store = ModelStore.ofUser()
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        let reference = arguments.operands[0]
        if ModelStore.isPath(reference) {
            let key = InstalledModel(path: reference).pass == .second ? "second-pass" : "model"
            throw CommandError(
                "utter models use takes an installed model; for one that lies elsewhere: utter config set \(key) \(ShellWord.quoted(reference))",
                .usage)
        }
        let model = try store.installedModel(for: reference)
        // A language means the best model for it. The 133 words are chosen only by their name.
        if model.isBuiltIn, store.catalog.language(reference) != nil {
            throw CommandError(
                "no model for \(reference) is installed but \(model.name), which knows 133 words only; to get a better one: "
                    + "utter models install \(reference)", .unavailable)
        }
        try model.checkFiles()
        let languages = try languages(for: model)
        try ConfigurationFile().change { object in
            let key = ChosenModels.key(of: model.pass)
            var chosen = object[key]?.object ?? JSONObject()
            for language in languages {
                // Removed first, so that the newest choice is the last member.
                chosen[language] = nil
                chosen[language] = .string(model.name)
            }
            object[key] = .object(chosen)
        }
        let use = ModelsInUse()
        let status = Status(isQuiet: arguments[Flag.quiet])
        status.warn("\(model.name) is chosen for \(ValueKind.list(languages, word: "and"))")
        status.warn(use.sentence(about: model))
        return .ok
    }

    /// The codes of the languages that the model is chosen for.
    private func languages(for model: InstalledModel) throws -> [String] {
        let record = ModelRecord(model, in: store.catalog)
        if let locale = arguments[Self.locale] {
            guard let language = store.knownLanguage(locale) else {
                throw arguments.specification.usageError("--locale can't be '\(locale)': give a language, such as de")
            }
            return [language.language]
        }
        let known = record.languages ?? [record.spokenLanguage?.language].compactMap { $0 }
        if known.count == 1 { return known }
        if let spoken = spoken.first(where: { known.contains($0) || known.isEmpty && model.pass == .second }) {
            return [spoken]
        }
        throw CommandError(
            "nothing says which language \(model.name) is to be used for; say it with --locale, or use it for all: utter config set "
                + "\(Setting.model(of: model.pass)) \(model.name)", .usage)
    }

    /// The codes of the languages that may be spoken, in the order in which a recognition takes them: that of the configuration, that of
    /// the chosen model of the first pass, that of the user's locale, and that of the best installed model of the first pass.
    private var spoken: [String] {
        let options = RecognitionOptions(try? Settings.load())
        let first = try? ModelChoice(model: options.model, locale: options.locale, in: store)
        let language = first?.installed.languageAndRegion?.language
        let isSaid = first.map { $0.reason == nil || $0.reason == .chosen } ?? false
        // The built-in model is English, and nobody has said so where it is used for lack of another.
        return [
            options.locale.flatMap { store.catalog.language($0)?.language }, isSaid ? language : nil,
            SpokenLanguage.ofUser(ProcessInfo.processInfo.environment)?.language,
            first?.isBuiltInByDefault == true ? nil : language,
        ].compactMap { $0 }
    }
}
