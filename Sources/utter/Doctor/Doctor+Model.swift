import Foundation
import Models
import Speech

extension Doctor {
    private var recognition: RecognitionOptions { options.recognition }

    /// Whether the model that a memo would use is installed, loads, recognizes speech and can take dictation.
    func model() async -> Finding {
        let subject = "model"
        let plan: RecognitionPlan?
        do throws(SpeechError) {
            plan = try RecognitionPlan(recognition, in: store, surroundings.environment)
        } catch {
            // None of libvosk's models stands in for one that detects the language.
            if recognition.locale.map(RecognitionPlan.isDetected) ?? false {
                let steps =
                    "install a model that detects languages (utter models install whisper-base), or choose one language"
                return .broken(subject, CommandError(error).message, [.act(steps)])
            }
            plan = nil
        }
        // Where no model knows the language of the locale, one for English is used, which is good for English only.
        let foreign = plan?.missingLanguage.map { "; no installed model knows \($0), the language of your locale" }
        if let plan, plan.deciding != nil, plan.speech == nil {
            let words = "none of libvosk's is used: \(plan.name) decides"
            return foreign.map { .lacking(subject, words + $0, dictation()) } ?? .fine(subject, words)
        }
        let choice: ModelChoice
        do throws(SpeechError) {
            choice = try ModelChoice(
                model: recognition.model, locale: recognition.locale, in: store, surroundings.environment)
        } catch {
            return .broken(subject, CommandError(error).message, missing())
        }
        let installed = choice.installed
        let probe = ModelProbe(
            model: installed, knowsEnglish: store.knows(installed, "en"), endpointSilence: recognition.endpointSilence)
        let outcome = await probe.run()
        if let problem = probe.problem(outcome) { return .broken(subject, problem, repair(installed)) }
        let words = "\(installed.name) loads\(outcome.time)"
        if installed.isBuiltIn, recognition.model == nil, choice.reason != .chosen {
            return .lacking(subject, "\(words); it knows 133 words and can't take dictation", dictation())
        }
        return foreign.map { .lacking(subject, words + $0, dictation()) } ?? .fine(subject, words)
    }

    /// The steps when there is no model: install the one that was asked for if the catalog has it, otherwise use another.
    private func missing() -> [Finding.Step] {
        if let wanted = (recognition.model ?? recognition.locale).flatMap({ store.command(toInstall: $0) }) {
            return [.run(wanted)]
        }
        // For a locale without a model, another model would leave all commands refused.
        let isRefused = recognition.model == nil && recognition.locale != nil && !store.catalog.models.isEmpty
        return isRefused ? [.act("choose a language: utter config set locale en, or another")] : instead(of: nil)
    }

    /// The steps that install a model for dictation in the user's language, or else in English.
    private func dictation() -> [Finding.Step] {
        let install = Finding.Step.run(
            ModelAdvice(locale: recognition.locale, surroundings.environment, in: store).command)
        // The catalog may not have been downloaded yet.
        return (store.catalog.models.isEmpty ? [.run("utter models update")] : []) + [install]
    }

    /// The steps that use the standard model instead of `model`, or install one for dictation if there is no better.
    private func instead(of model: InstalledModel?) -> [Finding.Step] {
        guard let standard = try? store.standardModel(surroundings.environment).model, !standard.isBuiltIn,
            standard != model
        else { return dictation() }
        return Surroundings.export("UTTER_MODEL", standard.name)
    }

    private func repair(_ model: InstalledModel) -> [Finding.Step] {
        let own = store.folders.first.map { $0 + "/" + model.name }
        if model.path != own {
            if !model.isBuiltIn { return instead(of: model) }
            return [.act("install utter again (make install), which brings it, or choose another:")] + dictation()
        }
        let removal = Finding.Step.run("utter models remove \(ShellWord.quoted(model.name))")
        if let entry = store.catalog.model(named: model.name) {
            return [removal, .run("utter models install \(entry.name)")]
        }
        return [removal, .act("install it again from its archive: utter models install \(model.name) --from FILE")]
    }
}
