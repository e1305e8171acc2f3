import FileFaults
import Foundation
import Glibc
import Synchronization
import System
import TestSupport
import Testing

@testable import Outbox

@Suite("A vault of Markdown notes")
struct MarkdownVaultTests {
    private let folder = TemporaryFolder()
    private let name = "2025-03-08.md"

    private func vault(_ subfolder: String = "/notes", calls: FileCalls = .system) -> MarkdownVault {
        MarkdownVault(.own(folder.path + subfolder), calls: calls)
    }

    private func entry(_ text: String, id: UUID = UUID()) -> MarkdownVault.Entry {
        MarkdownVault.Entry(
            id: id, text: text, capturedAt: Date(timeIntervalSince1970: 1_741_440_120), timeZone: .gmt)
    }

    private func line(_ entry: MarkdownVault.Entry) -> String {
        "- 13:22 \(entry.text) ^utter-\(entry.id.uuidString.lowercased())\n"
    }

    @Test("The first entry creates the folder and the note, readable by their owner only")
    func first() throws {
        let entry = entry("buy milk")
        #expect(try vault("/a/b/notes").append(entry) == .appended)
        #expect(folder.text(of: "a/b/notes/" + name) == line(entry))
        #expect(folder.mode(of: "a/b/notes/" + name) == 0o600)
        for path in ["a", "a/b", "a/b/notes"] { #expect(folder.mode(of: path) == 0o700) }
        #expect(vault("/a/b/notes").notePath(for: entry) == folder.file("a/b/notes/" + name))
    }

    @Test(
        "Adding an entry again adds nothing, keeps the note's file, and in a folder that the user named its permissions"
    )
    func again() throws {
        let vault = MarkdownVault(.named(folder.file("notes")))
        try vault.prepare()
        folder.put("mine", in: "notes/" + name)
        #expect(chmod(folder.file("notes/" + name), 0o644) == 0)
        let inode = folder.inode(of: "notes/" + name)
        let (one, two) = (entry("one"), entry("two"))
        for expected in [MarkdownVault.Outcome.appended, .alreadyThere] {
            for entry in [one, two] { #expect(try vault.append(entry) == expected) }
            #expect(folder.text(of: "notes/" + name) == "mine\n" + line(one) + line(two))
        }
        #expect(folder.inode(of: "notes/" + name) == inode)
        #expect(folder.mode(of: "notes/" + name) == 0o644)
        #expect(folder.names(in: "notes") == [name])
    }

    @Test("Entries that are added at the same time are all there, each complete and once")
    func together() async throws {
        let entries = (0..<40).map { entry("entry \($0)\nof two lines") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for entry in entries + entries { group.addTask { try vault().append(entry) } }
            try await group.waitForAll()
        }
        let expected = entries.map { line($0).replacingOccurrences(of: "\n", with: "\n  ").dropLast(2) }
        let text = try #require(folder.text(of: "notes/" + name))
        #expect(text.utf8.count == expected.reduce(0) { $0 + $1.utf8.count })
        for entry in expected { #expect(text.contains(entry)) }
    }

    @Test("When an editor replaces the note's file meanwhile, the entry is in the new file as well")
    func replaced() throws {
        for moment in ["lock", "allocate", "write", "flush"] {
            let path = folder.file(moment + "/" + name)
            try vault("/" + moment).prepare()
            folder.put("old\n", in: moment + "/" + name)
            let isDone = Mutex(false)
            // What an editor does that keeps the old text as a backup.
            let faulty = FaultyCalls { call in
                guard call == moment, isDone.withLock({ exchange(&$0, with: true) }) == false else { return nil }
                #expect(rename(path, path + "~") == 0)
                #expect(FileManager.default.createFile(atPath: path, contents: Data("edited\n".utf8)))
                return nil
            }
            let entry = entry("x")
            try vault("/" + moment, calls: faulty.calls).append(entry)
            #expect(folder.text(of: moment + "/" + name) == "edited\n" + line(entry), "\(moment)")
        }
    }

    @Test("A symbolic link in place of utter's own folder is refused, and one that the user named is followed")
    func links() throws {
        try FileManager.default.createDirectory(atPath: folder.file("real"), withIntermediateDirectories: false)
        #expect(symlink("real", folder.file("link")) == 0)
        for path in ["/link", "/link/", "/link//"] {
            let error = #expect(throws: OutboxError.self) { try vault(path).append(entry("x")) }
            #expect(error?.code == .inTheWay)
            #expect(
                error?.description
                    == "a symbolic link stands in place of the folder \(folder.path)/link; give the folder it leads to, or remove it"
            )
        }
        #expect(folder.names(in: "real") == [])
        try MarkdownVault(.named(folder.file("link"))).append(entry("x"))
        #expect(folder.names(in: "real") == [name])
    }

    @Test("Something else with the note's name is reported, and not changed")
    func inTheWay() throws {
        folder.put("", in: "file")
        #expect(throws: OutboxError.self) { try vault("/file").append(entry("x")) }
        #expect(throws: OutboxError.self) { try vault("/file/notes").append(entry("x")) }

        try vault("/folder/\(name)").prepare()
        var error = #expect(throws: OutboxError.self) { try vault("/folder").append(entry("x")) }
        #expect(error?.code == .inTheWay)
        #expect(error?.description.hasSuffix("\(name): Is a directory; move what is there out of the way") == true)

        try vault("/linked").prepare()
        #expect(symlink(folder.file("file"), folder.file("linked/" + name)) == 0)
        error = #expect(throws: OutboxError.self) { try vault("/linked").append(entry("x")) }
        #expect(error?.code == .inTheWay)
        #expect(folder.text(of: "file") == "")

        try vault("/pipe").prepare()
        #expect(mkfifo(folder.file("pipe/" + name), 0o600) == 0)
        error = #expect(throws: OutboxError.self) { try vault("/pipe").append(entry("x")) }
        #expect(error?.code == .inTheWay)
    }

    @Test("A named folder is not created if the folder above it is missing, for a disk may not be mounted")
    func unmounted() throws {
        let error = #expect(throws: OutboxError.self) {
            try MarkdownVault(.named(folder.file("stick/notes"))).append(entry("x"))
        }
        #expect(error?.code == .missing)
        #expect(folder.names() == [])
        try FileManager.default.createDirectory(atPath: folder.file("stick"), withIntermediateDirectories: false)
        try MarkdownVault(.named(folder.file("stick/notes"))).append(entry("x"))
        #expect(folder.names(in: "stick/notes") == [name])
    }

    @Test("The note is flushed after it was written, and its folder at the end")
    func flushed() throws {
        let faulty = FaultyCalls()
        let vault = vault(calls: faulty.calls)
        try vault.prepare()
        faulty.plan(nil)
        try vault.append(entry("x"))
        #expect(faulty.names.filter { ["write", "flush"].contains($0) } == ["write", "flush", "flush"])
        #expect(faulty.names.last == "flush")
    }

    @Test("A full disk is reported before the first byte is written, and the error does not hold what was said")
    func full() throws {
        try vault().append(entry("before"))
        let before = folder.bytes(of: "notes/" + name)
        let faulty = FaultyCalls { $0 == "allocate" ? ENOSPC : nil }
        let error = #expect(throws: OutboxError.self) { try vault(calls: faulty.calls).append(entry("secret")) }
        #expect(error?.code == .noSpace)
        #expect(
            error?.description
                == "can't write \(folder.file("notes/" + name)): No space left on device; make room and try again")
        #expect(folder.bytes(of: "notes/" + name) == before)
    }

    @Test("After a failed flush, adding the entry again writes its bytes again, for the kernel takes them for written")
    func flushFailed() throws {
        let entry = entry("x")
        var calls = FileCalls()
        calls.flush = { descriptor in
            var status = stat()
            _ = fstat(descriptor, &status)
            guard status.st_mode & S_IFMT == S_IFREG else { return fsync(descriptor) }
            errno = EIO
            return -1
        }
        #expect(throws: OutboxError.self) { try vault(calls: calls).append(entry) }

        let rewritten = Mutex("")
        calls = FileCalls()
        calls.writeAt = { descriptor, address, count, offset in
            let bytes = UnsafeRawBufferPointer(start: address, count: count)
            rewritten.withLock { $0 = "\(offset):" + String(decoding: bytes, as: UTF8.self) }
            return pwrite(descriptor, address, count, offset)
        }
        #expect(try vault(calls: calls).append(entry) == .alreadyThere)
        #expect(rewritten.withLock { $0 } == "0:" + line(entry).dropLast())
        #expect(folder.text(of: "notes/" + name) == line(entry))
    }

    @Test(
        "Whichever call fails or is the last of a killed process, what others wrote stays, and a repeat makes the entry whole",
        arguments: [false, true])
    func faults(noteExists: Bool) throws {
        let others = noteExists ? "mine" : ""
        let faults: [FaultyCalls.Fault] = Tier.every(
            3, of: [.killed, .torn] + [EIO, ENOSPC, EDQUOT, EROFS, EMFILE].flatMap { [.once($0), .fromThenOn($0)] })
        for fault in faults {
            var number = 0
            while true {
                let place = "/\(fault)-\(number)".filter { $0 != " " }
                let path = String(place.dropFirst()) + "/" + name
                if noteExists {
                    try vault(place).prepare()
                    folder.put(others, in: path)
                }
                let faulty = FaultyCalls()
                let entry = entry("buy milk")
                faulty.plan(fault, at: number)
                var failure: OutboxError?
                do throws(OutboxError) { try vault(place, calls: faulty.calls).append(entry) } catch { failure = error }
                let count = faulty.names.count
                let whole = (others.isEmpty ? "" : others + "\n") + line(entry)
                if failure == nil { #expect(folder.text(of: path) == whole, "\(fault) at \(number)") }
                #expect((folder.text(of: path) ?? "").hasPrefix(others), "\(fault) at \(number)")
                if let failure { #expect(!failure.description.contains("milk")) }

                try vault(place).append(entry)
                #expect(folder.text(of: path) == whole, "\(fault) at \(number)")
                if number >= count { break }
                number += 1
            }
            // Opening, locking, reading, writing, flushing file and folder, looking again.
            #expect(number > 15)
        }
    }
}

private func exchange(_ value: inout Bool, with new: Bool) -> Bool {
    defer { value = new }
    return value
}
