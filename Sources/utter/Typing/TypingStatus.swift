import Outbox

/// What `utter type` is doing, as `utter status` shows it. It holds nothing that was said.
struct TypingStatus: Equatable, Sendable {
    enum State: String, CaseIterable, Sendable {
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

    var line: String {
        var parts = [state.rawValue]
        if waitingCount > 0 {
            let count = waitingCount == 1 ? "1 utterance waits" : "\(waitingCount) utterances wait"
            parts.append("\(count)\(reason.map { ": \($0)" } ?? ""); utter type again, or utter type drop")
        }
        if let failure { parts.append(failure) }
        return parts.joined(separator: " · ")
    }

    /// The status as JSON in a line. `text`, `alt`, `class` and `tooltip` are those that waybar reads.
    var json: String { value.text }

    var value: JSONValue {
        var members = JSONObject([
            .init(key: "state", value: .string(state.rawValue)),
            .init(key: "waiting", value: .number(String(waitingCount))),
        ])
        members["reason"] = reason.map { .string($0) }
        members["failure"] = failure.map { .string($0) }
        members["text"] = .string(
            state == .idle && waitingCount == 0 ? "" : waitingCount > 0 ? "\(state.rawValue) !" : state.rawValue)
        members["alt"] = .string(state.rawValue)
        members["class"] = .string(waitingCount > 0 || failure != nil ? "attention" : state.rawValue)
        members["tooltip"] = .string(line)
        return .object(members)
    }
}

extension TypingStatus {
    /// Reads a status from its JSON; nil when it is none.
    init?(_ value: JSONValue) {
        guard let members = value.object, let state = members["state"]?.string.flatMap(State.init(rawValue:)) else {
            return nil
        }
        self.init(
            state: state, waitingCount: members["waiting"]?.integer ?? 0, reason: members["reason"]?.string,
            failure: members["failure"]?.string)
    }
}
