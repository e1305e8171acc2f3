import Foundation
import Glibc
import TestSupport
import Testing

@testable import Outbox

struct NoteEntriesTests {
    private static let day = "2025-03-08"
    private let folder = TemporaryFolder()
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
        "über 漢字", "- 14:03 Call Ada. ^utter-0190aaaa-0000-7000-8000-000000000001\nand more",
        "see\n^utter-0190aaaa-0000-7000-8000-000000000001\n\n^utter-0190aaaa-0000-7000-8000-000000000001",
        "[[2025-03-01#^utter-0190aaaa-0000-7000-8000-000000000001]]",
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
        #expect(entries(note, template).entries.count == 1)
        // A mark that was copied into a text is not that of its own memo.
        guard case .append = NoteAddition(of: written("first", template, id: other), to: Array(note.utf8)) else {
            Issue.record("another memo would be left out")
            return
        }
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
        let own = "My own paragraph.\n"
        for (form, text, isAsWritten) in [
            ("{text}", "  quoted words", true), ("{text}", "one\n  two", true), ("  {text}", "one", true),
            ("  - {text}", "one", true),
            // Its first line looks like the second, so it may be removed by hand only.
            ("  {text}", "one\ntwo", false),
        ] {
            let template = try LineTemplate(form)
            let note = own + String(decoding: written(text, template).bytes, as: UTF8.self)
            let found = try #require(entries(note, template).entries.first)
            #expect(entries(note, template).isAsWritten(found) == isAsWritten, "\(form)")
            if isAsWritten { #expect(found.range.lowerBound == own.utf8.count, "\(form)") }
        }
    }

    @Test("The readable text lacks the marks and nothing else")
    func readable() {
        let note = "# Day\n- 14:22 a\n  b ^utter-\(id.name)\n- 14:23 c\n  ```\n  ^utter-\(other.name)\nend"
        #expect(entries(note).readableText == "# Day\n- 14:22 a\n  b\n- 14:23 c\n  ```\nend\n")
        #expect(entries(note).entries.map(\.text) == ["a\nb", "c\n```"])
    }

    private static let path = "notes/\(day).md"
    private var note: String { folder.text(of: Self.path) ?? "" }

    /// A vault with two entries and what others wrote between and after them.
    private func makeVault() throws -> MarkdownVault {
        let vault = MarkdownVault(.named(folder.file("notes")))
        #expect(try vault.days() == [] && folder.names() == [])
        _ = try vault.append(written("first\nand more"))
        folder.put(note + "Between.\n", in: Self.path)
        _ = try vault.append(written("second", id: other))
        #expect(chmod(folder.file(Self.path), 0o640) == 0)
        folder.put("", in: "notes/Plans.md")
        return vault
    }

    @Test("A removed entry is gone, the rest of the note and its permissions stay, and putting it back adds it once")
    func takeAndPutBack() throws {
        let vault = try makeVault()
        let before = note
        #expect(try vault.days() == [Self.day])
        let whole = try #require(try vault.entries(of: Self.day))
        let entries = whole.entries
        #expect(entries.map(\.text) == ["first\nand more", "second"])
        #expect(try vault.remove(entries[0]))
        let without = note
        #expect(without == "Between.\n" + before.split(separator: "\n").last! + "\n")
        #expect(folder.mode(of: Self.path) == 0o640)
        #expect(try !vault.remove(entries[0]))
        let undone = UndoneEntry(entries[0], folder: vault.location.path, in: whole)
        #expect(undone.isMissing(in: try vault.entries(of: Self.day)))
        try vault.putBack(undone)
        #expect(!undone.isMissing(in: try vault.entries(of: Self.day)))
        #expect(note == without + String(decoding: entries[0].bytes, as: UTF8.self))
        #expect(folder.names(in: "notes").count == 2)
    }

    @Test("An entry that was changed since it was read is not removed")
    func changed() throws {
        let vault = try makeVault()
        let entry = try #require(try vault.entries(of: Self.day)?.entries.last)
        let edited = note.replacing("second", with: "sec0nd")
        folder.put(edited, in: Self.path)
        #expect(try !vault.remove(entry))
        #expect(note == edited)
    }
}
