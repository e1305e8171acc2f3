import FileFaults
import Foundation
import Glibc
import System
import TestSupport
import Testing

@testable import Outbox

/// Changes of a note in place, beside what others do with it.
struct NoteChangingTests {
    private static let day = "2025-03-08"
    private static let id = UUID(uuidString: "eb0b1601-c7b9-4675-8b16-c9194f1efac8")!
    private let folder = TemporaryFolder(in: "/dev/shm")
    private var path: String { folder.file(Self.day + ".md") }
    private var changes: String { NoteChange.name(of: Self.day) }
    private var note: String { folder.text(of: Self.day + ".md") ?? "" }

    private func vault(_ calls: FileCalls = .system) -> MarkdownVault {
        MarkdownVault(.named(folder.path), calls: calls)
    }

    private static func line(_ text: String) -> String { "- 14:22 \(text) ^utter-\(id.name)\n" }

    private func entry() throws -> NoteEntries.Entry {
        try #require(try vault().entries(of: Self.day)?.entries.first { $0.id == Self.id })
    }

    private func put(_ text: String) { folder.put(text, in: Self.day + ".md") }

    private func add(_ text: String, to descriptor: Int32) {
        #expect(write(descriptor, text, text.utf8.count) == text.utf8.count)
    }

    @Test("The note keeps its file, and so its owner, its permissions and its other names")
    func place() throws {
        for (rest, replacement) in [("", ""), ("mine\n", ""), ("mine\n", Self.line("longer than before"))] {
            put("above\n" + Self.line("short") + rest)
            #expect(chmod(path, 0o640) == 0 && link(path, folder.file("other")) == 0)
            let inode = folder.inode(of: Self.day + ".md")
            #expect(try vault().replace(entry(), by: Array(replacement.utf8)))
            #expect(note == "above\n" + replacement + rest)
            #expect(folder.inode(of: "other") == inode && folder.inode(of: Self.day + ".md") == inode)
            #expect(folder.mode(of: "other") == 0o640 && folder.names() == [Self.day + ".md", "other"])
            unlink(folder.file("other"))
        }
    }

    @Test("While a program holds the note open, what it adds is kept, and a line of spaces stays in place of the entry")
    func held() throws {
        put("above\n" + Self.line("buy milk") + "below\n")
        let holder = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        defer { close(holder) }
        let entry = try entry()
        #expect(try vault().replace(entry, by: Array(Self.line("milk").utf8)))
        add("held\n", to: holder)
        #expect(note == "above\n" + Self.line("milk") + "   \nbelow\nheld\n")
        #expect(throws: OutboxError.self) {
            try vault().replace(self.entry(), by: Array(Self.line("longer than before").utf8))
        }
        #expect(try vault().remove(self.entry()))
        add("held\n", to: holder)
        let blank = String(repeating: " ", count: Self.line("milk").utf8.count - 1) + "\n"
        #expect(note == "above\n" + blank + "   \nbelow\nheld\nheld\n")
    }

    @Test("Whoever opens the note while it is changed waits, utter itself as well")
    func waiting() async throws {
        put(Self.line("buy milk"))
        let changing = open(path, O_RDWR | O_CLOEXEC)
        #expect(FileCalls.system.lease(changing) == 0)
        async let text = onThread { [vault = vault()] in try vault.entries(of: Self.day)?.entries.first?.text }
        // F_GETLEASE says what is left of the lease when somebody waits.
        try await Patience.wait(for: "the reader waits") { fcntl(changing, 1025) != F_WRLCK }
        close(changing)
        #expect(try await text == "buy milk")
    }

    @Test(
        "Killed before any call, or in any write, the next command mends the note, and what others have added is whole",
        arguments: [("", "mine\n"), ("x", "mine\n"), ("much longer than before", "mine, which is longer\n")],
        [FaultyCalls.Fault.killed, .torn])
    func killed(_ change: (replacement: String, rest: String), _ fault: FaultyCalls.Fault) throws {
        let old = "above\n" + Self.line("buy milk") + change.rest
        let replacement = change.replacement.isEmpty ? "" : Self.line(change.replacement)
        let new = "above\n" + replacement + change.rest
        var ends: Set<String> = []
        var number = 0
        while true {
            put(old)
            let entry = try entry()
            let faulty = FaultyCalls()
            faulty.plan(fault, at: number)
            let isDone = (try? vault(faulty.calls).replace(entry, by: Array(replacement.utf8))) == true
            let calls = faulty.names
            let added = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
            add("added\n", to: added)
            close(added)
            _ = try vault().entries(of: Self.day)
            #expect([old + "added\n", new + "added\n"].contains(note), "\(number): \(calls.last ?? "")")
            #expect(
                folder.names().allSatisfy {
                    [Self.day + ".md", self.changes].contains($0) || OpenFolder.isTemporary($0, in: .own)
                },
                "\(number)")
            unlink(folder.file(self.changes))
            ends.insert(note)
            if isDone { break }
            number += 1
        }
        #expect(ends.count == 2 && number > 15)
    }

    @Test("A half-changed note that an editor has read is mended also when the editor saves it later")
    func savedLate() throws {
        let (old, rest) = ("above\n" + Self.line("buy milk") + "mine\n", "mine\n")
        for number in 0... {
            put(old)
            unlink(folder.file(changes))
            let faulty = FaultyCalls()
            faulty.plan(.torn, at: number)
            if (try? vault(faulty.calls).remove(entry())) == true { break }
            let read = note
            // Two more commands: this one mends the note, and changes it once more.
            let other = Self.line("buy bread")
            if let entry = try vault().entries(of: Self.day)?.entries.first {
                #expect(try vault().replace(entry, by: Array(other.utf8)))
            }
            put(read + "saved\n")
            _ = try vault().entries(of: Self.day)
            #expect([old + "saved\n", "above\n" + rest + "saved\n"].contains(note), "\(number)")
        }
    }

    @Test("After a day, with the note or without, nothing is left of a change that was cut off")
    func oldChange() throws {
        for hasNote in [true, false] {
            put(Self.line("buy milk"))
            let change = NoteChange(offset: 0, before: Array(Self.line("buy milk").utf8), after: [])
            folder.put(String(decoding: NoteChange.file([change]), as: UTF8.self), in: changes)
            _ = try vault().entries(of: Self.day)
            #expect(folder.names().contains(changes))
            var times = [timeval](repeating: timeval(tv_sec: time(nil) - 90_000, tv_usec: 0), count: 2)
            #expect(utimes(folder.file(changes), &times) == 0)
            if !hasNote { unlink(path) }
            _ = try vault().entries(of: Self.day)
            #expect(folder.names() == (hasNote ? [Self.day + ".md"] : []))
        }
    }

    @Test("Whatever part of a change was written, mending completes it or takes it back, and changes no other text")
    func states() {
        var random = SplitMix64(for: "note changes")
        func some(_ range: ClosedRange<Int>) -> [UInt8] {
            (0..<Int.random(in: range, using: &random)).map { _ in UInt8.random(in: 97...99, using: &random) }
        }
        for _ in 0..<Tier.count(2000, long: 50_000) {
            let (head, rest) = (some(0...5), some(1...9))
            let change = NoteChange(offset: head.count, before: some(1...9) + rest, after: some(0...9) + rest)
            #expect(NoteChange.all(in: NoteChange.file([change, change])) == [change, change])
            let (before, after) = (head + change.before, head + change.after)
            let gap = abs(change.before.count - change.after.count)
            let isGrowing = change.after.count > change.before.count
            // The gap is filled up to somewhere, or whole; then the bytes before it are; then, where the note grows, the gap.
            var note = before
            if isGrowing { note += [UInt8](repeating: 0, count: gap) }
            let filled = isGrowing ? gap : Int.random(in: 0...gap, using: &random)
            let end = head.count + change.common
            for place in 0..<filled { note[end + place] = 0 }
            if filled == gap {
                let written = Int.random(in: 0...change.common, using: &random)
                note.replaceSubrange(head.count..<(head.count + written), with: change.after[..<written])
                if isGrowing, written == change.common, gap > 0 {
                    let last = Int.random(in: 0...gap, using: &random)
                    note.replaceSubrange(end..<(end + last), with: change.after[change.common..<(change.common + last)])
                }
            }
            let added = some(0...9)
            note += added
            if let mending = change.mending(note) {
                note.replaceSubrange(head.count..<(head.count + mending.count), with: mending)
            }
            if gap > 0 { #expect(note == before + added || note == after + added) }
            // And what is complete stays as it is.
            #expect(change.mending(after + added) == nil && change.mending(before + added) == nil)
        }
        for nonsense in ["", "5\n", "1 9 0\nabc", "1 0 9\nabc", "a b c\n", "-1 2 2\nabcd", "1 2 3", "1 2\nabc"] {
            #expect(NoteChange.all(in: Array(nonsense.utf8)).isEmpty)
        }
    }
}
