import Models
import Speech

extension Doctor {
    private static let secondPass = "second pass"

    /// The finding about the plan: which model decides on the text, and which guesses. Without a deciding model of its own, libvosk
    /// decides.
    func secondPass() async -> Finding {
        let options = options.recognition
        do throws(SpeechError) {
            let plan = try RecognitionPlan(options)
            if let deciding = plan.deciding { return await finding(about: deciding, plan) }
            if options.secondPass == SecondPassChoice.none {
                return .fine(Self.secondPass, "none, as it is set: \(plan.sentence())")
            }
            return .fine(Self.secondPass, "none\(reason(plan.language)); final text has no capitals and no punctuation")
        } catch {
            // A memo refuses a model that its user has named and that is not there.
            guard options.secondPass != nil else {
                return .fine(Self.secondPass, "none, for the reason that is given for the model")
            }
            let mend =
                error.code == .programMissing
                ? "install utter again with libtranscribe (Scripts/setup, make install), or set none"
                : "name a model that is there (utter models list --installed --pass second), or none"
            return .broken(Self.secondPass, error.description, [.act(mend)])
        }
    }

    /// Loads the deciding model in a process of its own, and has it hear a sentence.
    private func finding(about model: SecondPassModel, _ plan: RecognitionPlan) async -> Finding {
        let probe = ModelProbe(
            model: InstalledModel(path: model.path), deciding: model, knowsEnglish: plan.language == "en")
        let outcome = await probe.run()
        if let problem = probe.problem(outcome) { return .broken(Self.secondPass, problem, [.act(Self.other)]) }
        return .fine(Self.secondPass, "\(plan.sentence()); it loads\(outcome.time)")
    }

    private static let other =
        "install the model again, or name another one (utter models list --installed --pass second), or none"

    /// Why there is no deciding model.
    private func reason(_ language: String?) -> String {
        guard let language else { return ": nothing says which language is spoken; name a model with --second-pass" }
        do throws(SpeechError) {
            _ = try SecondPassModel.installed(for: language, in: .ofUser())
            return ""
        } catch {
            return ": \(error)"
        }
    }
}
