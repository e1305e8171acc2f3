import Speech

/// Whether there is a second pass, which writes final text with capitals and punctuation. Everything else works without it.
struct SecondPassCheck {
    private static let subject = "second pass"
    /// As the configuration or the environment has it.
    private let reference: String?
    /// The code of the language of the first pass's model; nil when its name says none.
    private let language: String?

    init(_ reference: String?, besides first: InstalledModel?) {
        self.reference = reference
        language = first?.languageAndRegion?.language
    }

    func finding() -> Finding {
        if reference == "none" { return .fine(Self.subject, "none, as it is set: final text is the first pass's") }
        do {
            if reference == nil, language == nil {
                return .fine(Self.subject, "none: nothing says which language is spoken; name a model with --second-pass")
            }
            let model = try SecondPassModel.installed(reference, for: language ?? "", in: .ofUser())
            return .fine(Self.subject, "\(model.name) is used: final text has capitals and punctuation")
        } catch {
            // Nothing is wrong with a machine that has none and whose user has not asked for one.
            let words = "\(error); final text has no capitals and no punctuation"
            if reference == nil { return .fine(Self.subject, "none: \(words)") }
            return .lacking(
                Self.subject, words, [.act("name a model that is there (utter models list --installed --pass second), or none")])
        }
    }
}
