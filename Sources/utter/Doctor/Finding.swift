import Outbox

/// The result of a check of one thing that utter needs or can use.
struct Finding: Equatable, Sendable {
    /// How much is wrong.
    enum State: String, Equatable, Sendable {
        case fine = "ok"
        /// Something is missing that a memo can do without.
        case lacking
        /// A memo would not work.
        case broken
    }

    enum Step: Equatable, Sendable {
        /// A line for a shell. Later lines need the same shell as earlier ones.
        case run(String)
        /// A sentence about what the user has to do by hand.
        case act(String)
    }

    /// What was checked, in a word or two.
    var subject: String
    var state: State
    /// What was found: a sentence without its full stop. Untrusted, for it may hold names from outside.
    var words: String
    /// The steps of the repair, in order; empty when nothing is wrong.
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

    /// The finding as text for a terminal: the state, the subject and the words, and below them a line for each step.
    func text(subjectWidth: Int) -> String {
        let mark =
            switch state {
            case .fine: "ok     "
            case .lacking: "lacking"
            case .broken: "BROKEN "
            }
        let margin = String(repeating: " ", count: 11 + subjectWidth)
        let steps = mend.map { step in
            switch step {
            case .run(let line): "\(margin)run: \(TerminalText.visible(line))\n"
            case .act(let words): "\(margin)do:  \(TerminalText.visible(words))\n"
            }
        }
        return "\(mark)  \(padded(subject, to: subjectWidth))  \(TerminalText.visible(words))\n" + steps.joined()
    }

    var json: String {
        let steps = mend.map { step in
            switch step {
            case .run(let line): JSONValue.object(["run": line])
            case .act(let words): JSONValue.object(["do": words])
            }
        }
        return JSONValue.object([
            "subject": subject, "state": state.rawValue, "words": words, "mend": steps,
        ]).json
    }
}
