import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    static let hasTmux = FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux")

    /// In a real terminal.
    @Suite(.enabled(if: EndToEndTests.hasTmux, "tmux is not installed")) struct InTerminal {
        private let sandbox = Sandbox()
        private let memo = Recording.named("memo.wav")

        /// What a terminal got and what it showed at the end.
        struct Session {
            /// Every byte.
            var stream: String
            /// The lines of the screen, without the empty ones at its end.
            var screen: [String]
        }

        /// Runs a line of shell in a terminal of its own. `$UTTER` is the command.
        ///
        /// - Parameter interruption: what to see before Control-C is pressed.
        private func run(
            _ line: String, environment: [String: String] = [:], interruptedAt interruption: String? = nil
        ) async throws -> Session {
            let name = "utter-e2e-\(UUID().uuidString)"
            let variables = environment.map { "export \($0)='\($1)'\n" }.joined()
            let script = sandbox.put(
                Array("trap : INT\ntmux wait-for go\nUTTER='\(Sandbox.utter)'\n\(variables)\(line)\ntmux wait-for -S done\nexec cat\n".utf8),
                in: "script")
            let fifo = sandbox.file("stream-\(name)")
            #expect(mkfifo(fifo, 0o600) == 0)
            func tmux(_ arguments: String...) async throws -> Program.Finished {
                try await Program(["tmux", "-L", name, "-f", "/dev/null"] + arguments, environment: sandbox.environment())
                    .finish()
            }
            // A session needs a TERM that tmux knows outside as well.
            let started = try await tmux("new-session", "-d", "-x", "100", "-y", "60", "sh", script)
            try #require(started.exitCode == 0, "\(started.errors)")
            let stream = try Program(["cat", fifo], environment: sandbox.environment())
            #expect(try await tmux("pipe-pane", "cat > '\(fifo)'").exitCode == 0)
            _ = try await tmux("wait-for", "-S", "go")
            if let interruption {
                try await stream.wait(forOutput: interruption)
                _ = try await tmux("send-keys", "C-c")
            }
            _ = try await tmux("wait-for", "done")
            // -J joins what was wrapped.
            let screen = try await tmux("capture-pane", "-p", "-J").output
            _ = try await tmux("pipe-pane")
            let bytes = try await stream.finish(within: 20).output
            #expect(try await tmux("kill-server").exitCode == 0)
            var lines = screen.components(separatedBy: "\n").map { line in
                String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
            }
            while lines.last == "" { lines.removeLast() }
            return Session(stream: bytes, screen: lines)
        }

        /// A recording of some minutes, and its transcript.
        private func longFile(repeats: Int = 3) async throws -> (path: String, lines: [String]) {
            let path = sandbox.file("long.wav")
            try await sandbox.run("sox", memo.path, path, "repeat", "\(repeats)")
            let lines = try await sandbox.transcribe(memo.path).outputLines
            return (path, (0...repeats).flatMap { _ in lines })
        }

        @Test("The progress line shows, is gone at the end, and is never in a redirected output")
        func progress() async throws {
            let (path, lines) = try await longFile(repeats: 6)
            let session = try await run("\"$UTTER\" transcribe '\(path)' > '\(sandbox.file("out.txt"))'; echo exit $?")
            #expect(session.stream.contains("of 3:02 ("))
            #expect(session.stream.contains("× real time"))
            #expect(session.stream.contains(" left"))
            #expect(session.screen == ["exit 0"])
            #expect(sandbox.text(of: "out.txt") == lines.joined(separator: "\n") + "\n")
        }

        @Test("On one terminal, text, errors and progress keep out of each other's way")
        func together() async throws {
            let (path, lines) = try await longFile()
            let missing = sandbox.file("missing.wav")
            let session = try await run("\"$UTTER\" transcribe '\(path)' '\(missing)'; echo exit $?")
            #expect(session.stream.contains("× real time"))
            let error = "utter: \(missing): can't open it: No such file or directory"
            #expect(session.screen == lines + [error, "exit 66"])
        }

        @Test(
            "No progress where it isn't wanted or can't be shown, and never a colour",
            arguments: [
                (["TERM": "dumb"], "", false), ([:], "--quiet", false), (["NO_COLOR": "1"], "", true), ([:], "", true),
            ])
        func escapes(environment: [String: String], option: String, showsProgress: Bool) async throws {
            let (path, lines) = try await longFile()
            let session = try await run("\"$UTTER\" transcribe \(option) '\(path)'", environment: environment)
            #expect(session.screen == lines)
            #expect(session.stream.contains("× real time") == showsProgress)
            #expect(session.stream.contains("\u{1B}") == showsProgress)
            // Colours end with an m.
            #expect(session.stream.firstRange(of: /\x1b\[[0-9;:]*m/) == nil)
        }

        @Test("Interrupted from the keyboard, the line is gone and the text is there")
        func interrupted() async throws {
            let (path, _) = try await longFile()
            let session = try await run(
                "\"$UTTER\" transcribe '\(path)'; echo exit $?", interruptedAt: "× real time")
            #expect(session.screen.last == "exit 130")
            // The terminal itself shows what was typed.
            #expect(session.screen.first?.replacing("^C", with: "") == "one two five oh nine seven three")
            let residue = session.screen.filter { $0.contains("real time") || $0.contains("left") || $0.contains("utter:") }
            #expect(residue == [])
        }
    }
}
