import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    @Suite(.needs("tmux")) struct InTerminal {
        private let sandbox = Sandbox()
        private let memo = Recording.named("memo.wav")

        /// Runs a line of shell in a terminal of its own. `$UTTER` is the command.
        ///
        /// - Parameters:
        ///   - line: the line.
        ///   - environment: variables that are exported before.
        ///   - interruption: the output after which Control-C is pressed; nil for no interruption.
        private func run(
            _ line: String, environment: [String: String] = [:], interruptedAt interruption: String? = nil
        ) async throws -> TerminalSession {
            try await sandbox.terminal(line, environment: environment) { terminal in
                guard let interruption else { return }
                try await terminal.stream.wait(forOutput: interruption)
                try await terminal.press("C-c")
            }
        }

        /// A recording of some minutes, and its transcript.
        private func longFile(repeats: Int = 3) async throws -> (path: String, lines: [String]) {
            let path = sandbox.file("long.wav")
            try await sandbox.run("sox", memo.path, path, "repeat", "\(repeats)")
            let lines = try await sandbox.transcribe(memo.path).outputLines
            return (path, (0...repeats).flatMap { _ in lines })
        }

        @Test("The progress line is shown, is erased at the end, and is never in redirected output", .long)
        func progress() async throws {
            // The speed is shown after two seconds.
            let (path, lines) = try await longFile(repeats: 40)
            let session = try await run("\"$UTTER\" transcribe '\(path)' > '\(sandbox.file("out.txt"))'; echo exit $?")
            #expect(session.stream.contains(#/of 17:\d\d \(/#))
            #expect(session.stream.contains("× real time"))
            #expect(session.stream.contains(" left"))
            #expect(session.screen == ["exit 0"])
            #expect(sandbox.text(of: "out.txt") == lines.joined(separator: "\n") + "\n")
        }

        @Test("The limits of the built-in model are told at a terminal each time that it is used and not named")
        func builtIn() async throws {
            let digits = Sandbox.fixture("digits-slt.wav")
            let line = "\"$UTTER\" transcribe '\(digits)' > '\(sandbox.file("out.txt"))'; echo exit $?"
            for (start, isTold) in [("unset UTTER_MODEL; ", true), ("", false)] {
                let screen = try await run(start + line).screen.joined()
                #expect(screen.contains("the built-in model knows 133 words only") == isTold, "\(screen)")
                #expect(screen.hasSuffix("exit 0"))
            }
        }

        @Test("On one terminal, text, errors and progress do not overwrite each other")
        func together() async throws {
            let (path, lines) = try await longFile()
            let missing = sandbox.file("missing.wav")
            let session = try await run("\"$UTTER\" transcribe -j 1 '\(path)' '\(missing)'; echo exit $?")
            let error = "utter: \(missing): can't open it: No such file or directory"
            #expect(session.stream.contains("0 of 2") && !session.stream.contains("of 1:44 ("))
            #expect(session.screen == ["==> \(path) <=="] + lines + [error, "utter: 1 done; 1 failed", "exit 66"])
        }

        @Test("A recording without speech is done, and said to be empty")
        func empty() async throws {
            let silence = sandbox.file("silence.wav")
            try await sandbox.run("sox", "-n", "-r", "16000", "-b", "16", silence, "trim", "0", "2")
            let session = try await run("\"$UTTER\" transcribe '\(silence)' '\(memo.path)'; echo exit $?")
            #expect(session.screen.suffix(2) == ["utter: 2 done, 1 of them empty", "exit 0"])
        }

        @Test(
            "No progress where it isn't wanted or can't be shown, and never a colour", .long,
            arguments: [
                (["TERM": "dumb"], "", false), ([:], "--quiet", false), (["NO_COLOR": "1"], "", true), ([:], "", true),
            ])
        func escapes(environment: [String: String], option: String, showsProgress: Bool) async throws {
            let (path, lines) = try await longFile()
            let session = try await run("\"$UTTER\" transcribe \(option) '\(path)'", environment: environment)
            #expect(session.screen == lines)
            #expect(session.stream.contains("of 1:44") == showsProgress)
            #expect(session.stream.contains("\u{1B}") == showsProgress)
            // The escape sequences of colours end with an m.
            #expect(session.stream.firstRange(of: /\x1b\[[0-9;:]*m/) == nil)
        }

        @Test("After Ctrl-C a line says that it goes on, the progress line is erased and the text is there")
        func interrupted() async throws {
            let (path, _) = try await longFile()
            let session = try await run(
                "\"$UTTER\" transcribe '\(path)'; echo exit $?", interruptedAt: "one two five oh")
            #expect(session.screen.last == "exit 130")
            // The terminal itself echoes ^C.
            #expect(session.screen.first?.replacing("^C", with: "") == "one two five oh nine seven three")
            let residue = session.screen.filter {
                $0.contains("real time") || $0.contains("left") || $0.contains("utter:")
            }
            // It may be behind the ^C.
            #expect(
                residue.map { $0.replacing("^C", with: "") } == [
                    "utter: interrupted; writing the text of what was read; Ctrl-C again ends without it"
                ])
        }

        @Test(
            "After Ctrl-C the progress is that of what was read, and a dumb terminal has the line that says that it goes on"
        )
        func progressAfterInterruption() async throws {
            let (path, _) = try await longFile(repeats: 40)
            let line = "\"$UTTER\" transcribe '\(path)'"
            let session = try await run(
                "\(line) > '\(sandbox.file("out.txt"))'; echo exit $?", interruptedAt: "of 17:")
            let (first, last) = ("utter: interrupted; writing", "Ctrl-C again ends without it")
            let after = session.stream.split(separator: last).dropFirst().joined()
            #expect(after.contains(#/long\.wav  \d+:\d\d of \d+:\d\d \(/#) && !after.contains("of 17:"), "\(after)")
            #expect(session.screen.count == 2 && session.screen.last == "exit 130", "\(session.screen)")
            let dumb = try await run(line, environment: ["TERM": "dumb"], interruptedAt: "one two five oh")
            #expect(dumb.screen.contains { $0.contains(first) && $0.hasSuffix(last) }, "\(dumb.screen)")
        }
    }
}
