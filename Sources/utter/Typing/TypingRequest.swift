import System

/// A request to the process that serves `utter type`: a line of JSON, which one answer follows, or one for each change.
struct TypingRequest: Equatable, Sendable {
    enum Action: String, CaseIterable, Codable, Sendable {
        case begin, end, toggle, cancel, text, scratch, again, drop, status, follow, stop

        /// Whether the process that serves is started for it.
        var startsProcess: Bool { ![.cancel, .status, .stop].contains(self) }
    }

    var action: Action
    /// The options of `utter listen`, for a dictation that begins.
    var options: [String] = []
    /// The text to type.
    var text: String?
    /// The client's variables that say where the session is, and what the process that listens is to use.
    var environment: [String: String] = [:]

    /// The variables that say what the microphone and the language are, and those of the settings.
    static let listenerNames = ["LANG", "LC_ALL", "LC_CTYPE", "PULSE_SERVER"] + Setting.all.compactMap(\.variable)
    /// The variables that the process that listens gets from the client.
    static let names = WindowSession.names + listenerNames

    var line: String { jsonLine + "\n" }
}

extension TypingRequest: Codable {
    private enum CodingKeys: String, CodingKey { case action = "do", options, text, environment }

    /// Reads a request from its line, with the variables that a session needs and no others; nil when it is none.
    init?(line: [UInt8]) {
        self.init(json: line)
        environment = environment.filter { Self.names.contains($0.key) }
    }
}

/// The answer to a request: the status, why the request failed where it did, and what the user is to know of the dictation.
struct TypingAnswer: Equatable, Sendable, Codable {
    let status: TypingStatus
    private var message: String?
    private var exit: Int32?
    private var warned: [String]?

    private enum CodingKeys: String, CodingKey { case status, message = "error", exit, warned = "warnings" }

    init(status: TypingStatus, error: CommandError? = nil, warnings: [String] = []) {
        (self.status, message, exit) = (status, error?.message, error?.exitCode.rawValue)
        warned = warnings.isEmpty ? nil : warnings
    }

    /// Each is a sentence.
    var warnings: [String] { warned ?? [] }

    var error: CommandError? {
        message.map { CommandError($0, exit.flatMap { ExitCode(rawValue: $0) } ?? .software) }
    }

    var line: String { jsonLine + "\n" }
}
