import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import utter

extension MemoTests {
    @Suite struct Safety {
        @Test(
            "Killed at any moment, the next memo restores what was on the screen, and each utterance is kept once",
            .long)
        func killed() async throws {
            var random = SplitMix64(for: "killed memos")
            try await MemoTests.spokenScene { terminal, microphone in
                var text = ""
                for recording in [MemoTests.digits, MemoTests.commands, MemoTests.weekdays, MemoTests.date] {
                    // Run the memo in a second shell, so that the terminal's shell does not notice when it is stopped.
                    try await terminal.start("sh -c '\"$0\" memo; :' \"$UTTER\"", until: "listening")
                    if !text.isEmpty {
                        try await terminal.expect("the offer") { $0.contains { $0.contains("Ctrl-R brings it back") } }
                        try await terminal.press("C-r")
                        try await terminal.expectDimmed("what was said before") { [text] in $0.line(1) == text }
                    }
                    let whole = text.isEmpty ? recording.transcript : "\(text) \(recording.transcript)"
                    let speaking = try microphone.playing(try await microphone.rendered(recording.path))
                    let looks = Int.random(in: 1...60, using: &random)
                    let count = Atomic(0)
                    try await terminal.expectDimmed("a moment") { lines in
                        count.add(1, ordering: .relaxed).newValue >= looks || lines.line(1) == whole
                    }
                    let memo = try await terminal.memoProcess()
                    kill(memo, SIGSTOP)
                    let shown = try await terminal.dimmedScreen().line(1).prefix { $0 != "<" }
                    kill(memo, SIGKILL)
                    try await speaking.stop()
                    try await terminal.expect("the shell") { $0.contains { $0.contains("Killed") } }
                    try await terminal.tidyUp()

                    let found = MemoTests.textsInJournals(of: terminal.sandbox)
                    #expect(found.count <= 1)
                    let next = found.first ?? ""
                    // The last guess may be in it, once.
                    #expect(next.hasPrefix(text))
                    #expect(next.split(separator: " ").count <= whole.split(separator: " ").count, "\(next)")
                    #expect(next.hasPrefix(shown), "it showed '\(shown)'")
                    text = next
                }
                try await terminal.start(until: "listening")
                // There is a text, unless all four were killed before their first word was final.
                if !text.isEmpty {
                    try await terminal.press("C-r")
                    try await terminal.expectDimmed("all of it") { [text] in $0.line(1) == text }
                }
                try await terminal.endWithEnter()
                #expect(terminal.sandbox.memos == (text.isEmpty ? [] : [text]))
                #expect(terminal.sandbox.journalNames == [])
            }
        }

        /// Whether the system calls show that a text was on the disk before the terminal showed it as final.
        private static func isWrittenThrough(_ text: String, _ log: [Substring]) -> Bool {
            guard
                let record = log.firstIndex(where: {
                    $0.contains("write(") && $0.contains("{\\\"guess\\\":false,\\\"text\\\":\\\"\(text)\\\"}")
                }),
                let file = log[record].firstMatch(of: /write\(([0-9]+),/)?.output.1
            else { return false }
            let process = log[record].prefix { $0.isNumber }
            guard let begun = log[record...].firstIndex(where: { $0.hasPrefix(process) && $0.contains("sync(\(file)") })
            else {
                return false
            }
            let flushed =
                log[begun].contains("= 0")
                ? begun
                : log[begun...].firstIndex {
                    $0.hasPrefix(process) && $0.contains("sync resumed>") && $0.contains("= 0")
                }
            // A guess is in brackets.
            let drawn = log.firstIndex {
                $0.contains("write(") && $0.contains(text) && !$0.contains("[" + text) && !$0.contains("{")
            }
            guard let flushed, let drawn else { return false }
            return flushed < drawn
        }

        @Test("The check of the system calls notices a wrong order")
        func order() {
            let (write, flush) = (
                #"7 write(9, "0 {\"guess\":false,\"text\":\"one two\"}\n", 44) = 44"#, "7 fsync(9) = 0"
            )
            let (guess, draw) = (#"8 write(5, "\33[K[one two]", 9) = 9"#, #"8 write(5, "one two\33[K", 9) = 9"#)
            func isWrittenThrough(_ log: String...) -> Bool { Self.isWrittenThrough("one two", log.map { $0[...] }) }
            #expect(isWrittenThrough(guess, write, flush, draw))
            #expect(isWrittenThrough(write, "7 fsync(9 <unfinished ...>", guess, "7 <... fsync resumed>) = 0", draw))
            #expect(!isWrittenThrough(write, draw, flush))
            #expect(!isWrittenThrough(draw, write, flush))
            #expect(!isWrittenThrough(write, "7 fsync(9 <unfinished ...>", draw, "7 <... fsync resumed>) = 0"))
            #expect(!isWrittenThrough(write, "7 fsync(10) = 0", draw))
            #expect(!isWrittenThrough(write, "7 fsync(9) = -1 EIO (Input/output error)", draw))
            #expect(!isWrittenThrough(flush, draw))
        }

        @Test(
            "Every utterance is flushed to the disk before the terminal shows it as final; no network is used; no message has its words",
            .needs("strace"))
        func writtenThrough() async throws {
            let texts = [MemoTests.digits, MemoTests.commands].map(\.transcript)
            try await MemoTests.spokenScene(environment: ["NO_COLOR": "1"]) { terminal, microphone in
                let (log, errors) = (terminal.sandbox.file("strace.log"), terminal.sandbox.file("errors"))
                let strace = "strace -f -s 4096 -e trace=network,write,fsync,fdatasync -o '\(log)'"
                try await terminal.start("\(strace) \"$UTTER\" memo 2>'\(errors)'", until: "listening")
                try await microphone.play(MemoTests.digits.path)
                try await terminal.expect("the first") { $0.contains(texts[0]) }
                try await microphone.play(MemoTests.commands.path)
                try await terminal.expect("the second") { $0.contains(texts.joined(separator: " ")) }
                let lines = try await terminal.endWithEnter()
                #expect(terminal.sandbox.memos == [texts.joined(separator: " ")])
                // The last lines are the memo and where it was kept.
                #expect(lines.line(lines.count - 3) == texts.joined(separator: " "))
                #expect(lines.line(lines.count - 2).hasPrefix("kept in "))
                #expect(terminal.sandbox.text(of: "errors") == "")

                let calls = try #require(terminal.sandbox.text(of: "strace.log")).split(separator: "\n")
                #expect(calls.contains { $0.contains("exited with") })
                #expect(Self.isWrittenThrough(texts[0], calls))
                #expect(Self.isWrittenThrough(texts.joined(separator: " "), calls))
                let reaching = calls.filter {
                    ($0.contains("socket(") || $0.contains("connect(")) && !$0.contains("AF_UNIX")
                }
                #expect(reaching == [])
            }
        }
    }
}
