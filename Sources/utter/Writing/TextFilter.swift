import Foundation
import Synchronization
import System

/// A user's command that filters each text. If the command fails, the text stays as it is; only the first failure is reported.
final class TextFilter: Sendable {
    private let command: String
    private let timeLimit: Duration
    private let warn: @Sendable (String) -> Void
    private let hasWarned = Atomic(false)

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - command: the command, for `sh -c`.
    ///   - timeLimit: how long the command may run.
    ///   - warn: called with a sentence at the first failure, on any thread.
    init(_ command: String, timeLimit: Duration = .seconds(5), warn: @escaping @Sendable (String) -> Void) {
        (self.command, self.timeLimit, self.warn) = (command, timeLimit, warn)
    }

    /// The command's output for a text, without the line breaks at its end; the text itself when the command fails.
    func filtered(_ text: String) async -> String {
        let program = BoundedProgram("sh", ["-c", command], input: Array((text + "\n").utf8), timeLimit: timeLimit)
        let finished = await program.run()
        // The command was stopped because this process ends; that is not a failure.
        if Task.isCancelled { return text }
        switch finished.end {
        case .exited(0): break
        case .exited(let code): return failed(text, "ended with exit status \(code)")
        case .killed(let signal): return failed(text, "was killed by signal \(signal)")
        case .stopped: return failed(text, "took more than \(timeLimit.components.seconds) s")
        case .notStarted(let code): return failed(text, "can't be started: \(code.systemErrorText)")
        }
        guard !finished.isOutputCut, var output = String(validating: finished.output, as: UTF8.self) else {
            return failed(text, "printed text that is not UTF-8, or far too much")
        }
        while output.last?.isNewline == true { output.removeLast() }
        return output
    }

    private func failed(_ text: String, _ how: String) -> String {
        if !hasWarned.exchange(true, ordering: .relaxed) {
            warn("the command of --filter \(how), so the text stays as it was; this is reported once")
        }
        return text
    }
}
