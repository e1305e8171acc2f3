import Foundation
import Glibc
import TestSupport
import Testing

@testable import utter

extension MemoTests {
    @Suite struct Speaking {
        @Test(
            "Speech grows at the cursor, dim while it is a guess, and typing goes on beside it; Enter keeps it all in the day's note"
        )
        func growing() async throws {
            let expected = try await MemoTests.transcript(of: MemoTests.digits)
            #expect(expected == MemoTests.digits.transcript)
            try await MemoTests.spokenScene { terminal, microphone in
                let before = try await terminal.settings()
                try await terminal.start(until: "listening")
                try await terminal.type("Call now")
                try await terminal.press("Left", "Left", "Left", "Left")
                try await terminal.expect(["> memo", "Call now", "listening"])
                async let speaking: Void = microphone.play(MemoTests.digits.path)
                // Between what was typed, behind the cursor.
                try await terminal.expectDimmed("a guess") {
                    $0.line(1).hasPrefix("Call< one two") && $0.line(1).hasSuffix("> now")
                }
                try await terminal.press("Home")
                try await terminal.type("- ")
                try await terminal.expectDimmed("what was typed during a guess") {
                    $0.line(1).hasPrefix("- Call") && $0.line(1).contains("two")
                }
                try await speaking
                try await terminal.expectDimmed("the final") { $0.line(1) == "- Call \(expected) now" }
                // The meter hears the microphone's silence: nothing.
                try await terminal.expect("the state") { $0.last == "listening" }
                let lines = try await terminal.endWithEnter()
                let note = terminal.sandbox.names(in: "notes").first ?? ""
                #expect(
                    lines == [
                        "> memo", "- Call \(expected) now", "kept in \(terminal.sandbox.file("notes"))/\(note)", ">",
                    ])
                #expect(terminal.sandbox.memos == ["- Call \(expected) now"])
                #expect(terminal.sandbox.journalNames == [])
                #expect(
                    terminal.sandbox.mode(of: "notes") == 0o700 && terminal.sandbox.mode(of: "notes/" + note) == 0o600)
                #expect(terminal.sandbox.mode(of: "state/utter/memos") == 0o700)
                #expect(try await terminal.settings() == before)
            }
        }

        @Test("The words said while the model loads, and the last one before Enter, are in the memo")
        func firstAndLastWord() async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                try await terminal.run("memo")
                // Neither the microphone's nor the model's readiness is waited for, only the program.
                try await terminal.expect("the memo") {
                    $0.last?.hasPrefix("getting ready") == true || $0.last?.hasPrefix("listening") == true
                }
                try await microphone.play(MemoTests.digits.path)
                try await terminal.endWithEnter()
                #expect(terminal.sandbox.memos == [MemoTests.digits.transcript])
            }
        }

        @Test("A dumb terminal gets a line for each utterance, and shows itself what is typed; Ctrl-C keeps", .long)
        func dumb() async throws {
            try await MemoTests.spokenScene(environment: ["TERM": "dumb"]) { terminal, microphone in
                let before = try await terminal.settings()
                do {
                    let place = MemoPlace(destinations: ["notes"], notes: terminal.sandbox.file("notes"))
                    let folder = terminal.sandbox.file("state/utter/memos")
                    try MemoJournal.create(in: folder, begun: .now, at: place).record("cut off")
                }
                try await terminal.start("memo; echo exit $?", until: "(listening)")
                try await terminal.expect("what waits") {
                    $0.joined().contains("the next memo on a terminal that can draw offers it")
                }
                try await microphone.play(MemoTests.digits.path)
                try await terminal.expect("the final") { $0.contains(MemoTests.digits.transcript) }
                try await terminal.press("C-c")
                let lines = try await terminal.expectPrompt()
                #expect(lines.contains("exit 0") && lines.contains { $0.hasPrefix("kept in ") })
                #expect(lines.allSatisfy { !$0.contains("\u{1B}") && !$0.contains("[") })
                #expect(terminal.sandbox.memos == [MemoTests.digits.transcript])
                try await terminal.run("clear")
                try await terminal.expect([">"])
                try await terminal.start("memo; echo exit $?", until: "(listening)")
                try await terminal.run("typed as well")
                try await terminal.expectPrompt()
                #expect(terminal.sandbox.memos == [MemoTests.digits.transcript, "typed as well"])
                #expect(try await terminal.settings() == before)
            }
        }

        @Test("Ctrl-P makes final what was said and hears nothing more, until it is pressed again", .long)
        func pausing() async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                try await terminal.start(until: "listening")
                let speaking = try microphone.playing(try await microphone.rendered(MemoTests.digits.path))
                try await terminal.expectDimmed("a guess") { $0.line(1).contains("two five") }
                try await terminal.press("C-p")
                let paused = try await terminal.expectDimmed("a pause, and what was said before it") {
                    $0.last?.contains("paused") == true && $0.line(1).hasPrefix("one two") && !$0.line(1).contains("<")
                }
                try await speaking.stop()
                let text = paused.line(1)
                try await microphone.play(MemoTests.date.path)
                try await terminal.press("C-p")
                try await terminal.expect("that it listens") { $0.last?.hasPrefix("listening") == true }
                try await microphone.play(MemoTests.commands.path)
                try await terminal.expectDimmed("what was said after it") {
                    $0.line(1) == "\(text) \(MemoTests.commands.transcript)"
                }
                try await terminal.endWithEnter()
                #expect(terminal.sandbox.memos == ["\(text) \(MemoTests.commands.transcript)"])
            }
        }

        @Test("Ctrl-Z makes final what was said, and nothing is heard at the shell, until fg", .long)
        func suspending() async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                try await terminal.start(until: "listening")
                try await microphone.play(MemoTests.digits.path)
                try await terminal.expect("what was said") { $0.joined().contains(MemoTests.digits.transcript) }
                try await terminal.press("C-z")
                try await terminal.expectStopped()
                try await microphone.play(MemoTests.date.path)
                try await terminal.run("clear; fg")
                try await terminal.expect("that it listens") { $0.last?.hasPrefix("listening") == true }
                try await microphone.play(MemoTests.commands.path)
                try await terminal.expect("what was said after it") {
                    $0.joined().contains(MemoTests.commands.transcript)
                }
                try await terminal.endWithEnter()
                #expect(terminal.sandbox.memos == ["\(MemoTests.digits.transcript) \(MemoTests.commands.transcript)"])
            }
        }

        @Test("A microphone that gives nothing but zeros is said to be silent, until there is sound")
        func silence() async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                try await terminal.start(until: "listening")
                try await terminal.expect("that it is silent") { $0.contains("hears only silence: is it muted?") }
                async let speaking: Void = microphone.play(MemoTests.digits.path)
                try await terminal.expect("that it is not") { lines in
                    lines.last?.hasPrefix("hearing you") == true && !lines.joined().contains("silence")
                }
                try await speaking
                try await terminal.press("Escape", "Escape")
                try await terminal.expectPrompt()
            }
        }

        @Test("A microphone that stands still is said to deliver nothing, until it goes on", .long)
        func standstill() async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                try await terminal.start(until: "listening")
                try await microphone.freeze()
                try await terminal.expect("that nothing comes") { $0.contains("the microphone delivers nothing") }
                try await microphone.thaw()
                try await terminal.expect("that it comes again") { lines in
                    lines.last?.hasPrefix("listening") == true && !lines.joined().contains("delivers nothing")
                }
                try await microphone.play(MemoTests.digits.path)
                try await terminal.expectDimmed("what is said") { $0.line(1) == MemoTests.digits.transcript }
                try await terminal.endWithEnter()
                #expect(terminal.sandbox.memos == [MemoTests.digits.transcript])
            }
        }

        @Test(
            "A microphone that dies in mid-word costs one line; what was heard is there, typing works, and the next one is used by itself"
        )
        func dyingMicrophone() async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                try await terminal.start("memo; echo exit $?", until: "listening")
                let speaking = try microphone.playing(try await microphone.rendered(MemoTests.digits.path))
                try await terminal.expectDimmed("a guess") { $0.line(1).contains("two five") }
                try await microphone.removeDevice()
                let dead = try await terminal.expectDimmed("one line that says so") { lines in
                    lines.count == 4 && lines.line(2).contains("can't hear, typing works, Ctrl-P tries at once: ")
                        && lines.line(3).contains("no microphone") && !lines.line(1).contains("<")
                }
                #expect(dead.line(1).hasPrefix("one two"))
                try await speaking.stop()
                try await terminal.type(" typed")
                try await terminal.expect("what was typed") { $0.line(1) == dead.line(1) + " typed" }
                try await terminal.press("C-p")
                try await terminal.expect("that there is none yet") {
                    $0.last == "no microphone" && $0.line(2).contains("can't hear")
                        && $0.line(2) != dead.line(2).filter { !"<>".contains($0) }
                }
                try await microphone.returnDevice()
                try await terminal.expect("that it listens") { lines in
                    lines.last?.hasPrefix("listening") == true && !lines.contains { $0.contains("can't hear") }
                }
                try await microphone.play(MemoTests.commands.path)
                let whole = "\(dead.line(1)) typed \(MemoTests.commands.transcript)"
                try await terminal.expectDimmed("more words") { $0.line(1) == whole }
                let lines = try await terminal.endWithEnter()
                #expect(terminal.sandbox.memos == [whole])
                #expect(
                    lines.contains { $0.hasPrefix("kept in ") && $0.hasSuffix("the microphone was gone for a time") },
                    "\(lines)")
                #expect(lines.suffix(2).first == "exit 74")
            }
        }

        @Test(
            "A sound server that hangs keeps no memo from ending, whether the microphone was on by then or not", .long)
        func hangingServer() async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                try await terminal.start("memo; echo exit $?", until: "listening")
                try await microphone.freeze()
                try await terminal.type("one")
                #expect(try await terminal.endWithEnter().suffix(2).first == "exit 0")
                try await terminal.run("clear")
                try await terminal.expect([">"])
                try await terminal.start("memo; echo exit $?", until: "getting ready")
                try await terminal.type("two")
                #expect(try await terminal.endWithEnter().suffix(2).first == "exit 0")
                #expect(terminal.sandbox.memos == ["one", "two"] && terminal.sandbox.journalNames == [])
                // Nor does it hide an error.
                try await terminal.run("clear; memo --model nonesuch; echo exit $?")
                try await terminal.expect("the error") { $0.suffix(2) == ["exit 69", ">"] }
            }
        }

        @Test(
            "A second signal, the same or another, keeps at once what is there",
            arguments: Tier.every(2, of: [SIGTERM, SIGINT, SIGHUP]))
        func secondSignal(_ second: Int32) async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                try await microphone.freeze()
                try await terminal.start("memo; echo exit $?", until: "getting ready")
                try await terminal.type("kept")
                try await terminal.expect("the text") { $0.line(1) == "kept" }
                let memo = try await terminal.memoProcess()
                kill(memo, SIGTERM)
                try await terminal.expect("that it takes long") { $0.joined().contains("Enter again keeps") }
                kill(memo, second)
                let lines = try await terminal.expectPrompt()
                #expect(lines.suffix(2).first == "exit 143" && lines.contains { $0.hasPrefix("kept in ") })
                #expect(terminal.sandbox.memos == ["kept"] && terminal.sandbox.journalNames == [])
            }
        }

        @Test(
            "What is said after an Enter that failed is kept with the next; a microphone that was off stays off", .long)
        func failedEnter() async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                let places = ["notes", "state/utter/outbox"]
                func block() {
                    for name in places {
                        try? FileManager.default.removeItem(atPath: terminal.sandbox.file(name))
                        terminal.sandbox.put([], in: name)
                    }
                }
                try await terminal.start("memo; echo exit $?", until: "listening")
                try await microphone.play(MemoTests.digits.path)
                try await terminal.expect("what was said") { $0.line(1) == MemoTests.digits.transcript }
                block()
                try await terminal.press("Enter")
                try await terminal.expect("that it failed, and hears") {
                    $0.last?.hasPrefix("failed, listening") == true
                }
                try await microphone.play(MemoTests.commands.path)
                let text = "\(MemoTests.digits.transcript) \(MemoTests.commands.transcript)"
                try await terminal.expectDimmed("what was said after it") { $0.line(1) == text }
                try await terminal.press("C-p")
                try await terminal.expect("that it is off") { $0.last == "failed" }
                try await terminal.press("Enter")
                try await terminal.expect("that it failed again") { $0.last == "failed" }
                try await microphone.play(MemoTests.date.path)
                try await terminal.type(" typed")
                try await terminal.expect("what is typed") { $0.line(1) == text + " typed" }
                for name in places { unlink(terminal.sandbox.file(name)) }
                #expect(try await terminal.endWithEnter().suffix(2).first == "exit 0")
                #expect(terminal.sandbox.memos == [text + " typed"] && terminal.sandbox.journalNames == [])
            }
        }

        @Test(
            "A guess after an Enter that failed does not take the decision back: after a kill the next memo keeps the text"
        )
        func guessAfterFailedEnter() async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                let places = ["notes", "state/utter/outbox"]
                // Run the memo in a second shell, so that the terminal's shell does not notice when it is killed.
                try await terminal.start("sh -c '\"$0\" memo; :' \"$UTTER\"", until: "listening")
                try await terminal.type("buy milk")
                try await terminal.expect("the text") { $0.line(1) == "buy milk" }
                for name in places {
                    try? FileManager.default.removeItem(atPath: terminal.sandbox.file(name))
                    terminal.sandbox.put([], in: name)
                }
                try await terminal.press("Enter")
                try await terminal.expect("that it failed, and hears") {
                    $0.last?.hasPrefix("failed, listening") == true
                }
                let speaking = try microphone.playing(try await microphone.rendered(MemoTests.digits.path))
                // A guess is written every two seconds.
                try await terminal.expectDimmed("a guess") {
                    $0.line(1).contains("<") && $0.line(1).contains("nine seven")
                }
                kill(try await terminal.memoProcess(), SIGKILL)
                try await speaking.stop()
                try await terminal.expect("the shell") { $0.contains { $0.contains("Killed") } }
                try await terminal.tidyUp()
                for name in places { unlink(terminal.sandbox.file(name)) }
                try await terminal.start(until: "listening")
                try await terminal.endWithEnter()
                #expect(terminal.sandbox.memos == ["buy milk"] && terminal.sandbox.journalNames == [])
            }
        }

        @Test("A terminal that goes away in mid-word: what was heard until then is kept")
        func terminalGone() async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                try await terminal.start(until: "listening")
                let memo = pidDescriptor(try await terminal.memoProcess(), 0)
                let speaking = try microphone.playing(try await microphone.rendered(MemoTests.digits.path))
                try await terminal.expectDimmed("a guess") { $0.line(1).contains("two five") }
                _ = try? await terminal.command("kill-session")
                try await onThread { waitForEnd(memo) }
                try await speaking.stop()
                #expect(terminal.sandbox.memos.count == 1 && terminal.sandbox.memos[0].hasPrefix("one two"))
                #expect(terminal.sandbox.journalNames == [])
            }
        }

        @Test("Into a pipe or a file goes the text alone, and the memo is still made on the terminal", .long)
        func redirected() async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                let out = terminal.sandbox.file("out.txt")
                try await terminal.start("memo > '\(out)'", until: "listening")
                try await microphone.play(MemoTests.digits.path)
                try await terminal.expectDimmed("the final") { $0.line(1) == MemoTests.digits.transcript }
                try await terminal.press("C-j")
                try await terminal.type("and typed")
                let lines = try await terminal.endWithEnter()
                #expect(lines == ["> memo > '\(out)'", "written to standard output", ">"])
                #expect(terminal.sandbox.text(of: "out.txt") == "\(MemoTests.digits.transcript)\nand typed\n")
                try await terminal.run("clear")
                try await terminal.expect([">"])
                try await terminal.start("memo | rev", until: "listening")
                try await terminal.type("abc")
                try await terminal.press("Enter")
                try await terminal.expect("what came through the pipe") {
                    $0.contains("cba") && $0.last == ">" && !$0.contains("abc")
                }
                #expect(terminal.sandbox.memos == [] && terminal.sandbox.journalNames == [])
            }
        }
    }
}
