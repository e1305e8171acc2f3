import Foundation
import Glibc
import TestSupport
import Testing

@testable import utter

extension EndToEndTests {
    /// The memo's keys and drawing in a real terminal, without a microphone: Control-G stands for a guess, Control-T for a final.
    @Suite(.serialized, .enabled(if: EndToEndTests.hasTmux, "tmux is not installed")) struct MemoEditor {
        private let sandbox = Sandbox()

        private static let variable = "UTTER_EDITOR_DRIVER"

        /// Not a test but what the tests below run in their terminal.
        @Test("The editor, for the tests of it", .enabled(if: ProcessInfo.processInfo.environment[variable] != nil))
        func driver() async throws {
            let traits = TerminalTraits(environment: ProcessInfo.processInfo.environment)
            let terminal = try #require(RawTerminal(mode: traits.isDumb ? .lines : .raw))
            var memo = MemoText()
            var screen = MemoScreen(traits: traits)
            var notice: String?
            func draw() {
                _ = terminal.write(screen.draw(memo, state: .listening, notice: notice, size: terminal.size))
            }
            draw()
            events: for await event in terminal.events {
                switch event {
                case .resized: screen.invalidate()
                case .resumed: notice = "resumed"
                case .mustStop:
                    _ = terminal.write(screen.leave())
                    terminal.suspend(withJob: false)
                    continue events
                case .ended: break events
                case .keys(let keys):
                    for key in keys where !memo.apply(key, columns: terminal.size.columns) {
                        switch key {
                        case .enter: break events
                        case .control("G"): memo.setGuess("spoken gue")
                        case .control("T"): memo.acceptFinal("spoken words")
                        case .control("X"): raise(SIGSEGV)
                        case .control("Z"):
                            _ = terminal.write(screen.leave())
                            terminal.suspend()
                            continue events
                        default: notice = "\(key)"
                        }
                    }
                }
                draw()
            }
            _ = terminal.write(screen.finish(text: memo.text, line: "kept", size: terminal.size))
            terminal.close()
        }

        /// A shell in tmux.
        private final class Session: Sendable {
            let name = "utter-e2e-\(UUID().uuidString)"
            let sandbox: Sandbox
            let stream: Program

            init(_ sandbox: Sandbox, columns: Int = 40, rows: Int = 12) async throws {
                self.sandbox = sandbox
                let fifo = sandbox.file("stream")
                try #require(mkfifo(fifo, 0o600) == 0)
                stream = try Program(["cat", fifo], environment: sandbox.environment())
                let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
                // The shell begins when all it writes is recorded.
                let script = sandbox.put(
                    Array(
                        """
                        PS1='> '
                        editor() { '\(executable)' --testing-library swift-testing --filter MemoEditor/driver >/dev/null 2>&1; }
                        export \(MemoEditor.variable)=1 SWIFT_BACKTRACE=enable=no
                        tmux wait-for go
                        """.utf8), in: "script")
                try await tmux(
                    "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "bash", "--noprofile", "--rcfile", script, "-i")
                try await tmux("pipe-pane", "cat > '\(fifo)'")
                try await tmux("wait-for", "-S", "go")
            }

            @discardableResult
            func tmux(_ arguments: String...) async throws -> String {
                let finished = try await Program(
                    ["tmux", "-L", name, "-f", "/dev/null"] + arguments, environment: sandbox.environment(["SHELL": "/bin/bash"])
                ).finish()
                try #require(finished.exitCode == 0, "\(arguments): \(finished.errors)")
                return finished.output
            }

            /// Types keys by tmux's names for them, or else as they are.
            func type(_ keys: String...) async throws {
                for key in keys { try await tmux("send-keys", "--", key) }
            }

            /// The lines of the terminal, those that have left the screen as well, once they are so; or else what they are after a while.
            func screen(until isSo: ([String]) -> Bool) async throws -> [String] {
                let limit = Date(timeIntervalSinceNow: 10)
                while true {
                    var lines = try await tmux("capture-pane", "-p", "-S", "-").components(separatedBy: "\n").map { line in
                        String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
                    }
                    while lines.last == "" { lines.removeLast() }
                    if isSo(lines) || Date() > limit { return lines }
                }
            }

            func expect(_ lines: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
                let found = try await screen { $0 == lines }
                #expect(found == lines, sourceLocation: sourceLocation)
            }

            func end() async throws {
                try await tmux("kill-server")
                _ = try await stream.finish(within: 20)
            }
        }

        private func start(columns: Int = 40, rows: Int = 12, before: String = "") async throws -> Session {
            let session = try await Session(sandbox, columns: columns, rows: rows)
            try await session.expect([">"])
            try await session.type("\(before)editor", "Enter")
            _ = try await session.screen { $0.last == "listening" || $0.last == "(listening)" }
            return session
        }

        @Test("Typing and speech grow together in place; Enter leaves the memo and one line, and the terminal as it was")
        func typing() async throws {
            let session = try await start()
            try await session.expect(["> editor", "", "listening"])
            try await session.type("Note:", "C-g")
            try await session.expect(["> editor", "Note: spoken gue", "listening"])
            try await session.stream.wait(forOutput: "\u{1B}[2m")
            try await session.type(
                "Home", "- ", "End", " 한국어", "C-t", "M-Enter", "日本e\u{301}", "Left", "BSpace", "C-j", "x", "Up", "Up", "End", "!")
            try await session.expect(["> editor", "- Note: 한국어 spoken words!", "日", "xe\u{301}", "listening"])
            #expect(try await session.tmux("display-message", "-p", "#{cursor_x},#{cursor_y}") == "28,1\n")
            try await session.type("C-w", "M-b", "C-Right", "Enter")
            try await session.expect(["> editor", "- Note: 한국어 spoken", "日", "xe\u{301}", "kept", ">"])
            try await session.type("stty -a | grep -c ' -echo '", "Enter")
            let lines = try await session.screen { $0.last == ">" && $0.contains("0") }
            #expect(lines.suffix(2) == ["0", ">"])
            try await session.end()
        }

        @Test("A paste is text, whatever is in it")
        func paste() async throws {
            let session = try await start()
            try await session.tmux("set-buffer", "one\ntwo\u{1B}[Athree\u{3}")
            try await session.tmux("paste-buffer", "-p")
            try await session.expect(["> editor", "one", "two[Athree", "listening"])
            try await session.type("Enter")
            try await session.expect(["> editor", "one", "two[Athree", "kept", ">"])
            try await session.end()
        }

        @Test("When the size changes the memo is drawn anew, and what was above stays")
        func resizing() async throws {
            let session = try await start()
            try await session.type("The quick brown fox jumps over the lazy dog")
            try await session.expect(["> editor", "The quick brown fox jumps over the lazy", "dog", "listening"])
            for (columns, rows) in [
                ("20", ["> editor", "The quick brown fox", "jumps over the lazy", "dog", "listening"]),
                ("33", ["> editor", "The quick brown fox jumps over th", "e lazy dog", "listening"]),
                ("11", ["> editor", "The quick b", "rown fox ju", "mps over th", "e lazy dog", "listening"]),
                ("60", ["> editor", "The quick brown fox jumps over the lazy dog", "listening"]),
                ("43", ["> editor", "The quick brown fox jumps over the lazy dog", "", "listening"]),
            ] {
                try await session.tmux("resize-window", "-x", columns)
                try await session.expect(rows)
            }
            try await session.type("Enter")
            try await session.expect(["> editor", "The quick brown fox jumps over the lazy dog", "kept", ">"])
            try await session.end()
        }

        @Test("A memo that is taller than the terminal leaves all of itself behind")
        func tall() async throws {
            let session = try await start(rows: 5)
            for line in 1...8 { try await session.type("line \(line)", "C-j") }
            try await session.expect(["> editor", "line 6", "line 7", "line 8", "", "listening"])
            try await session.type("Up", "Up", "Up", "Up", "Up", "Up")
            try await session.expect(["> editor", "line 3", "line 4", "line 5", "line 6", "listening"])
            try await session.type("Enter")
            try await session.expect(["> editor"] + (1...8).map { "line \($0)" } + ["kept", ">"])
            try await session.end()
        }

        @Test("Control-Z gives the terminal to the shell, fg brings the memo back")
        func suspending() async throws {
            let session = try await start()
            try await session.type("one", "C-z")
            _ = try await session.screen { $0.contains { $0.contains("Stopped") } && $0.last == ">" }
            try await session.type("stty -a | grep -c ' -echo '", "Enter")
            let stopped = try await session.screen { $0.last == ">" && $0.contains("0") }
            #expect(stopped.contains("0") && stopped.contains("listening"))
            try await session.type("clear; fg", "Enter")
            _ = try await session.screen { $0.suffix(2) == ["resumed", "listening"] }
            try await session.type(" two", "Enter")
            let lines = try await session.screen { $0.last == ">" }
            #expect(lines.suffix(3) == ["one two", "kept", ">"])
            try await session.end()
        }

        @Test("Control-Z stops the whole pipeline")
        func suspendingPipeline() async throws {
            let session = try await start(before: "sleep 1000 | ")
            try await session.type("one")
            _ = try await session.screen { $0.contains("one") }
            try await session.type("C-z")
            let lines = try await session.screen { $0.contains { $0.contains("Stopped") } && $0.last == ">" }
            #expect(lines.last == ">" && lines.contains("one"), "\(lines)")
            try await session.end()
        }

        @Test("After a crash the shell has its terminal back")
        func crash() async throws {
            let session = try await start()
            try await session.type("one")
            // Read together with the key that crashes it, it would not be drawn.
            _ = try await session.screen { $0.contains("one") }
            try await session.type("C-x")
            _ = try await session.screen { $0.last == ">" }
            try await session.type("stty -a | grep -c ' -echo '", "Enter")
            let lines = try await session.screen { $0.last == ">" && $0.contains("0") }
            #expect(lines.suffix(2) == ["0", ">"] && lines.contains("one"), "\(lines)")
            try await session.end()
        }

        @Test("A dumb terminal gets lines")
        func dumb() async throws {
            let session = try await start(before: "TERM=dumb ")
            try await session.type("hello", "Enter")
            try await session.expect(["> TERM=dumb editor", "(listening)", "hello", "kept", ">"])
            try await session.end()
        }
    }
}
