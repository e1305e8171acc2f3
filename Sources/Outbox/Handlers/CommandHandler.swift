import Foundation
import Glibc
import System

/// Passes each capture to a shell command: the text on its standard input; UTTER_ID, UTTER_TIME and UTTER_KIND in its
/// environment. Exit status 0 means that the command has taken the capture. It may get the same UTTER_ID again. It runs in the
/// user's home folder, for the process that drains may have any working folder.
public struct CommandHandler: OutboxHandler, ProgramHandler {
    private let command: String
    private let timeLimit: Duration

    /// Creates a handler that runs a shell command.
    ///
    /// - Parameters:
    ///   - command: the command, for `/bin/sh -c`.
    ///   - timeLimit: how long the command may run.
    public init(_ command: String, timeLimit: Duration = .seconds(60)) {
        self.command = command
        self.timeLimit = timeLimit
    }

    /// What two commands append to one file at once would be mixed.
    public var deliversInOrder: Bool { true }

    public func deliver(_ operation: OutboxOperation) async -> DeliveryOutcome { await attempt(operation).outcome }

    package func attempt(_ operation: OutboxOperation) async -> (outcome: DeliveryOutcome, words: [UInt8]) {
        guard let capture = CapturedText(payload: operation.payload) else { return (.notACapture, []) }
        let environment = [
            "UTTER_ID": operation.id.name, "UTTER_TIME": capture.timestamp, "UTTER_KIND": operation.destination,
        ]
        let home = BaseFolder.home(ProcessInfo.processInfo.environment)
        let program = BoundedProgram(
            "/bin/sh", ["-c", command], environment: environment,
            folder: access(home, X_OK) == 0 ? home : nil, input: Array(capture.text.utf8), timeLimit: timeLimit)
        let finished = await program.run()
        // The shell could not find the command, or could not run it.
        if case .exited(let status) = finished.end, status == 126 || status == 127 {
            return (.needsUser(reason: "the command can't be run (exit status \(status))"), finished.errors)
        }
        return (finished.end.outcome(of: "the command", within: timeLimit), finished.errors)
    }
}
