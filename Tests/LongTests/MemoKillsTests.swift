import Foundation
import Glibc
import TestSupport
import Testing

@testable import utter

extension MemoTests {
    /// Memos for different places are killed at random moments. `UTTER_MEMO_KILLS` sets how many.
    @Suite("Killed memos and their places")
    struct Kills {
        private static let count = Tier.count(4, long: 40, "UTTER_MEMO_KILLS")

        /// The options of a memo, and the places that it is for: folders of notes, or the file that a command writes.
        private static let places: [(options: String, names: [String])] = [
            ("--to private", ["private"]), ("--to work", ["work"]), ("--to private --to work", ["private", "work"]),
            ("--to notes --notes \"$PWD/one\"", ["one"]), ("--to notes --notes \"$PWD/two\"", ["two"]),
        ]

        private func start(_ options: String, _ terminal: MemoTerminal) async throws -> Bool {
            // Remove what a killed memo has left on the screen.
            try await terminal.tidyUp()
            try await terminal.run("sh -c '\"$0\" memo \(options); :' \"$UTTER\"")
            // By then the memo has looked for text that was left, before anything is typed.
            let lines = try await terminal.expect("the memo") { $0.last?.hasPrefix("paused") == true }
            return lines.contains { $0.contains("Ctrl-R brings it back") }
        }

        private func restore(_ terminal: MemoTerminal) async throws {
            try await terminal.press("C-r")
            try await terminal.expect("the text") { lines in lines.contains { $0.hasPrefix("memo ") } }
            try await terminal.endWithEnter()
        }

        @Test(
            "Whenever memos are killed, and whatever the next ones are for, each text arrives at its own places and at no other"
        )
        func killed() async throws {
            var random = SplitMix64(for: "memo kills")
            try await MemoTests.scene { terminal in
                let sandbox = terminal.sandbox
                for name in ["private", "one", "two"] { mkdir(sandbox.file(name), 0o700) }
                let work = sandbox.put([], in: "work")
                try sandbox.configureDestinations(
                    #"{"notes": false, "private": {"type": "vault", "folder": "\#(sandbox.file("private"))"}, "#
                        + #""work": {"type": "command", "command": "cat >> '\#(work)'; echo >> '\#(work)'"}}"#)
                try await terminal.run("cd '\(sandbox.path)'; clear")
                try await terminal.expect([">"])
                var safe: [String: [String]] = [:]
                for number in 0..<Self.count {
                    let place = Self.places.randomElement(using: &random)!
                    let text = "memo \(number) for \(place.names.joined(separator: " and "))."
                    if try await start(place.options, terminal), Bool.random(using: &random) {
                        try await restore(terminal)
                        continue
                    }
                    let memo = try await terminal.memoProcess()
                    let descriptor = pidDescriptor(memo, 0)
                    try await terminal.type(text)
                    if Int.random(in: 0..<4, using: &random) > 0 {
                        try await MemoTests.waitForJournal(sandbox, holding: text)
                        safe[text] = place.names
                        if Int.random(in: 0..<4, using: &random) > 0 { try await terminal.press("Enter") }
                    }
                    for _ in 0..<Int.random(in: 0..<300, using: &random) { sched_yield() }
                    kill(memo, SIGKILL)
                    try await onThread { waitForEnd(descriptor) }
                    try await terminal.expect("the shell") { lines in lines.contains { $0.hasPrefix(">") } }
                }
                while try await start("--to work", terminal) { try await restore(terminal) }
                try await terminal.endWithEnter()
                _ = try await sandbox.outbox(["drain", "--watch", "--for", "100"])
                #expect(try sandbox.queued.isEmpty && sandbox.journalNames == [])

                var arrived: [String: [String]] = [
                    "work": (sandbox.text(of: "work") ?? "").split(separator: "\n").map(String.init)
                ]
                for name in ["private", "one", "two", "notes"] { arrived[name] = sandbox.memos(in: name) }
                #expect(!safe.isEmpty || Self.count < 4)
                for (text, names) in safe {
                    for name in names { #expect(arrived[name]?.contains(text) == true, "\(text) is not at \(name)") }
                }
                // A memo that was killed during typing may have left the beginning of its text.
                for (name, texts) in arrived {
                    for text in texts where text.contains(" for ") && text.hasSuffix(".") {
                        #expect(text.contains(" \(name).") || text.contains(" \(name) and"), "\(text) is at \(name)")
                    }
                    if name != "work" { #expect(Set(texts).count == texts.count) }
                }
                #expect(sandbox.names(in: "data/utter/notes") == [])
            }
        }
    }
}
