/// What a check has found out about one thing that utter needs or can use.
struct Finding: Equatable, Sendable {
    enum State: String, Equatable, Sendable {
        case fine = "ok"
        /// Something is missing that a memo does without.
        case lacking
        /// A memo would not work.
        case broken
    }

    /// One step of what mends it.
    enum Step: Equatable, Sendable {
        /// A line for a shell, as it is. Later ones rely on earlier ones, in the same shell.
        case run(String)
        /// What no command can do.
        case act(String)
    }

    /// What was looked at, in a word or two.
    var subject: String
    var state: State
    /// What there is, or what is wrong: a sentence without its full stop. Untrusted.
    var words: String
    /// What mends it, in order; empty when it is fine.
    var mend: [Step]

    static func fine(_ subject: String, _ words: String) -> Finding {
        Finding(subject: subject, state: .fine, words: words, mend: [])
    }

    static func lacking(_ subject: String, _ words: String, _ mend: [Step]) -> Finding {
        Finding(subject: subject, state: .lacking, words: words, mend: mend)
    }

    static func broken(_ subject: String, _ words: String, _ mend: [Step]) -> Finding {
        Finding(subject: subject, state: .broken, words: words, mend: mend)
    }

    /// For the terminal: a mark, the subject, the words, and below them a line for each step.
    func text(subjectWidth: Int) -> String {
        let mark =
            switch state {
            case .fine: "ok     "
            case .lacking: "lacking"
            case .broken: "BROKEN "
            }
        let padding = String(repeating: " ", count: max(0, subjectWidth - subject.count))
        let margin = String(repeating: " ", count: 11 + subjectWidth)
        let steps = mend.map { step in
            switch step {
            case .run(let line): "\(margin)run: \(TerminalText.visible(line))\n"
            case .act(let words): "\(margin)do:  \(TerminalText.visible(words))\n"
            }
        }
        return "\(mark)  \(subject)\(padding)  \(TerminalText.visible(words))\n" + steps.joined()
    }

    var json: String {
        let steps = mend.map { step in
            switch step {
            case .run(let line): JSONWriter.object(["run": JSONWriter.string(line)])
            case .act(let words): JSONWriter.object(["do": JSONWriter.string(words)])
            }
        }
        return JSONWriter.object([
            "subject": JSONWriter.string(subject), "state": JSONWriter.string(state.rawValue), "words": JSONWriter.string(words),
            "mend": JSONWriter.array(steps),
        ])
    }
}
