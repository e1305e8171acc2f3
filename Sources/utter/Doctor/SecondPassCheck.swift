import Speech

/// Whether there is a second pass, which writes final text with capitals and punctuation. Everything else works without it.
struct SecondPassCheck {
    private static let subject = "second pass"
    /// As the configuration or the environment has it.
    private let reference: String?

    init(_ reference: String?) { self.reference = reference }

    func finding() -> Finding {
        if reference == "none" { return .fine(Self.subject, "none, as it is set: final text is the first pass's") }
        let model: SecondPassModel
        do {
            model = try SecondPassModel.installed(reference)
        } catch {
            let mend: [Finding.Step] = [.act("run Scripts/setup in utter's checkout")]
            return .lacking(Self.subject, "\(error); final text has no capitals and no punctuation", mend)
        }
        return .fine(Self.subject, "\(model.name) is there: transcribe writes capitals and punctuation")
    }
}
