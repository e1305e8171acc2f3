/// What a check has found out about one thing that utter needs or can use.
struct Finding: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        case fine
        /// Something is missing that a memo does without.
        case lacking(mend: String)
        /// A memo would not work.
        case broken(mend: String)
    }

    /// What was looked at, in a word or two.
    var subject: String
    /// What there is, or what is wrong: a sentence without its full stop. Untrusted.
    var words: String
    var kind: Kind

    /// The command or the step that mends it.
    var mend: String? {
        switch kind {
        case .fine: nil
        case .lacking(let mend), .broken(let mend): mend
        }
    }

    var isBroken: Bool { if case .broken = kind { true } else { false } }

    /// For the terminal: a mark, the subject, the words, and below what mends it.
    func text(subjectWidth: Int) -> String {
        let mark =
            switch kind {
            case .fine: "ok     "
            case .lacking: "lacking"
            case .broken: "BROKEN "
            }
        let padding = String(repeating: " ", count: max(0, subjectWidth - subject.count))
        let line = "\(mark)  \(subject)\(padding)  \(TerminalText.visible(words))\n"
        guard let mend else { return line }
        return line + String(repeating: " ", count: 11 + subjectWidth) + "mend: \(TerminalText.visible(mend))\n"
    }

    var json: String {
        JSONWriter.object([
            "subject": JSONWriter.string(subject),
            "state": kind == .fine ? "\"ok\"" : isBroken ? "\"broken\"" : "\"lacking\"",
            "words": JSONWriter.string(words), "mend": mend.map(JSONWriter.string),
        ])
    }
}
