import Models
import Speech

/// Checks whether there is a model for the second pass, which writes final text with capitals and punctuation. Everything else
/// works without it.
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
        do {
            if reference == nil, language == nil {
                return .fine(
                    Self.subject, "none: nothing says which language is spoken; name a model with --second-pass")
            }
            let model = try SecondPassModel.installed(reference, for: language ?? "", in: .ofUser())
            return .fine(Self.subject, "\(model.name) is used: final text has capitals and punctuation")
        } catch {
            // A machine without a second pass is fine unless its user has asked for one.
            let words = "\(error); final text has no capitals and no punctuation"
            if reference == nil { return .fine(Self.subject, "none: \(words)") }
            return .lacking(
                Self.subject, words,
                [.act("name a model that is there (utter models list --installed --pass second), or none")])
        }
    }
}
