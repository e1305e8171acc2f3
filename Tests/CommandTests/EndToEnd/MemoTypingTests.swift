import Foundation
import Glibc
import TestSupport
import Testing

extension MemoTests {
    /// Tests of memos on a machine without a microphone.
    @Suite struct Typing {
        private static let deaf = "can't hear, typing works, Ctrl-P tries at once: "

        /// Starts a memo, and waits until it shows that it can't hear and that typing works.
        private static func start(_ terminal: MemoTerminal, _ line: String = "memo") async throws {
            try await terminal.run(line)
            try await terminal.expect("that it can't hear") { lines in
                lines.last == "no microphone" && lines.contains { $0.contains(deaf) }
            }
        }

        @Test(
            "While the built-in model is used for lack of another, the status line says so, with the command for the user's language"
        )
        func builtInModel() async throws {
            try await MemoTests.scene(environment: ["UTTER_MODEL": ""]) { terminal in
                // The locale is set for the memo only, since the shell does not have it here.
                let memo = "env LC_MESSAGES=de_DE.UTF-8 \"$UTTER\" memo"
                try await terminal.run(memo)
                try await terminal.expect("the remark") {
                    $0.last == "no microphone  133 words only: utter models install de-DE"
                }
                // The message stays while it is true.
                try await terminal.type("a")
                try await terminal.expect("the text") {
                    $0.last?.hasSuffix("install de-DE") == true && $0.contains("a")
                }
                try await terminal.press("Escape", "Escape")
                _ = try await terminal.expectPrompt()
                try FileManager.default.createSymbolicLink(
                    atPath: terminal.sandbox.file("data/utter/models/vosk-model-small-de-0.15"),
                    withDestinationPath: Sandbox.model)
                try await terminal.run("clear; \(memo)")
                try await terminal.expect("no remark") { $0.last == "no microphone" }
            }
        }

        @Test(
            "Without a microphone one line says why, and typing works: new lines, wide characters, marks, moves, a paste"
        )
        func typing() async throws {
            try await MemoTests.scene { terminal in
                let before = try await terminal.settings()
                try await Self.start(terminal)
                let lines = try await terminal.screen()
                #expect(lines.filter { $0.contains("can't") }.count == 1 && lines.line(2).hasPrefix(Self.deaf))
                try await terminal.type("한국어 日本 e\u{301} 👩‍👩‍👧")
                try await terminal.press("C-j")
                try await terminal.type("third")
                try await terminal.press("Home", "M-Enter", "Up")
                try await terminal.type("second")
                try await terminal.expect("three lines") { $0.dropFirst(2).prefix(2) == ["second", "third"] }
                // The cursor's place is in columns, not in characters: the last line has 5, the first 15.
                try await terminal.press("Down", "End")
                try await terminal.expectCursor(column: 5)
                try await terminal.press("Up", "Up", "End")
                try await terminal.type("|")
                try await terminal.expect("the end of the line") { $0.line(1).hasSuffix("|") }
                try await terminal.expectCursor(column: 17)
                try await terminal.press("BSpace", "BSpace", "BSpace", "C-w")
                // The family and the characters before it were each deleted as one.
                try await terminal.expect("less") { $0.line(1) == "한국어 日本" }
                _ = try await terminal.command("set-buffer 'pasted\rlines\u{1B}[A'")
                _ = try await terminal.command("paste-buffer -p")
                try await terminal.expect("a paste") { $0.line(1) == "한국어 日本 pasted" && $0.line(2) == "lines[A" }
                let end = try await terminal.endWithEnter()
                #expect(end.dropFirst().prefix(4) == ["한국어 日本 pasted", "lines[A", "second", "third"])
                let last = end.dropLast().last
                #expect(last?.hasPrefix("kept in ") == true && last?.hasSuffix("; no sound was heard") == true)
                #expect(terminal.sandbox.memos == ["한국어 日本 pasted", "  lines[A", "  second", "  third"])
                #expect(try await terminal.settings() == before)
            }
        }

        @Test(
            "A memo that could not open the microphone, and into which nothing is typed, ends as listen does: with the reason and its status",
            arguments: ["Enter", "TERM"])
        func unheard(way: String) async throws {
            try await MemoTests.scene { terminal in
                try await Self.start(terminal, "memo; echo exit $?")
                if way == "TERM" {
                    kill(try await terminal.memoProcess(), SIGTERM)
                } else {
                    try await terminal.type(" ")
                    try await terminal.press(way)
                }
                let lines = try await terminal.expectPrompt()
                #expect(lines.suffix(2).first == (way == "TERM" ? "exit 143" : "exit 69"))
                let reason = "nothing was heard: the capture device default does not answer: start the sound server"
                #expect(lines.contains { $0.hasPrefix(reason) }, "\(lines)")
                #expect(terminal.sandbox.memos == [] && terminal.sandbox.journalNames == [])
            }
        }

        @Test("When the terminal's size changes, the memo is drawn again, and the lines above it stay")
        func resizing() async throws {
            try await MemoTests.scene(columns: 60, rows: 20) { terminal in
                try await Self.start(terminal)
                try await terminal.type("The quick brown fox jumps over the lazy dog")
                try await terminal.expect("the text") { $0.line(1) == "The quick brown fox jumps over the lazy dog" }
                for (columns, rows) in [
                    (24, ["The quick brown fox", "jumps over the lazy dog"]),
                    (50, ["The quick brown fox jumps over the lazy dog"]),
                    (20, ["The quick brown fox", "jumps over the lazy", "dog"]),
                    (33, ["The quick brown fox jumps over", "the lazy dog"]),
                    (11, ["The quick", "brown fox", "jumps over", "the lazy", "dog"]),
                    (60, ["The quick brown fox jumps over the lazy dog"]),
                    // The cursor is on a row of its own.
                    (43, ["The quick brown fox jumps over the lazy dog", ""]),
                ] {
                    try await terminal.resize(columns: columns, rows: 20)
                    try await terminal.expect("\(columns) columns") {
                        let start = $0.firstIndex(of: rows[0]) ?? $0.endIndex
                        let status = columns == 11 ? "no microp…" : "no microphone"
                        return $0[start...].prefix(rows.count) == rows[...] && $0.last == status
                    }
                }
                try await terminal.press("C-l")
                try await terminal.endWithEnter()
                let all = try await terminal.screen(all: true)
                #expect(all.prefix(2) == ["> memo", "The quick brown fox jumps over the lazy dog"])
                #expect(terminal.sandbox.memos == ["The quick brown fox jumps over the lazy dog"])
            }
        }

        @Test("Ctrl-Z returns the terminal to the shell as it was, and fg shows the memo again below")
        func suspending() async throws {
            try await MemoTests.scene { terminal in
                let before = try await terminal.settings()
                try await Self.start(terminal)
                try await terminal.type("one")
                try await terminal.press("C-z")
                let stopped = try await terminal.expectStopped()
                // The memo is drawn once, with the shell's message below it.
                #expect(stopped.filter { $0 == "one" }.count == 1)
                #expect(
                    try #require(stopped.firstIndex(of: "no microphone")) < stopped.firstIndex {
                        $0.contains("Stopped")
                    }!)
                #expect(try await terminal.settings() == before)
                try await terminal.run("fg")
                try await terminal.expect("the memo") { $0.last == "no microphone" && $0.contains("one") }
                try await terminal.type(" two")
                let resumed = try await terminal.expect("both") { $0.contains("one two") }
                #expect(resumed.filter { $0.hasPrefix("one") }.count == 1)
                // The same by a signal from another process.
                let memo = try await terminal.memoProcess()
                kill(memo, SIGTSTP)
                // The prompt is below the memo; the shell's first message is above it, if it is on the screen.
                try await terminal.expect("the shell again") { lines in
                    guard let memo = lines.lastIndex(of: "one two") else { return false }
                    return lines[memo...].contains("no microphone")
                        && lines[memo...].contains { $0.contains("Stopped") }
                        && lines.last == ">"
                }
                try await terminal.run("clear; fg")
                try await terminal.expect("the memo") { $0.contains("one two") && $0.last == "no microphone" }
                try await terminal.endWithEnter()
                #expect(terminal.sandbox.memos == ["one two"])
                #expect(try await terminal.settings() == before)
            }
        }

        @Test("What is typed right before Ctrl-Z is on the disk while the memo is stopped")
        func recordedWhileStopped() async throws {
            try await MemoTests.scene { terminal in
                try await Self.start(terminal)
                for count in 1...5 {
                    // The key is read together with the text.
                    try await terminal.type("a\u{1A}")
                    try await terminal.expectStopped()
                    #expect(
                        MemoTests.textsInJournals(of: terminal.sandbox) == [String(repeating: "a", count: count)])
                    try await terminal.run("clear; fg")
                    try await terminal.expect("the memo") { $0.last == "no microphone" }
                }
                try await terminal.endWithEnter()
                #expect(terminal.sandbox.memos == ["aaaaa"])
            }
        }

        @Test("A stopped memo that is ended by kill keeps its text, and leaves the terminal as it was")
        func killedWhileStopped() async throws {
            try await MemoTests.scene { terminal in
                let before = try await terminal.settings()
                try await Self.start(terminal)
                try await terminal.type("one")
                try await terminal.press("C-z")
                try await terminal.expectStopped()
                try await terminal.run("kill %1; wait -f %1; echo gone")
                try await terminal.expect("that it was kept") { lines in
                    lines.contains { $0.hasPrefix("kept in ") } && lines.contains("gone")
                }
                #expect(terminal.sandbox.memos == ["one"] && terminal.sandbox.journalNames == [])
                #expect(try await terminal.settings() == before)
            }
        }

        @Test("In the background a memo leaves the terminal to the shell, and after fg it is drawn once")
        func background() async throws {
            try await MemoTests.scene { terminal in
                try await Self.start(terminal)
                try await terminal.type("one")
                try await terminal.press("C-j")
                try await terminal.type("two")
                try await terminal.expect("the text") { $0.line(2) == "two" }
                try await terminal.press("C-z")
                try await terminal.expectStopped()
                for command in ["fg", "bg; sleep 0; fg"] {
                    try await terminal.run("clear; \(command)")
                    try await terminal.expect("the memo") { $0.contains("two") && $0.last == "no microphone" }
                    try await terminal.type("!")
                    let lines = try await terminal.expect("what is typed") { $0.joined().contains("two!") }
                    #expect(lines.filter { $0 == "one" }.count == 1, "\(lines)")
                    try await terminal.press("BSpace", "C-z")
                    try await terminal.expectStopped()
                }
                try await terminal.run("clear; fg")
                try await terminal.expect("the memo") { $0.contains("two") && $0.last == "no microphone" }
                try await terminal.endWithEnter()
                #expect(terminal.sandbox.memos == ["one", "  two"])
            }
        }

        @Test("Ctrl-Z stops the whole pipeline that a memo is in")
        func suspendingPipeline() async throws {
            try await MemoTests.scene { terminal in
                try await Self.start(terminal, "sleep 1000 | memo")
                try await terminal.type("one")
                try await terminal.expect("the text") { $0.line(1) == "one" }
                try await terminal.press("C-z")
                try await terminal.expect("the shell") {
                    $0.contains { $0.contains("Stopped") } && $0.last == ">" && $0.contains("one")
                }
                try await terminal.run("clear; jobs -r; kill -9 %1; wait; echo gone")
                try await terminal.expect("that nothing of it ran") {
                    $0.first == "[1]+  Killed" || $0.contains("gone") && $0.last == ">"
                }
            }
        }

        @Test(
            "Every way to end keeps the memo and restores the terminal",
            arguments: [
                ("Enter", 0), ("C-c", 0), ("C-d", 0), ("TERM", 143), ("HUP", 129), ("INT", 0),
            ])
        func waysOut(_ way: String, _ code: Int) async throws {
            try await MemoTests.scene { terminal in
                let before = try await terminal.settings()
                try await Self.start(terminal, "memo; echo exit $?")
                try await terminal.type("kept")
                if let signal = ["TERM": SIGTERM, "HUP": SIGHUP, "INT": SIGINT][way] {
                    try await terminal.expect("the text") { $0.line(1) == "kept" }
                    kill(try await terminal.memoProcess(), signal)
                } else {
                    try await terminal.press(way)
                }
                let lines = try await terminal.expectPrompt()
                #expect(
                    lines.count == 5 && lines.line(1) == "kept" && lines.line(2).hasPrefix("kept in ")
                        && lines.line(3) == "exit \(code)")
                #expect(terminal.sandbox.memos == ["kept"] && terminal.sandbox.journalNames == [])
                #expect(try await terminal.settings() == before)
            }
        }

        @Test(
            "After a crash the terminal is as it was, and the next memo offers what was typed",
            arguments: [SIGSEGV, SIGABRT, SIGQUIT])
        func crash(_ signal: Int32) async throws {
            try await MemoTests.scene { terminal in
                let before = try await terminal.settings()
                try await Self.start(terminal)
                try await terminal.type("buy milk")
                try await terminal.expect("the text") { $0.line(1) == "buy milk" }
                try await MemoTests.waitForJournal(terminal.sandbox, holding: "buy milk")
                kill(try await terminal.memoProcess(), signal)
                try await terminal.expect("the shell") { lines in
                    lines.contains { line in ["Segmentation fault", "Aborted", "Quit"].contains { line.hasPrefix($0) } }
                }
                try await terminal.run("clear")
                try await terminal.expect([">"])
                #expect(try await terminal.settings() == before)
                try await terminal.run("memo")
                // The error of the microphone does not hide the offer.
                try await terminal.expect("the offer") { lines in
                    lines.contains {
                        $0.contains("was cut off: Ctrl-R brings it back, Ctrl-T throws it away; \(Self.deaf)")
                    }
                        && lines.last == "no microphone"
                }
                try await terminal.press("C-r")
                let shown = try await terminal.expect("the text") {
                    $0.line(1) == "buy milk" && !$0.joined().contains("Ctrl-R")
                }
                #expect(!shown.joined().contains("guess"))
                try await terminal.type(" and bread")
                try await terminal.endWithEnter()
                #expect(terminal.sandbox.memos == ["buy milk and bread"] && terminal.sandbox.journalNames == [])
            }
        }

        private static let places = ["notes", "state/utter/outbox"]

        /// Starts a memo, and puts files in the place of all folders in which it is kept.
        private static func startBlocked(_ terminal: MemoTerminal, _ line: String = "memo; echo exit $?") async throws {
            try await start(terminal, line)
            try await terminal.type("buy milk")
            try await terminal.expect("the text") { $0.contains("buy milk") }
            for name in places {
                try? FileManager.default.removeItem(atPath: terminal.sandbox.file(name))
                terminal.sandbox.put([], in: name)
            }
        }

        @Test("A memo that can't be kept stays open: Enter tries again")
        func triedAgain() async throws {
            try await MemoTests.scene { terminal in
                try await Self.startBlocked(terminal)
                try await terminal.press("Enter")
                let lines = try await terminal.expect("that it failed") {
                    $0.last == "failed" && $0.joined().contains("Enter tries again")
                }
                #expect(lines.contains("buy milk"))
                #expect(lines.contains { $0.contains("\(terminal.sandbox.file("notes")) is not a folder") })
                try await terminal.type(" and bread")
                for name in Self.places { unlink(terminal.sandbox.file(name)) }
                #expect(try await terminal.endWithEnter().suffix(2).first == "exit 0")
                #expect(terminal.sandbox.memos == ["buy milk and bread"])
                #expect(terminal.sandbox.journalNames == [])
            }
        }

        @Test("A memo that can't be kept is saved in a file of its own with Ctrl-O")
        func keptElsewhere() async throws {
            try await MemoTests.scene { terminal in
                try await Self.startBlocked(terminal)
                try await terminal.press("Enter")
                try await terminal.expect("that it failed") { $0.last == "failed" }
                try await terminal.press("C-o")
                let lines = try await terminal.expectPrompt()
                let name = try #require(terminal.sandbox.names(in: "home").first { $0.hasPrefix("memo-") })
                let path = terminal.sandbox.file("home/\(name)")
                #expect(lines.suffix(3) == ["kept in \(path); no sound was heard", "exit 0", ">"])
                #expect(
                    terminal.sandbox.text(of: "home/" + name) == "buy milk\n" && terminal.sandbox.journalNames == [])
            }
        }

        @Test(
            "A memo that can't be kept stays on the screen after Ctrl-C or a signal, and the next memo keeps it",
            arguments: ["C-c", "TERM"])
        func left(_ way: String) async throws {
            try await MemoTests.scene { terminal in
                try await Self.startBlocked(terminal, "memo 2>'\(terminal.sandbox.file("errors"))'; echo exit $?")
                if way == "TERM" {
                    kill(try await terminal.memoProcess(), SIGTERM)
                } else {
                    try await terminal.press("Enter")
                    try await terminal.expect("that it failed") { $0.last == "failed" }
                    try await terminal.press(way)
                }
                let lines = try await terminal.expectPrompt()
                #expect(lines.suffix(2).first == "exit 73" && lines.contains("buy milk"))
                let message = try #require(lines.first { $0.hasPrefix("not kept: ") })
                #expect(
                    message.contains("it is safe in \(terminal.sandbox.file("state/utter/memos"))")
                        && !message.contains("milk"))
                #expect(terminal.sandbox.text(of: "errors") == "")
                for name in Self.places { unlink(terminal.sandbox.file(name)) }
                try await terminal.run("clear")
                try await terminal.expect([">"])
                try await Self.start(terminal)
                let end = try await terminal.endWithEnter()
                #expect(end.contains { $0.hasPrefix("nothing was heard: ") } && !end.joined().contains("milk"))
                #expect(terminal.sandbox.memos == ["buy milk"] && terminal.sandbox.journalNames == [])
            }
        }

        @Test("A file in place of the folder of --notes is refused before the memo begins")
        func notesInAFile() async throws {
            try await MemoTests.scene { terminal in
                let file = terminal.sandbox.put("mine", in: "notes.md")
                try await terminal.run("clear; memo --notes '\(file)'; echo exit $?")
                let lines = try await terminal.expectPrompt()
                #expect(lines.joined().contains("which is a file: give a folder, as --notes DIR"), "\(lines)")
                #expect(lines.suffix(2).first == "exit 73" && terminal.sandbox.text(of: "notes.md") == "mine")
                #expect(try terminal.sandbox.queued == [])
            }
        }

        @Test("Without a terminal it reports that, and does not wait")
        func noTerminal() async throws {
            let sandbox = Sandbox()
            let finished = try await sandbox.utter(
                ["memo"], under: ["setsid", "-w"], environment: ALSADevices.environment)
            finished.expectEnd(
                69, errors: "utter: a memo needs a terminal: run it in one, or use utter listen in scripts\n")
        }
    }
}
