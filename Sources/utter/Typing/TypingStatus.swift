import Outbox

/// What `utter type` is doing, as `utter status` shows it. It holds nothing that was said.
struct TypingStatus: Equatable, Sendable {
    enum State: String, CaseIterable, Codable, Sendable {
        case idle
        /// The microphone is being opened.
        case starting
        case listening
        /// Nothing more is heard; what was said is recognized and typed.
        case finishing
    }

    var state = State.idle
    /// How many utterances wait for the user.
    var waitingCount = 0
    /// Why they wait, a sentence.
    var reason: String?
    /// Why the last dictation failed, a sentence.
    var failure: String?
    /// What is wrong with the microphone now, a sentence.
    var trouble: String?
    /// What the user is to know of the last dictation, a sentence or a few.
    var warning: String?

    /// Whether the user is to look.
    private var needsAttention: Bool { waitingCount > 0 || failure != nil || trouble != nil || warning != nil }

    var line: String {
        var parts = [state.rawValue]
        if waitingCount > 0 {
            let count = waitingCount == 1 ? "1 utterance waits" : "\(waitingCount) utterances wait"
            parts.append("\(count)\(reason.map { ": \($0)" } ?? ""); utter type again, or utter type drop")
        }
        return (parts + [trouble, failure, warning].compactMap { $0 }).joined(separator: " · ")
    }

    /// The status as JSON in a line. `text`, `alt`, `class` and `tooltip` are those that waybar reads.
    var json: String {
        let text = needsAttention ? "\(state.rawValue) !" : state == .idle ? "" : state.rawValue
        return JSONValue.object([
            "state": state.rawValue, "waiting": waitingCount, "reason": reason, "failure": failure, "trouble": trouble,
            "warning": warning, "text": text, "alt": state.rawValue,
            "class": needsAttention ? "attention" : state.rawValue, "tooltip": line,
        ]).json
    }
}

extension TypingStatus: Codable {
    private enum CodingKeys: String, CodingKey {
        case state, waitingCount = "waiting", reason, failure, trouble, warning
    }
}
