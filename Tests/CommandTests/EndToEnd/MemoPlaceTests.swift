import Foundation
import Glibc
import Outbox
import TestSupport
import Testing

@testable import utter

extension MemoTests {
    /// Tests that a memo for one place arrives at no other.
    @Suite("The places of memos")
    struct Places {
        /// Configures a vault named private and a command named work.
        private func configure(_ sandbox: Sandbox, private name: String = "private") throws {
            mkdir(sandbox.file("private"), 0o700)
            try sandbox.configureDestinations(
                #"{"work": {"type": "command", "command": "cat >> '\#(sandbox.file("work"))'; echo >> '\#(sandbox.file("work"))'"}, "#
                    + #""\#(name)": {"type": "vault", "folder": "\#(sandbox.file("private"))"}}"#)
        }

        private func atWork(_ sandbox: Sandbox) async throws -> [String] {
            // The drain that was started in the background may still run.
            _ = try await sandbox.outbox(["drain", "--watch", "--for", "100"])
            return (sandbox.text(of: "work") ?? "").split(separator: "\n").map(String.init)
        }

        /// Kills a memo between Enter and its end, while another program locks its note.
        private func killAfterEnter(_ text: String, _ terminal: MemoTerminal) async throws {
            let sandbox = terminal.sandbox
            var locks: [Int32] = []
            for day in [Date(), Date(timeIntervalSinceNow: 86_400)] {
                let name = day.formatted(.iso8601.year().month().day())
                locks.append(open(sandbox.put([], in: "private/\(name).md"), O_RDWR | O_CLOEXEC))
                #expect(flock(locks.last!, LOCK_EX) == 0)
            }
            try await terminal.start("sh -c '\"$0\" memo --to private; :' \"$UTTER\"", until: "paused")
            try await terminal.type(text)
            try await terminal.expect("the text") { $0.contains(text) }
            let memo = try await terminal.memoProcess()
            try await terminal.press("Enter")
            try await MemoTests.waitForJournal(sandbox, holding: #"{"keep":"\#(text)""#)
            kill(memo, SIGKILL)
            try await terminal.expect("the shell") { $0.contains { $0.contains("Killed") } }
            try await terminal.tidyUp()
            for lock in locks { close(lock) }
        }

        @Test(
            "A memo that was killed after Enter and whose destination was renamed is sent nowhere: the memo, the outbox and the doctor report it"
        )
        func renamed() async throws {
            try await MemoTests.scene { terminal in
                let sandbox = terminal.sandbox
                try configure(sandbox)
                try await killAfterEnter("my secret diary line", terminal)
                try configure(sandbox, private: "diary")
                try await terminal.run("clear; memo --to work")
                let lines = try await terminal.expect("the memo") { $0.last == "paused" }
                try await terminal.type("hello boss")
                try await terminal.endWithEnter()
                #expect(
                    lines.contains {
                        $0.contains("an earlier memo: it waits in the outbox: there is no destination named private")
                    })
                let list = try await sandbox.outbox(["list"])
                #expect(list.outputLines.filter { $0.hasSuffix("private  no destination has this name") }.count == 1)
                let doctor = try await sandbox.utter(["doctor"])
                #expect(doctor.output.contains("private: 1, and no destination has that name"))
                #expect(try await atWork(sandbox) == ["hello boss"])
                #expect(sandbox.memos(in: "private") == [] && sandbox.journalNames == [])
                // When the destination has its old name again, the memo arrives.
                try configure(sandbox)
                _ = try await sandbox.outbox(["drain"])
                #expect(sandbox.memos(in: "private") == ["my secret diary line"] && sandbox.names(in: "notes") == [])
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

        @Test(
            "A memo that was cut off still goes to its own destination when one for another restores it, and reports that"
        )
        func cutOff() async throws {
            try await MemoTests.scene { terminal in
                let sandbox = terminal.sandbox
                try configure(sandbox)
                try await terminal.start("memo --to private --notes '\(sandbox.file("elsewhere"))'", until: "paused")
                try await terminal.type("my secret diary line")
                try await MemoTests.waitForJournal(sandbox, holding: "diary line")
                kill(try await terminal.memoProcess(), SIGKILL)
                try await terminal.expect("the shell") { $0.contains { $0.contains("Killed") } }
                let doctor = try await sandbox.utter(["doctor"])
                #expect(doctor.output.contains("a memo was cut off"))
                try await terminal.tidyUp()
                try await terminal.start("memo --to work", until: "paused")
                try await terminal.expect("the offer") { lines in
                    lines.contains {
                        $0.hasPrefix("a memo of ") && $0.contains(" for private was cut off: Ctrl-R brings it back")
                    }
                }
                try await terminal.press("C-r")
                try await terminal.expect("the notice") { lines in
                    lines.contains { $0.contains("Enter brings it to private, for which it was begun") }
                }
                let lines = try await terminal.endWithEnter()
                #expect(lines.contains { $0.hasPrefix("kept in \(sandbox.file("private"))/") })
                #expect(try await atWork(sandbox) == [] && sandbox.memos(in: "private") == ["my secret diary line"])
                #expect(sandbox.journalNames == [])
            }
        }
    }
}
