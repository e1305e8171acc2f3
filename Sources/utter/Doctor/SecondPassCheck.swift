import Models
import Speech

/// Checks whether there is a model for the second pass, which writes final text with capitals and punctuation. Without it
/// everything else works, unless the user has named one.
struct SecondPassCheck {
    private static let subject = "second pass"
    /// The name or path of the model that the user has set; `none` for no second pass, nil when nothing is set.
    private let reference: String?
    /// The code of the language of the first pass's model; nil when the model's name does not hold one.
    private let language: String?

    init(_ reference: String?, besides first: InstalledModel?) {
        self.reference = reference
        language = first?.languageAndRegion?.language
    }

    func finding() -> Finding {
        if reference == "none" { return .fine(Self.subject, "none, as it is set: final text is the first pass's") }
        do throws(SpeechError) {
            if reference == nil, language == nil {
                return .fine(
                    Self.subject, "none: nothing says which language is spoken; name a model with --second-pass")
            }
            let model = try SecondPassModel.installed(reference, for: language ?? "", in: .ofUser())
            return .fine(Self.subject, "\(model.name) is used: final text has capitals and punctuation")
        } catch {
            // A machine without a second pass is fine, but a memo refuses a model that its user has named and that is not there.
            if reference == nil {
                return .fine(Self.subject, "none: \(error); final text has no capitals and no punctuation")
            }
            let mend =
                error.code == .programMissing
                ? "install utter again with libtranscribe (Scripts/setup, make install), or set none"
                : "name a model that is there (utter models list --installed --pass second), or none"
            return .broken(Self.subject, error.description, [.act(mend)])
        }
    }
}
