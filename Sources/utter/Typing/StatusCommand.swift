import Foundation

struct StatusCommand: Command {
    static let takesSettings = false
    let arguments: ParsedArguments

    func run() async throws -> ExitCode {
        guard arguments[Self.follows] else {
            if try await !show(.status, isStarting: false) { try write(Self.unserved) }
            return .ok
        }
        var shown: TypingStatus?
        var isFirst = true
        while true {
            if try await show(.follow, isStarting: isFirst) { shown = nil }
            isFirst = false
            // The process that serves ends, or has ended.
            let status = Self.unserved
            if status != shown { try write(status) }
            shown = status
            // No event says that another process serves.
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// Shows what the process that serves answers.
    ///
    /// - Returns: false when no process serves.
    private func show(_ action: TypingRequest.Action, isStarting: Bool) async throws -> Bool {
        try await TypingClient(action).ask(isStarting: isStarting) { answer in
            try write(answer.status)
            return arguments[Self.follows]
        }
    }

    /// Where nothing serves, nothing listens; something may wait all the same.
    private static var unserved: TypingStatus { TypingService.statusUnserved(TypingQueue()) }

    private func write(_ status: TypingStatus) throws {
        try Output.write((arguments[Flag.json] ? status.json : TerminalText.visible(status.line)) + "\n")
    }
}
