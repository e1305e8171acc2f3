import Models
import Speech

/// Checks the plan: which model decides on the text, and which guesses. Without a deciding model of its own, libvosk decides.
struct SecondPassCheck {
    private static let subject = "second pass"
    private let options: RecognitionOptions

    init(_ options: RecognitionOptions) { self.options = options }

    func finding() async -> Finding {
        do throws(SpeechError) {
            let plan = try RecognitionPlan(
                model: options.model, locale: options.locale, secondPass: options.secondPass, guess: options.guess)
            if let deciding = plan.deciding { return await finding(about: deciding, plan) }
            if options.secondPass == "none" { return .fine(Self.subject, "none, as it is set: \(plan.sentence())") }
            return .fine(Self.subject, "none\(reason(plan.language)); final text has no capitals and no punctuation")
        } catch {
            // The model's own check says what is wrong with libvosk's. A memo refuses a model that its user has named and that is not
            // there.
            guard options.secondPass != nil else { return .fine(Self.subject, "none: \(error)") }
            let mend =
                error.code == .programMissing
                ? "install utter again with libtranscribe (Scripts/setup, make install), or set none"
                : "name a model that is there (utter models list --installed --pass second), or none"
            return .broken(Self.subject, error.description, [.act(mend)])
        }
    }

    /// Loads the deciding model in a process of its own, and lets it decode.
    private func finding(about model: SecondPassModel, _ plan: RecognitionPlan) async -> Finding {
        let sound = ProbeSound.samples(sampleRate: SecondPassModel.sampleRate)
        switch await model.probe(sound, timeLimit: .seconds(ModelProbe.timeLimit)) {
        case .works(let loading, _):
            let seconds = Decimals.fixed(loading / .seconds(1), decimals: 1)
            return .fine(Self.subject, "\(plan.sentence()); it loads in \(seconds) s")
        case .refused(let reason): return .broken(Self.subject, reason, [.act(Self.other)])
        case .crashed, .late, .failed:
            return .broken(
                Self.subject, "libtranscribe does not survive the model \(model.path); it may be damaged",
                [.act(Self.other)])
        }
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
