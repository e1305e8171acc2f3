import Foundation
import Glibc
import Outbox
import System

/// Asks the process that serves `utter type` for something.
struct TypingClient {
    private let request: TypingRequest

    init(_ action: TypingRequest.Action, options: [String] = [], text: String? = nil) {
        let environment = ProcessInfo.processInfo.environment.filter { TypingRequest.names.contains($0.key) }
        request = TypingRequest(action: action, options: options, text: text, environment: environment)
    }

    /// Asks, and calls a function with each answer until it returns false or no more come.
    ///
    /// - Returns: false when the process does not run, and is not to be started.
    func ask(isStarting: Bool, _ body: @escaping @Sendable (TypingAnswer) throws -> Bool) async throws -> Bool {
        try await onOwnThread { [request] in
            // More than one, for a process that ends closes its connections before the socket at which it listens.
            var triesLeft = 3
            while true {
                guard let connection = try TypingSocket.connect(isStarting: isStarting) else {
                    if !isStarting { return false }
                    // It has ended since it was started, or since it kept this one from starting another.
                    triesLeft -= 1
                    if triesLeft > 0 { continue }
                    throw Self.unanswered(wasRead: false)
                }
                let lines = LineReader(connection)
                let code = Descriptor.write(request.line, to: connection)
                var isAnswered = false
                while let answer = lines.next().flatMap({ TypingAnswer(json: $0) }) {
                    isAnswered = true
                    if try !body(answer) { return true }
                }
                if isAnswered { return true }
                // The process ended before it read the request, so another one may take it. unix(7)
                triesLeft -= 1
                if triesLeft > 0, code == EPIPE || lines.errorNumber == ECONNRESET { continue }
                if code != 0 { throw FileError(.write, path: "the socket of utter type", errno: code) }
                throw Self.unanswered(wasRead: lines.errorNumber != ECONNRESET)
            }
        }
    }

    /// - Parameter wasRead: whether a process has read the request, and ended before it answered.
    private static func unanswered(wasRead: Bool) -> CommandError {
        if wasRead || !TypingQueue().isServed {
            return CommandError("the process that types has ended; utter type serve shows why", .software)
        }
        return isElsewhere
    }

    /// A process types, but nobody can ask it here.
    static let isElsewhere = CommandError(
        "the process that types does not answer: it ends when all is typed, or has another XDG_RUNTIME_DIR", .tempFail)

    /// Asks once, tells the answer's warnings, and throws its error.
    func run() async throws -> ExitCode {
        _ = try await ask(isStarting: request.action.startsProcess) { answer in
            for warning in answer.warnings { Console.tell(warning) }
            if let error = answer.error { throw error }
            return false
        }
        return .ok
    }
}
