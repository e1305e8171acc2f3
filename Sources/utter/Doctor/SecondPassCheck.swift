import Speech

/// Whether there is a second pass, which writes final text with capitals and punctuation. Everything else works without it.
struct SecondPassCheck {
    private static let subject = "second pass"
    /// As the configuration or the environment has it.
    private let reference: String?

    init(_ reference: String?) { self.reference = reference }

    func finding() -> Finding {
        if reference == "none" { return .fine(Self.subject, "none, as it is set: final text is the first pass's") }
        do {
            let model = try SecondPassModel.installed(reference)
            return .fine(Self.subject, "\(model.name) is there: final text has capitals and punctuation")
        } catch {
            // Nothing is wrong with a machine that has none and whose user has not asked for one.
            let words = "\(error); final text has no capitals and no punctuation"
            if reference == nil { return .fine(Self.subject, "none: \(words)") }
            return .lacking(Self.subject, words, [.act("name a model that is there, or run Scripts/setup in utter's checkout")])
        }
    }
}
