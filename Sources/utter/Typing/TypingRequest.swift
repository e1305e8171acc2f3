import Outbox

/// A request to the process that serves `utter type`: a line of JSON, which one answer follows, or one for each change.
struct TypingRequest: Equatable, Sendable {
    enum Action: String, CaseIterable, Sendable {
        case begin, end, toggle, cancel, text, scratch, again, drop, status, follow, stop

        /// Whether the process that serves is started for it.
        var startsProcess: Bool {
            switch self {
            case .begin, .end, .toggle, .text, .scratch, .again, .drop, .follow: true
            case .cancel, .status, .stop: false
            }
        }
    }

    var action: Action
    /// The options of `utter listen`, for a dictation that begins.
    var options: [String] = []
    /// The text to type.
    var text: String?
    /// The client's variables that say where the session is, and what the microphone and the language are.
    var environment: [String: String] = [:]

    /// The variables that say what the microphone and the language are.
    static let listenerNames = ["LANG", "LC_ALL", "LC_CTYPE", "PULSE_SERVER", "UTTER_DEVICE"]
    /// The variables that the process that listens gets from the client.
    static let names = WindowSession.names + listenerNames

    var line: String {
        var members = JSONObject([
            .init(key: "do", value: .string(action.rawValue)),
            .init(key: "options", value: .array(options.map { .string($0) })),
            .init(
                key: "environment",
                value: .object(
                    JSONObject(
                        environment.sorted { $0.key < $1.key }.map { .init(key: $0.key, value: .string($0.value)) }))),
        ])
        members["text"] = text.map { .string($0) }
        return JSONValue.object(members).text + "\n"
    }
}

extension TypingRequest {
    /// Reads a request from its line; nil when it is none.
    init?(line: [UInt8]) {
        guard let members = (try? JSONParser.parse(line))?.object,
            let action = members["do"]?.string.flatMap(Action.init(rawValue:))
        else { return nil }
        self.init(action: action, text: members["text"]?.string)
        if case .array(let values) = members["options"] { options = values.compactMap(\.string) }
        for member in members["environment"]?.object?.members ?? [] where Self.names.contains(member.key) {
            environment[member.key] = member.value.string
        }
    }
}

/// The answer to a request: the status, and why the request failed where it did.
struct TypingAnswer: Equatable, Sendable {
    var status: TypingStatus
    var error: CommandError?

    static func == (left: TypingAnswer, right: TypingAnswer) -> Bool { left.line == right.line }

    var line: String {
        var members = JSONObject([.init(key: "status", value: status.value)])
        if let error {
            members["error"] = .string(error.message)
            members["exit"] = .number(String(error.exitCode.rawValue))
        }
        return JSONValue.object(members).text + "\n"
    }
}

extension TypingAnswer {
    /// Reads an answer from its line; nil when it is none.
    init?(line: [UInt8]) {
        guard let members = (try? JSONParser.parse(line))?.object,
            let status = members["status"].flatMap(TypingStatus.init)
        else { return nil }
        let exit = members["exit"]?.integer.flatMap { Int32(exactly: $0) }.flatMap(ExitCode.init) ?? .software
        self.init(status: status, error: members["error"]?.string.map { CommandError($0, exit) })
    }
}
