import Foundation
import Glibc
import Outbox
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests that `utter notes undo` and `redo` lose nothing, whoever else changes the note, and whatever the clock says.
    @Suite struct NotesUndone {
        private let sandbox = Sandbox()

        private func notes(_ arguments: String...) async throws -> Program.Finished {
            try await sandbox.utter(["notes"] + arguments)
        }

        private var folder: String { "data/utter/notes" }
        private var name: String { folder + "/" + (sandbox.names(in: folder).first { !$0.hasPrefix(".") } ?? "") }
        private var note: String { sandbox.text(of: name) ?? "" }

        private func keep(_ text: String, at time: Date = Date()) throws {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .current
            let noon = try #require(calendar.date(bySettingHour: 12, minute: 5, second: 0, of: Date()))
            try MarkdownVault(.own(sandbox.file(folder))).append(
                .init(id: .timeOrdered(at: time), text: text, capturedAt: noon, timeZone: .current))
        }

        private func put(_ text: String) { sandbox.put(text, in: name) }

        @Test("A program that holds the note open loses no line, and the note keeps its mode and its other names")
        func held() async throws {
            try keep("buy milk")
            put(note + "mine\n")
            #expect(chmod(sandbox.file(name), 0o640) == 0)
            #expect(link(sandbox.file(name), sandbox.file("other")) == 0)
            let holder = open(sandbox.file(name), O_WRONLY | O_APPEND | O_CLOEXEC)
            defer { close(holder) }
            #expect(try await notes("undo").exitCode == 0)
            #expect(write(holder, "held\n", 5) == 5)
            #expect(note.trimmingPrefix { $0 == " " } == "\nmine\nheld\n")
            #expect(sandbox.text(of: "other") == note && sandbox.mode(of: "other") == 0o640)
            #expect(try await notes("redo").exitCode == 0)
            #expect(write(holder, "held\n", 5) == 5)
            #expect(note.contains("held\n- 12:05 buy milk ^utter-") && note.hasSuffix("\nheld\n"))
        }

        @Test("Of a line that was copied, undo takes that which it names, and redo puts that one back and says so")
        func copied() async throws {
            try keep("buy milk")
            let original = note
            let edited = original.replacing("buy milk", with: "buy bread for Ada")
            for copy in [edited, original] {
                put(original + copy)
                let text = copy == edited ? "buy bread for Ada" : "buy milk"
                #expect(try await notes("undo").output.hasSuffix("  \(text)\n"))
                #expect(note == original)
                let redone = try await notes("redo")
                #expect(redone.output.hasPrefix("put back into ") && redone.output.hasSuffix("  \(text)\n"))
                #expect(note == original + copy)
                #expect(try await notes("redo").exitCode == 66)
                #expect(note == original + copy)
            }
        }

        @Test("After the clock was set back, redo puts back what undo has just taken out")
        func clock() async throws {
            let tomorrow = Date(timeIntervalSinceNow: 86_400)
            try keep("an older one")
            for number in 0..<10 {
                #expect(try await notes("undo").exitCode == 0)
                #expect(try await notes("redo").exitCode == 0)
                // As if the clock had been a day ahead then.
                for name in sandbox.names(in: "state/utter/undone") {
                    let later = UUID.timeOrdered(at: tomorrow + Double(number)).uuidString.lowercased()
                    let path = sandbox.file("state/utter/undone/")
                    try FileManager.default.moveItem(atPath: path + name, toPath: "\(path)\(later).json")
                }
            }
            try keep("the new one")
            let before = note
            #expect(try await notes("undo").output.hasSuffix("  the new one\n"))
            #expect(try await notes("redo").output.hasSuffix("  the new one\n"))
            #expect(note == before)
        }

        @Test("Where an editor saves an older copy after redo, redo puts the memo back again, but no edited one")
        func olderCopy() async throws {
            try keep("the first")
            let older = note
            try keep("the second")
            let whole = note
            #expect(try await notes("undo").exitCode == 0)
            #expect(try await notes("redo").exitCode == 0)
            put(whole.replacing("second", with: "third"))
            #expect(try await notes("redo").exitCode == 66)
            try older.write(toFile: sandbox.file(name), atomically: true, encoding: .utf8)
            #expect(try await notes("redo").output.hasSuffix("  the second\n"))
            #expect(note == whole)
        }
    }
}
