import Foundation
import TestSupport
import Testing

@testable import Outbox

@Suite("An addition to a note")
struct NoteAdditionTests {
    private static let id = UUID(uuidString: "0198B9D0-1111-7222-8333-444455556666")!
    private static let mark = "^utter-0198b9d0-1111-7222-8333-444455556666"

    private func entry(
        _ text: String, template: String = "- {time} {text}", heading: String? = nil, zone: String = "Europe/Berlin"
    ) throws -> NoteEntry {
        // 13:22 in Greenwich.
        NoteEntry(
            id: Self.id, text: text, capturedAt: Date(timeIntervalSince1970: 1_741_440_120),
            timeZone: TimeZone(identifier: zone)!, template: try LineTemplate(template), heading: heading)
    }

    private func text(_ entry: NoteEntry) -> String { String(decoding: entry.bytes, as: UTF8.self) }

    /// The note after the entry was added, with the mark abbreviated.
    private func added(_ entry: NoteEntry, to note: String) -> String {
        guard case .append(let bytes) = NoteAddition(of: entry, to: Array(note.utf8)) else { return "present" }
        return (note + String(decoding: bytes, as: UTF8.self)).replacingOccurrences(of: Self.mark, with: "^1")
    }

    @Test("An entry has the time in the capture's time zone, and belongs to the note of that day")
    func line() throws {
        #expect(text(try entry("buy milk")) == "- 14:22 buy milk \(Self.mark)\n")
        #expect(try entry("buy milk").date == "2025-03-08")
        let far = try entry("우유 사기 🥛", zone: "Pacific/Kiritimati")
        #expect(far.date == "2025-03-09")
        #expect(text(far) == "- 03:22 우유 사기 🥛 \(Self.mark)\n")
    }

    @Test("Several lines are one list item, with the mark at its end")
    func lines() throws {
        #expect(text(try entry("a\nb\r\n\r\nc\u{2028}d\n\n")) == "- 14:22 a\n  b\n\n  c\n  d \(Self.mark)\n")
        #expect(text(try entry("look:\n```\ncode\n```")) == "- 14:22 look:\n  ```\n  code\n  ```\n  \(Self.mark)\n")
        #expect(text(try entry("")) == "- 14:22  \(Self.mark)\n")
    }

    @Test("A note gets no control characters but newline and tab, and none that override the direction of reading")
    func controls() throws {
        #expect(text(try entry("a\u{1B}[31mb\u{0}\u{7F}\u{9B}c\td\u{8}")) == "- 14:22 a[31mbc\td \(Self.mark)\n")
        #expect(
            text(try entry("a\rb\u{B}c\u{C}d\u{85}e\u{2029}f\r\ng"))
                == "- 14:22 a\n  b\n  c\n  d\n  e\n  f\n  g \(Self.mark)\n")
        #expect(
            text(try entry("\u{202E}a\u{202D}b\u{2066}c\u{2069}\u{202B}d\u{202C}")) == "- 14:22 abcd \(Self.mark)\n")
        // Letters of all scripts, and what Hebrew and emoji need.
        for kept in ["שלום\u{200F}!", "👩\u{200D}🚀", "e\u{301}", "می\u{200C}خواهم", "\u{AD}\u{FEFF}"] {
            #expect(text(try entry(kept)) == "- 14:22 \(kept) \(Self.mark)\n")
        }
        // In the quick tier the blocks in which there are such characters.
        let values = Tier.current == .long ? Array(UInt32(0)...0x3000) : Array(0...0x17F) + Array(0x1FF0...0x2080)
        for value in values {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let line = text(try entry("a\(scalar)b")).unicodeScalars.filter { $0 != "\n" }
            let isControl = scalar.properties.generalCategory == .control && scalar != "\t"
            let breaks = [0xA, 0xB, 0xC, 0xD, 0x85, 0x2028, 0x2029].contains(value)
            let turns = 0x202A...0x202E ~= value || 0x2066...0x2069 ~= value
            #expect(line.contains(scalar) != (isControl || breaks || turns), "\(String(value, radix: 16))")
        }
    }

    @Test("The template decides the form of a line, and the text is never taken for a part of it")
    func template() throws {
        #expect(
            text(try entry("say {time}", template: "* [ ] {text} ({date} {time}, {time})"))
                == "* [ ] say {time} (2025-03-08 14:22, 14:22) \(Self.mark)\n")
        for wrong in ["", "{time}", "{text} {text}", "- {text}\n", "- {tme} {text}"] {
            #expect(throws: OutboxError.self) { try LineTemplate(wrong) }
        }
    }

    @Test("A note without a newline at its end gets one, and keeps its content")
    func ends() throws {
        let entry = try entry("x")
        #expect(added(entry, to: "") == "- 14:22 x ^1\n")
        #expect(added(entry, to: "old\n") == "old\n- 14:22 x ^1\n")
        #expect(added(entry, to: "old") == "old\n- 14:22 x ^1\n")
        #expect(added(entry, to: "a\r\nb\r\n") == "a\r\nb\r\n- 14:22 x ^1\n")
    }

    @Test("A mark anywhere in the note means that nothing is added, wherever the user has moved it")
    func present() throws {
        let entry = try entry("x")
        let whole = "old\n- 14:22 x \(Self.mark)\nnew\n"
        #expect(NoteAddition(of: entry, to: Array(whole.utf8)) == .present(offset: 4))
        #expect(NoteAddition(of: entry, to: Array("^ ^ edited \(Self.mark)".utf8)) == .present(offset: nil))
        #expect(NoteAddition(of: entry, to: Array(Self.mark.utf8)) == .present(offset: nil))
        // A link to the mark is no mark.
        let link = "see [[2025-03-08#\(Self.mark)]]\n"
        #expect(added(entry, to: link) == link.replacing(Self.mark, with: "^1") + "- 14:22 x ^1\n")
        // Another's mark that begins with this one.
        #expect(added(entry, to: "y \(Self.mark)7\n").hasSuffix("7\n- 14:22 x ^1\n"))
        #expect(added(entry, to: "y \(Self.mark)-a\n").hasSuffix("-a\n- 14:22 x ^1\n"))
    }

    @Test("An entry goes under its heading, which is written if it is missing or not the last")
    func heading() throws {
        let entry = try entry("x", heading: "## Memos")
        let line = "- 14:22 x ^1\n"
        #expect(added(entry, to: "") == "## Memos\n" + line)
        #expect(added(entry, to: "old") == "old\n\n## Memos\n" + line)
        #expect(added(entry, to: "old\n") == "old\n\n## Memos\n" + line)
        for under in [
            "## Memos\n", "a\n## Memos  \r\n- b\n### deeper\n", "## Memos\n# Memos\n## Memos\n", "## Memos\n#tag\n",
        ] {
            #expect(added(entry, to: under) == under + line)
        }
        for elsewhere in [
            "## Memos\n- b\n## Other\n", "## Memos\n# Higher\n", "### Memos\n", "```\n## Memos\n```\n", "## Memo\n",
        ] {
            #expect(added(entry, to: elsewhere) == elsewhere + "\n## Memos\n" + line)
        }
        #expect(added(try self.entry("x", heading: " Memos \n"), to: "") == "## Memos\n" + line)
        // What is no heading in Markdown becomes one, so that it is found again.
        for (heading, written) in [("#memos", "## #memos\n"), ("####### x", "## ####### x\n"), ("# x", "# x\n")] {
            let first = added(try self.entry("x", heading: heading), to: "")
            #expect(first == written + line)
            #expect(
                added(try self.entry("y", heading: heading), to: first.replacing("^1", with: "^2")).hasPrefix(
                    first.replacing("^1", with: "^2") + "- 14:22 y"))
        }
    }

    @Test("Wherever a write was cut off, the rest is added, and no byte twice")
    func torn() throws {
        for (heading, before) in [(nil, "old\n"), ("## Memos", "old\n\n"), (nil, "")] as [(String?, String)] {
            let entry = try entry("buy milk\nand\nbuy milk", heading: heading)
            let whole = Array((before + (heading.map { $0 + "\n" } ?? "")).utf8) + entry.bytes
            for count in before.utf8.count...whole.count {
                let note = Array(whole[..<count])
                switch NoteAddition(of: entry, to: note) {
                case .present: #expect(count >= whole.count - 1)
                case .append(let bytes):
                    let result = note + bytes
                    let headingCount = heading?.utf8.count ?? 0
                    let inHeading = count - before.utf8.count
                    let inEntry = inHeading - (heading == nil ? 0 : headingCount + 1)
                    // Too little to tell it from what somebody types is left as it is.
                    let isRecognized =
                        inEntry > entry.textOffset || inEntry == 0 || heading != nil && inHeading >= 4 && inEntry <= 0
                    if isRecognized {
                        #expect(result == whole)
                    } else {
                        #expect(result.suffix(entry.bytes.count).elementsEqual(entry.bytes))
                    }
                }
            }
        }
    }

    @Test("Whatever the note and the text hold, the note stays the same up to its end, and has the entry once")
    func random() {
        var random = SplitMix64(for: "random notes")
        let pieces = [
            "\n", "## Memos", "# A", "```", "- 14:22 ", "x", "^utter-", Self.mark.dropLast().description, " ", "\r\n",
            "é",
        ]
        for _ in 0..<5000 {
            func some() -> String {
                (0..<Int.random(in: 0...8, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined()
            }
            let entry = NoteEntry(
                id: Self.id, text: some(), capturedAt: Date(timeIntervalSince1970: 1_741_440_120), timeZone: .gmt,
                template: .standard, heading: Bool.random(using: &random) ? "## Memos" : nil)
            let note = Array(some().utf8)
            guard case .append(let bytes) = NoteAddition(of: entry, to: note) else {
                Issue.record("a mark was seen that isn't there")
                continue
            }
            let result = note + bytes
            #expect(result.suffix(entry.bytes.count).elementsEqual(entry.bytes))
            #expect(NoteAddition(of: entry, to: result) == .present(offset: result.count - entry.bytes.count))
        }
    }
}
