import Foundation
import Glibc
import TestSupport
import Testing

@testable import Outbox

struct NoteEntriesTests {
    private static let day = "2025-03-08"
    private let id = UUID(uuidString: "eb0b1601-c7b9-4675-8b16-c9194f1efac8")!
    private let other = UUID(uuidString: "0190aaaa-0000-7000-8000-000000000001")!

    private func written(_ text: String, _ template: LineTemplate = .standard, id: UUID? = nil) -> NoteEntry {
        NoteEntry(id: id ?? self.id, text: text, date: Self.day, time: "14:22", template: template, heading: nil)
    }

    private func entries(_ note: String, _ template: LineTemplate = .standard) -> NoteEntries {
        NoteEntries(of: Array(note.utf8), day: Self.day, template: template)
    }

    static let texts = [
        "buy milk", "", "one\ntwo", "one\n\n  two\n\n\nthree", "a ^utter- b", "- 09:00 no entry", "trailing  ",
        "```\ncode\n```", "\ttab",
        "über 漢字",
    ]
    static let templates = ["- {time} {text}", "{text}", "* [{date} {time}] {text} #memo", "> {text} ({time})"]

    @Test(
        "Every entry is found again among text from elsewhere, and recognized as unchanged", arguments: templates, texts
    )
    func found(_ form: String, _ text: String) throws {
        let template = try LineTemplate(form)
        let entry = written(text, template)
        let before = "# Diary\n- 08:00 not one of ours\n\nText.\n"
        let note = before + String(decoding: entry.bytes, as: UTF8.self) + "Tail.\n"
        let found = try #require(entries(note, template).entries.first)
        #expect(
            found.id == id && found.bytes == entry.bytes && found.range.lowerBound == before.utf8.count
                && found.line == 5)
        #expect(found.text == text)
        #expect(entries(note, template).isAsWritten(found))
        #expect(found.time == (form == "{text}" ? nil : "14:22"))
        #expect(!entries(note, template).readableText.contains("^utter-e"))
    }

    @Test("An edited entry whose beginning or end is not certain does not count as unchanged")
    func edited() throws {
        for (note, isAsWritten) in [
            ("- 14:22 buy milk ^utter-\(id.name)\n", true), ("- 14:22 buy bread ^utter-\(id.name)\n", true),
            ("buy milk ^utter-\(id.name)\n", false), ("- 14:22 a\nb ^utter-\(id.name)\n", false),
            ("- 14:22 buy milk ^utter-\(id.name)\r\n", false), ("- 14:22 buy milk ^utter-\(id.name)", false),
            ("- 14:22 buy milk\n\n\n  ^utter-\(id.name)\n", false),
        ] {
            let found = entries(note)
            #expect(found.isAsWritten(try #require(found.entries.first)) == isAsWritten, "\(note)")
        }
        #expect(entries("- 14:22 see ^utter-\(id.name) above\n^utter-nonsense\n").entries.isEmpty)
        #expect(entries("- 14:22 see 2025-03-08#^utter-\(id.name)\n").entries.isEmpty)
    }

    @Test("A line of the user's above an entry is never taken for the entry's own")
    func ownLines() throws {
        func unchanged(_ form: String, _ text: String) throws -> (range: Range<Int>, isAsWritten: Bool, own: Int) {
            let template = try LineTemplate(form)
            let own = "My own paragraph.\n"
            let note = own + String(decoding: written(text, template).bytes, as: UTF8.self)
            let found = try #require(entries(note, template).entries.first)
            return (found.range, entries(note, template).isAsWritten(found), own.utf8.count)
        }
        for (form, text) in [
            ("{text}", "  quoted words"), ("{text}", "one\n  two"), ("  {text}", "one"), ("  - {text}", "one"),
        ] {
            let found = try unchanged(form, text)
            #expect(found.range.lowerBound == found.own && found.isAsWritten, "\(form)")
        }
        // Its first line looks like the second, so it may be removed by hand only.
        #expect(try !unchanged("  {text}", "one\ntwo").isAsWritten)
    }

    @Test("The readable text lacks the marks and nothing else")
    func readable() {
        let note = "# Day\n- 14:22 a\n  b ^utter-\(id.name)\n- 14:23 c\n  ```\n  ^utter-\(other.name)\nend"
        #expect(entries(note).readableText == "# Day\n- 14:22 a\n  b\n- 14:23 c\n  ```\nend\n")
        #expect(entries(note).entries.map(\.text) == ["a\nb", "c\n```"])
    }

    /// A vault in a folder of its own, with two entries and what others wrote between and after them.
    private func withVault(_ body: (MarkdownVault, _ note: String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/utter-notes-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let vault = MarkdownVault(.named(folder))
        #expect(try vault.days() == [] && !FileManager.default.fileExists(atPath: folder))
        _ = try vault.append(written("first\nand more"))
        let note = vault.notePath(of: Self.day)
        try (String(contentsOfFile: note, encoding: .utf8) + "Between.\n").write(
            toFile: note, atomically: false, encoding: .utf8)
        _ = try vault.append(written("second", id: other))
        #expect(chmod(note, 0o640) == 0)
        #expect(FileManager.default.createFile(atPath: folder + "/Plans.md", contents: nil))
        try body(vault, note)
    }

    @Test("A removed entry is gone, the rest of the note and its permissions stay, and putting it back adds it once")
    func takeAndPutBack() throws {
        try withVault { vault, note in
            let before = try String(contentsOfFile: note, encoding: .utf8)
            #expect(try vault.days() == [Self.day])
            let whole = try #require(try vault.entries(of: Self.day))
            let entries = whole.entries
            #expect(entries.map(\.text) == ["first\nand more", "second"])
            #expect(try vault.remove(entries[0]))
            let without = try String(contentsOfFile: note, encoding: .utf8)
            #expect(without == "Between.\n" + before.split(separator: "\n").last! + "\n")
            var status = stat()
            #expect(stat(note, &status) == 0 && status.st_mode & 0o777 == 0o640)
            #expect(try !vault.remove(entries[0]))
            let undone = UndoneEntry(entries[0], folder: vault.location.path, in: whole)
            #expect(undone.isMissing(in: try vault.entries(of: Self.day)))
            try vault.putBack(undone)
            #expect(!undone.isMissing(in: try vault.entries(of: Self.day)))
            #expect(
                try String(contentsOfFile: note, encoding: .utf8) == without
                    + String(decoding: entries[0].bytes, as: UTF8.self))
            #expect(try FileManager.default.contentsOfDirectory(atPath: vault.location.path).count == 2)
        }
    }

    @Test("An entry that was changed since it was read is not removed")
    func changed() throws {
        try withVault { vault, note in
            let entry = try #require(try vault.entries(of: Self.day)?.entries.last)
            let edited = try String(contentsOfFile: note, encoding: .utf8).replacing("second", with: "sec0nd")
            try edited.write(toFile: note, atomically: true, encoding: .utf8)
            #expect(try !vault.remove(entry))
            #expect(try String(contentsOfFile: note, encoding: .utf8) == edited)
        }
    }
}
