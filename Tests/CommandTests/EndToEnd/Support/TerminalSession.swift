import Foundation
import Glibc
import TestSupport
import Testing

/// Everything that was written to a terminal, and its screen at the end.
struct TerminalSession {
    /// Everything that was written.
    var stream: String
    /// The lines of the screen, without the empty ones at its end.
    var screen: [String]

    /// A session that is running.
    struct Running: Sendable {
        /// A program that outputs what is written to the terminal.
        let stream: Program
        fileprivate let tmux: @Sendable (_ arguments: [String]) async throws -> Program.Finished

        /// Presses keys, by tmux's names for them.
        func press(_ keys: String...) async throws { _ = try await tmux(["send-keys"] + keys) }
    }
}

extension Sandbox {
    /// Runs a line of shell in a terminal of its own. `$UTTER` is the command.
    ///
    /// - Parameters:
    ///   - line: the line.
    ///   - environment: variables that are exported before.
    ///   - body: what the test does while the session runs.
    func terminal(
        _ line: String, environment: [String: String] = [:],
        _ body: (TerminalSession.Running) async throws -> Void = { _ in }
    ) async throws -> TerminalSession {
        let name = "utter-e2e-\(UUID().uuidString)"
        // Named, the built-in model has no reminder of its limits.
        let environment = ["UTTER_MODEL": "vosk-model-tiny-en"].merging(environment) { $1 }
        let variables = environment.map { "export \($0)='\($1)'\n" }.joined()
        let script = put(
            "trap : INT\ntmux wait-for go\nUTTER='\(Self.utter)'\n\(variables)\(line)\ntmux wait-for -S done\nexec cat\n",
            in: "script")
        let fifo = file("stream-\(name)")
        #expect(mkfifo(fifo, 0o600) == 0)
        let tmux: @Sendable ([String]) async throws -> Program.Finished = { arguments in
            try await Program(["tmux", "-L", name, "-f", "/dev/null"] + arguments, environment: self.environment())
                .finish()
        }
        // tmux must know the TERM outside the session as well.
        let started = try await tmux(["new-session", "-d", "-x", "100", "-y", "60", "sh", script])
        try #require(started.exitCode == 0, "\(started.errors)")
        let stream = try Program(["cat", fifo], environment: self.environment())
        #expect(try await tmux(["pipe-pane", "cat > '\(fifo)'"]).exitCode == 0)
        _ = try await tmux(["wait-for", "-S", "go"])
        try await body(TerminalSession.Running(stream: stream, tmux: tmux))
        _ = try await tmux(["wait-for", "done"])
        // -J joins wrapped lines.
        let screen = try await tmux(["capture-pane", "-p", "-J"]).output
        _ = try await tmux(["pipe-pane"])
        let bytes = try await stream.finish().output
        #expect(try await tmux(["kill-server"]).exitCode == 0)
        var lines = screen.components(separatedBy: "\n").map { line in
            String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
        }
        while lines.last == "" { lines.removeLast() }
        return TerminalSession(stream: bytes, screen: lines)
    }
}
