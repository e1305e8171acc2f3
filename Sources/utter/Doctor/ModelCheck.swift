import Foundation
import Speech

/// Whether the model that a memo would use is there, loads, hears and takes dictation.
struct ModelCheck {
    private static let subject = "model"
    /// What en-us stands for in the official list.
    private static let english = "vosk-model-small-en-us-0.15"
    private let recognition: RecognitionOptions
    private let surroundings: Surroundings
    private let store = ModelStore()

    init(_ recognition: RecognitionOptions, _ surroundings: Surroundings) {
        self.recognition = recognition
        self.surroundings = surroundings
    }

    func finding() async -> Finding {
        let choice = ModelChoice(model: recognition.model, locale: recognition.locale)
        let installed: InstalledModel
        do { installed = try choice.model.resolved(in: store) } catch {
            return .broken(Self.subject, CommandError(error).message, missing())
        }
        let probe = ModelProbe(model: installed, endpointSilence: recognition.endpointSilence)
        let outcome = await probe.run()
        if let problem = probe.problem(outcome) { return .broken(Self.subject, problem, repair(installed)) }
        let words = "\(installed.name) loads\(outcome.time)"
        if installed.isBuiltIn, recognition.model == nil {
            return .lacking(Self.subject, "\(words); it knows 133 words and can't take dictation", dictation(store.catalog))
        }
        return .fine(Self.subject, words)
    }

    /// Installs the very model that was asked for, where somebody has it.
    private func missing() -> [Finding.Step] {
        let catalog = store.catalog
        let wanted = (recognition.model ?? recognition.locale).flatMap { entry(for: $0, catalog) }
        return wanted.map { [.run("utter models install \($0.name)")] } ?? dictation(catalog)
    }

    /// Chooses a model that takes dictation in the user's language, or else in English: one that is here, or one that there is.
    private func dictation(_ catalog: ModelCatalog) -> [Finding.Step] {
        let locales = [recognition.locale] + ["LC_ALL", "LC_CTYPE", "LANG"].map { surroundings.environment[$0] }
        for locale in locales.compactMap({ $0 }) + ["en-us"] {
            // What says no language: C, POSIX.
            guard Locale(identifier: locale).language.languageCode?.identifier.count == 2 else { continue }
            if let here = installed(for: locale) { return Surroundings.export("UTTER_MODEL", here.name) }
            if let entry = entry(for: locale, catalog) {
                return [.run("utter models install \(entry.name)")] + Surroundings.export("UTTER_MODEL", entry.name)
            }
        }
        // There is not even a list.
        return [.run("utter models update"), .run("utter models install en-us")] + Surroundings.export("UTTER_MODEL", Self.english)
    }

    private func repair(_ model: InstalledModel) -> [Finding.Step] {
        let catalog = store.catalog
        let own = store.folders.first.map { $0 + "/" + model.name }
        if model.path != own {
            if !model.isBuiltIn { return dictation(catalog) }
            return [.act("install utter again (make install), which brings it, or choose another:")] + dictation(catalog)
        }
        let removal = Finding.Step.run("utter models remove \(ShellWord.quoted(model.name))")
        if let entry = catalog.model(named: model.name) { return [removal, .run("utter models install \(entry.name)")] }
        return [removal, .act("install it again from its archive: utter models install \(model.name) --from FILE")]
    }

    private func installed(for locale: String) -> InstalledModel? {
        do throws(SpeechError) {
            let model = try store.installedModel(for: locale)
            return model.isBuiltIn ? nil : model
        } catch {
            return nil
        }
    }

    private func entry(for reference: String, _ catalog: ModelCatalog) -> CatalogModel? {
        do throws(SpeechError) {
            let entry = try catalog.model(for: reference)
            return entry.pass == .first ? entry : nil
        } catch {
            return nil
        }
    }
}
