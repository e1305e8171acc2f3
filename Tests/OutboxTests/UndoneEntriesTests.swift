import Foundation
import Glibc
import TestSupport
import Testing

@testable import Outbox

struct UndoneEntriesTests {
    private static let day = "2025-03-08"
    private let id = UUID(uuidString: "eb0b1601-c7b9-4675-8b16-c9194f1efac8")!
    private let state = TemporaryFolder()
    private var undone: UndoneEntries { UndoneEntries(["XDG_STATE_HOME": state.path]) }
    private var names: [String] { state.names(in: "utter/undone") }

    private func note(_ text: String) -> NoteEntries {
        NoteEntries(of: Array(text.utf8), day: Self.day, template: .standard)
    }

    private func line(_ text: String) -> String { "- 14:22 \(text) ^utter-\(id.name)\n" }

    private func taken(_ number: Int) throws -> UndoneEntry {
        let note = note(line("memo \(number)"))
        return UndoneEntry(try #require(note.entries.first), folder: "/notes", in: note)
    }

    @Test("Removed entries are kept, readable by their owner only, and the newest is put back first")
    func kept() throws {
        #expect(try undone.last() == nil)
        for number in 0..<3 { try undone.keep(taken(number)) }
        #expect(names.count == 3 && names.allSatisfy { state.mode(of: "utter/undone/" + $0) == 0o600 })
        for number in [2, 1, 0] {
            let kept = try #require(try undone.last { entry, _ in entry.isMissing(in: note("")) && !entry.wasPutBack })
            #expect(kept.entry == (try taken(number)))
            try undone.markPutBack(kept)
        }
        #expect(names.count == 3)
    }

    @Test("Those of the last thirty days stay, up to a thousand, and the last ten however old they are")
    func number() throws {
        for number in 0..<30 { try undone.keep(taken(number)) }
        for name in names.dropLast(5) {
            var times = [timespec](repeating: timespec(tv_sec: time(nil) - 31 * 86_400, tv_nsec: 0), count: 2)
            #expect(utimensat(AT_FDCWD, state.file("utter/undone/" + name), &times, 0) == 0)
        }
        let before = names
        try undone.keep(taken(30))
        #expect(names.count == 10 && names.dropLast().elementsEqual(before.suffix(9)))

        for _ in names.count..<1005 { state.put([], in: "utter/undone/\(UUID.timeOrdered().name).json") }
        try undone.keep(taken(31))
        #expect(names.count == 1000)
    }

    @Test("After the clock was set back, an entry is still the newest, and stays")
    func clock() throws {
        for number in 0..<12 { try undone.keep(taken(number)) }
        let future = Date(timeIntervalSinceNow: 400 * 86_400)
        for name in names.prefix(10) {
            try FileManager.default.moveItem(
                atPath: state.file("utter/undone/" + name),
                toPath: state.file("utter/undone/\(UUID.timeOrdered(at: future).name).json"))
        }
        let later = names.suffix(10)
        // Another process, whose clock has gone back.
        let name = try undone.keep(taken(12))
        #expect(later.allSatisfy { $0 < name })
        #expect(try undone.last()?.entry == taken(12))
        #expect(names.count == 13)
    }

    @Test("A copied line is missing when it stands there less often than before; an edited one is another")
    func copies() throws {
        let one = line("buy milk")
        let other = line("buy bread")
        for (before, after, isMissing) in [
            (one, "", true), (one, one, false), (one, other, true), (other + one, other, true), (one + one, one, true),
            (one + one, one + one, false), ("x\n" + one + one, other + one, true), (one, "no line: " + one, true),
        ] {
            let found = note(before)
            let taken = UndoneEntry(try #require(found.last(Array(one.utf8))), folder: "/notes", in: found)
            #expect(taken.isMissing(in: note(after)) == isMissing, "\(before)→\(after)")
        }
    }

    @Test("What was put back is missing only where nothing has its mark, for it may have been edited since")
    func putBack() throws {
        try undone.keep(taken(0))
        try undone.markPutBack(try #require(try undone.last()))
        let kept = try #require(try undone.last()).entry
        #expect(kept.isMissing(in: note("other\n")) && !kept.isMissing(in: note(line("edited"))))
        // Who has removed the note itself does not want it back.
        #expect(!kept.isMissing(in: nil))
    }
}
