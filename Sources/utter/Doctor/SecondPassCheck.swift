import Models
import Speech

/// Checks the plan: which model decides on the text, and which guesses. Without a deciding model of its own, libvosk decides.
struct SecondPassCheck {
    private static let subject = "second pass"
    private let options: RecognitionOptions

    init(_ options: RecognitionOptions) { self.options = options }

    func finding() -> Finding {
        do throws(SpeechError) {
            let plan = try RecognitionPlan(
                model: options.model, locale: options.locale, secondPass: options.secondPass, guess: options.guess)
            if plan.deciding != nil { return .fine(Self.subject, plan.sentence) }
            if options.secondPass == "none" { return .fine(Self.subject, "none, as it is set: \(plan.sentence)") }
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
