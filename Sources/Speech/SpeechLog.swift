import Foundation
import Synchronization

/// The messages of the engine, which are discarded unless a handler is set.
public enum SpeechLog {
    /// The severity of a message.
    public enum Severity: Sendable, Comparable {
        case information
        case warning
        case error
    }

    /// Receives the messages of the engine, on any thread.
    public typealias Handler = @Sendable (_ severity: Severity, _ message: String) -> Void

    private struct State {
        var handler: Handler?
        var lastError: String?
    }

    private static let state = Mutex(State())

    /// Sets the handler that receives the engine's messages, on any thread; `nil` discards them.
    ///
    /// Messages are about models, files and settings, and do not contain what was said. They may name a word of the
    /// user's own vocabulary that the model does not have.
    public static func setHandler(_ handler: Handler?) {
        state.withLock { $0.handler = handler }
    }

    /// Returns the last error that the engine has logged since the last call, for use in an error of ours.
    static func takeLastError() -> String? {
        state.withLock { state in
            defer { state.lastError = nil }
            return state.lastError
        }
    }

    /// Handles a line that libvosk has printed: `ERROR (VoskAPI:Model():model.cc:122) …`, or `ERROR: …`.
    static func receiveLine(_ line: Substring) {
        // OpenFST, which libvosk contains, prints in its own format.
        for prefix in ["ERROR: ", "FATAL: "] where line.hasPrefix(prefix) {
            return receive(.error, String(line.dropFirst(prefix.count)))
        }
        guard let mark = line.range(of: " (VoskAPI:"),
            let end = line.range(of: ") ", range: mark.upperBound..<line.endIndex)
        else { return receive(.information, String(line)) }
        let severity: Severity =
            switch line[..<mark.lowerBound] {
            case "LOG": .information
            case "WARNING": .warning
            default: .error
            }
        receive(severity, String(line[end.upperBound...]))
    }

    static func receive(_ severity: Severity, _ message: String) {
        let handler = state.withLock { state in
            if severity == .error { state.lastError = message }
            return state.handler
        }
        handler?(severity, message)
    }
}
