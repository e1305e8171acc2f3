import Foundation
import Glibc
import TestSupport
import Testing

extension MemoTests {
    @Suite struct SavedSounds {
        private static let folder = "sounds"

        private func names(_ terminal: MemoTerminal) -> [String] { terminal.sandbox.names(in: Self.folder) }

        private func start(_ terminal: MemoTerminal) async throws {
            try await terminal.start(
                "cd '\(terminal.sandbox.file("."))'; sh -c '\"$0\" memo --save-audio \(Self.folder); :' \"$UTTER\"",
                until: "listening")
        }

        private func sayDigits(_ terminal: MemoTerminal, _ microphone: VirtualMicrophone) async throws {
            try await microphone.play(MemoTests.digits.path)
            try await terminal.expectDimmed("the digits") { $0.line(1).hasSuffix(MemoTests.digits.transcript) }
        }

        /// The transcript of the only file.
        private func transcript(_ terminal: MemoTerminal) async throws -> String {
            let name = try #require(names(terminal).first)
            return try await terminal.sandbox.transcribe(terminal.sandbox.file("\(Self.folder)/\(name)")).outputLines
                .joined(separator: " ")
        }

        /// Makes a configuration folder that sets the folder of the sounds.
        private func configuration(_ terminal: MemoTerminal, savingIn folder: String) throws -> String {
            let path = terminal.sandbox.file("configuration")
            try FileManager.default.createDirectory(atPath: path + "/utter", withIntermediateDirectories: true)
            terminal.sandbox.put(
                "{\"memo-save-audio\": \"\(terminal.sandbox.file(folder))\"}",
                in: "configuration/utter/config.json")
            return path
        }

        private func kill(_ terminal: MemoTerminal) async throws {
            Glibc.kill(try await terminal.memoProcess(), SIGKILL)
            try await terminal.expect("the shell") { $0.contains { $0.contains("Killed") } }
            try await terminal.tidyUp()
        }

        @Test(
            "It is all that was heard except pauses, in a file that only this user may read, named by the note's day and mark"
        )
        func content() async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                try await start(terminal)
                try await sayDigits(terminal, microphone)
                try await terminal.press("C-p")
                try await terminal.expect("a pause") { $0.last == "paused" }
                try await microphone.play(MemoTests.date.path)
                try await terminal.press("C-p")
                try await terminal.expect("that it listens") { $0.last?.hasPrefix("listening") == true }
                try await microphone.play(MemoTests.commands.path)
                let whole = "\(MemoTests.digits.transcript) \(MemoTests.commands.transcript)"
                try await terminal.expectDimmed("all") { $0.line(1) == whole }
                try await terminal.endWithEnter()
                let (note, name) = (
                    try #require(terminal.sandbox.names(in: "notes").first), try #require(names(terminal).first)
                )
                #expect(try await transcript(terminal) == whole && names(terminal).count == 1)
                #expect(
                    terminal.sandbox.mode(of: Self.folder) == 0o700
                        && terminal.sandbox.mode(of: "\(Self.folder)/\(name)") == 0o600)
                let text = try #require(terminal.sandbox.text(of: "notes/" + note))
                let mark = try #require(text.firstMatch(of: /\^(utter-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4})-/)).output.1
                #expect(name == "\(note.dropLast(3))-\(mark).wav")
                // The header has the final sizes.
                let content = try await SavedSound(path: terminal.sandbox.file("\(Self.folder)/\(name)")).wait { _ in
                    true
                }
                #expect(content.isFinished)
                // The mark in the note identifies the file.
                let again = try await terminal.sandbox.utter(
                    ["notes", "again", "--notes", terminal.sandbox.file("notes")],
                    environment: [
                        "XDG_CONFIG_HOME": try configuration(terminal, savingIn: Self.folder),
                        "UTTER_MODEL": "vosk-model-tiny-en",
                    ])
                #expect(again.output == whole + "\n" && again.errors == "", "\(again.errors)")
            }
        }

        @Test(
            "After kill -9 it can be read; a restored memo continues in the same file, and one that is thrown away leaves none"
        )
        func killed() async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                try await start(terminal)
                try await sayDigits(terminal, microphone)
                try await kill(terminal)
                let first = names(terminal)
                #expect(try await transcript(terminal) == MemoTests.digits.transcript && first.count == 1)
                try await start(terminal)
                try await terminal.press("C-r")
                try await terminal.expectDimmed("what was said") { $0.line(1) == MemoTests.digits.transcript }
                try await microphone.play(MemoTests.commands.path)
                let whole = "\(MemoTests.digits.transcript) \(MemoTests.commands.transcript)"
                try await terminal.expectDimmed("all") { $0.line(1) == whole }
                try await terminal.endWithEnter()
                #expect(names(terminal) == first && terminal.sandbox.memos == [whole])
                #expect(try await transcript(terminal) == whole)

                try await terminal.tidyUp()
                try await start(terminal)
                try await sayDigits(terminal, microphone)
                try await kill(terminal)
                #expect(names(terminal).count == 2)
                try await start(terminal)
                try await terminal.expect("the offer") { $0.contains { $0.contains("Ctrl-T throws it away") } }
                try await terminal.press("C-t")
                try await terminal.expect("no offer") { !$0.contains { $0.contains("Ctrl-T throws it away") } }
                try await terminal.press("Enter")
                try await terminal.expect("the end") { $0.contains("nothing was said") && $0.last == ">" }
                #expect(names(terminal) == first)
            }
        }

        @Test("When a microphone is lost and found again, the sound continues in the same file")
        func lostDevice() async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                try await start(terminal)
                try await sayDigits(terminal, microphone)
                try await microphone.removeDevice()
                try await terminal.expect("that it is gone") { lines in
                    lines.contains { $0.contains("can't hear, typing works") }
                }
                try await microphone.returnDevice()
                try await terminal.expect("that it listens") { lines in
                    lines.last?.hasPrefix("listening") == true && !lines.contains { $0.contains("can't hear") }
                }
                try await microphone.play(MemoTests.commands.path)
                let whole = "\(MemoTests.digits.transcript) \(MemoTests.commands.transcript)"
                try await terminal.expectDimmed("all") { $0.line(1) == whole }
                try await terminal.endWithEnter()
                #expect(names(terminal).count == 1)
                #expect(try await transcript(terminal) == whole)
            }
        }

        @Test("A folder that can't be created is reported in one sentence, during the memo and at its end")
        func missingFolder() async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                try await terminal.start(
                    "memo --save-audio '\(terminal.sandbox.file("gone/sounds"))'", until: "listening")
                let sentence =
                    "the sound is not kept from here on: can't open the folder \(terminal.sandbox.file("gone/sounds")): "
                try await terminal.expect("the sentence") { lines in lines.count { $0.hasPrefix(sentence) } == 1 }
                try await microphone.play(MemoTests.digits.path)
                try await terminal.expectDimmed("the digits") { $0.line(1) == MemoTests.digits.transcript }
                let lines = try await terminal.endWithEnter()
                #expect(lines.contains { $0.hasPrefix("kept in ") && $0.contains("; " + sentence) })
                #expect(terminal.sandbox.memos == [MemoTests.digits.transcript])
            }
        }

        @Test(
            "A limit on the file's size is reported once; the memo continues and ends with 74, and the file can be read",
            .notThreadSanitized("it has a file of its own, which is larger"),
            .enabled(if: !Coverage.isCounted, "what counts the coverage has a file of its own, which is larger"))
        func limitedFile() async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                let folder = terminal.sandbox.file(Self.folder)
                try await terminal.start(
                    "bash -c \"trap '' XFSZ; ulimit -f 50; \\$0 memo --save-audio '\(folder)'; echo ended \\$?\" \"$UTTER\"",
                    until: "listening")
                try await terminal.expect("the sentence") { lines in
                    lines.count { $0.contains("the sound is not kept from here on: can't write \(folder)/") } == 1
                }
                try await sayDigits(terminal, microphone)
                let lines = try await terminal.endWithEnter()
                #expect(lines.contains("ended 74"), "\(lines)")
                #expect(terminal.sandbox.memos == [MemoTests.digits.transcript] && names(terminal).count == 1)
                let name = try #require(names(terminal).first)
                #expect(try await terminal.sandbox.transcribe("\(folder)/\(name)").end == .exited(0))
            }
        }
    }
}
