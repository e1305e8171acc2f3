import Foundation
import Synchronization

struct StatusCommand: Command {
    static let takesSettings = false
    let arguments: ParsedArguments

    func run() async throws -> ExitCode {
        let output = StatusOutput(isJSON: arguments[Flag.json])
        guard arguments[Self.follows] else {
            if try await !show(.status, isStarting: false, on: output) {
                // A process that ends answers nobody any more either, but its socket is still there.
                if TypingSocket.mayBeElsewhere, TypingQueue().isServed { throw TypingClient.isElsewhere }
                try output.write(Self.unserved)
            }
            return .ok
        }
        var isFirst = true
        while true {
            _ = try await show(.follow, isStarting: isFirst, on: output)
            isFirst = false
            // The process that serves ends, or has ended.
            try output.write(Self.unserved)
            // No event says that another process serves.
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// Shows what the process that serves answers.
    ///
    /// - Returns: false when no process serves.
    private func show(
        _ action: TypingRequest.Action, isStarting: Bool, on output: StatusOutput
    ) async throws -> Bool {
        try await TypingClient(action).ask(isStarting: isStarting) { answer in
            try output.write(answer.status)
            return arguments[Self.follows]
        }
    }

    /// Where nothing serves, nothing listens; something may wait all the same.
    private static var unserved: TypingStatus { TypingService.statusUnserved(TypingQueue()) }
}

/// Writes a line for each status that differs from the one before, whoever has given them.
private final class StatusOutput: Sendable {
    private let isJSON: Bool
    private let written = Mutex<TypingStatus?>(nil)

    init(isJSON: Bool) { self.isJSON = isJSON }

    func write(_ status: TypingStatus) throws {
        let isNew = written.withLock { written in
            defer { written = status }
            return written != status
        }
        if isNew { try Output.write((isJSON ? status.json : TerminalText.visible(status.line)) + "\n") }
    }
}
