import FileFaults
import Foundation
import Glibc
import System
import TestSupport
import Testing

@testable import Outbox

@Suite("The operations on the disk")
struct OutboxStoreTests {
    private let folder = TemporaryFolder()

    private func store(calls: FileCalls = .system) -> OutboxStore {
        OutboxStore(folder: folder.path + "/outbox", calls: calls)
    }

    private func operation(_ text: String = "buy milk", destination: String = "vault", id: UUID = .timeOrdered())
        -> OutboxOperation
    {
        OutboxOperation(
            id: id, destination: destination, payload: Data(text.utf8),
            createdAt: Date(timeIntervalSince1970: 1_741_440_120))
    }

    private func path(_ id: UUID) -> String { "outbox/" + OutboxStore.name(of: id) }

    @Test("An operation that was added is read again, field by field, from a file for its owner only")
    func taken() throws {
        for payload in [Data("buy milk\n\"우유\" \u{0}".utf8), Data([0xFF, 0, 0xC3]), Data()] {
            var operation = OutboxOperation(
                destination: "vault", payload: payload, createdAt: Date(timeIntervalSince1970: -1.25))
            operation.attemptCount = 7
            operation.lastAttemptAt = Date(timeIntervalSince1970: 1_741_440_120.123456)
            operation.nextEligibleAt = Date(timeIntervalSince1970: 0.5)
            operation.lastError = "no \"way\""
            operation.waitsForUser = true
            operation.mayHaveArrived = true
            #expect(try store().enqueue(operation))
            let found = try #require(try store().operation(operation.id))
            #expect(found.destination == "vault" && found.payload == payload && found.createdAt == operation.createdAt)
            #expect(found.attemptCount == 7 && found.nextEligibleAt == operation.nextEligibleAt)
            #expect(abs(found.lastAttemptAt!.timeIntervalSince(operation.lastAttemptAt!)) < 2e-6)
            #expect(found.lastError == "no \"way\"" && found.waitsForUser && found.mayHaveArrived)
            #expect(folder.mode(of: path(operation.id)) == 0o600)
        }
        #expect(folder.mode(of: "outbox") == 0o700)
    }

    @Test("An operation whose id is in the queue is not added again")
    func twice() throws {
        let operation = operation("one")
        #expect(try store().enqueue(operation))
        #expect(try store().enqueue(self.operation("two", id: operation.id)) == false)
        #expect(try store().operation(operation.id)?.payload == Data("one".utf8))
        #expect(folder.names(in: "outbox") == [OutboxStore.name(of: operation.id)])
    }

    @Test("A change keeps what newer versions wrote, digit by digit")
    func unknownFields() throws {
        let id = UUID.timeOrdered()
        try store().enqueue(operation(id: id))
        let text = """
            {"new":{"b":[1e400,-0.10,9007199254740993,null],"a":"\\ud83e\\udd5b"}, "id":"\(id.uuidString.lowercased())",\
            "kind":"future","createdAt":1.5,"payload":"x","due":true}
            """
        folder.put(text, in: path(id))
        #expect(try store().change(id) { $0.attemptCount += 1 }?.destination == "future")
        #expect(
            folder.text(of: path(id)) == """
                {"new":{"b":[1e400,-0.10,9007199254740993,null],"a":"🥛"},"id":"\(id.uuidString.lowercased())",\
                "kind":"future","createdAt":1.500000,"payload":"x","due":true,"attemptCount":1}\n
                """)
    }

    @Test("However many attempts a file says, one more can be counted")
    func manyAttempts() throws {
        for count in ["9223372036854775807", "1000000000", "-9223372036854775808"] {
            let json =
                #"{"id":"0192F0C1-2E5F-7A3B-8C4D-1234567890AB","kind":"k","createdAt":0,"attemptCount":\#(count),"payload":"x"}"#
            var operation = try OutboxOperation(json: Array(json.utf8))
            operation.waitForUser("why", at: Date())
            #expect(operation.attemptCount == (count.hasPrefix("-") ? 1 : 1_000_000_001))
            #expect(
                try OutboxOperation(json: operation.json).attemptCount == min(operation.attemptCount, 1_000_000_000))
        }
    }

    @Test("A file that can't be decoded is put aside unchanged, is reported, and comes back when it can be decoded")
    func aside() throws {
        let good = operation()
        try store().enqueue(good)
        let id = UUID.timeOrdered()
        let whole = operation(id: id).json
        var wrongs: [[UInt8]] = [[], Array("{}".utf8), whole.dropLast(3), Array("[\(whole)]".utf8), good.json]
        wrongs.append(
            Array(
                String(decoding: whole, as: UTF8.self).replacingOccurrences(
                    of: "\"kind\":\"vault\"", with: "\"kind\":7"
                ).utf8))
        wrongs.append([UInt8](repeating: UInt8(ascii: "["), count: 100_000))
        wrongs.append(whole + [0xFF])
        for (index, wrong) in wrongs.enumerated() {
            folder.put(wrong, in: path(id))
            #expect(try store().operation(id) == nil)
            #expect(folder.names(in: "outbox").contains(OutboxStore.name(of: id)) == false)
            #expect(folder.names(in: "outbox/aside").count == index + 1)
            #expect(
                folder.bytes(of: "outbox/aside/\(OutboxStore.name(of: id))\(index == 0 ? "" : ".\(index)")") == wrong)
        }
        var found = try store().index()
        #expect(found.aside.count == wrongs.count && Array(found.ids) == [good.id])

        folder.put(whole, in: "outbox/aside/\(OutboxStore.name(of: id)).3")
        found = try store().index()
        #expect(found.aside.count == wrongs.count - 1 && Array(found.ids) == [good.id, id])
        #expect(try store().operation(id)?.payload == Data("buy milk".utf8))
        #expect(folder.mode(of: "outbox/aside") == 0o700)
    }

    @Test(
        "What is no file is foreign, whatever its name: it is left where it is, opened by nobody, and keeps nothing from being listed"
    )
    func strange() throws {
        let operation = operation()
        try store().enqueue(operation)
        var names: [String] = []
        for (number, make) in Self.strangeThings.enumerated() {
            let id = UUID.timeOrdered()
            // As an operation, as what a killed process left, and as an operation whose id says no time.
            for name in [OutboxStore.name(of: id), ".new-\(number)", UUID().name + ".json"] {
                make(folder.file("outbox/" + name))
                names.append(name)
            }
            #expect(try store().operation(id) == nil)
            #expect(try store().change(id) { $0.attemptCount = 7 } == nil)
        }
        for _ in 0..<2 {
            let index = try store().index()
            #expect(index.foreign == names.sorted() && Array(index.ids) == [operation.id] && index.aside == [])
        }
        #expect(try !store().isEmpty() && folder.names(in: "outbox").count == names.count + 2)
        try store().remove(operation.id)
        #expect(try store().isEmpty())
    }

    @Test("Anything but a file in the folder aside stays there, and is reported")
    func strangeAside() throws {
        try FileManager.default.createDirectory(atPath: folder.file("outbox/aside"), withIntermediateDirectories: true)
        var names: [String] = []
        for make in Self.strangeThings {
            names.append(OutboxStore.name(of: .timeOrdered()))
            make(folder.file("outbox/aside/\(names[names.count - 1])"))
        }
        #expect(try store().index().aside == names.sorted() && store().index().ids.isEmpty)
    }

    /// Each makes something at a path that is no file. Devices only root can make.
    private static let strangeThings: [@Sendable (String) -> Void] =
        [
            { #expect(mkfifo($0, 0o600) == 0) },
            { #expect(mkdir($0, 0o700) == 0) },
            { #expect(symlink("/etc/passwd", $0) == 0) },
            { #expect(symlink("/nowhere", $0) == 0) },
            { #expect(symlink("/dev/zero", $0) == 0) },
            { path in
                let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
                defer { close(listener) }
                // A path of a socket is short, so it is made elsewhere.
                var address = sockaddr_un(sun_family: sa_family_t(AF_UNIX), sun_path: sockaddr_un().sun_path)
                let short = "/tmp/utter-\(UUID().uuidString)"
                withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: short.utf8) }
                let size = socklen_t(MemoryLayout<sockaddr_un>.size)
                let code = withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) }
                }
                #expect(code == 0 && rename(short, path) == 0)
            },
        ] + (geteuid() == 0 ? [{ #expect(mknod($0, S_IFCHR | 0o600, dev_t(1 << 8 | 5)) == 0) }] : [])

    @Test("A file larger than the limit is put aside without being read, and a text that would make one is refused")
    func large() throws {
        let id = UUID.timeOrdered()
        try store().enqueue(operation())
        let descriptor = Glibc.open(folder.file(path(id)), O_WRONLY | O_CREAT, 0o600)
        // It takes no room on the disk.
        #expect(ftruncate(descriptor, 1 << 40) == 0 && close(descriptor) == 0)
        #expect(try store().operation(id) == nil)
        #expect(try store().index().aside == [OutboxStore.name(of: id)])
        let largest = operation(String(repeating: "x", count: 1000))
        let store = OutboxStore(folder: folder.file("small"), calls: .system, maximumSize: largest.json.count)
        #expect(try store.enqueue(largest) && store.operation(largest.id)?.payload == largest.payload)
        let error = #expect(throws: OutboxError.self) {
            try store.enqueue(operation(String(repeating: "x", count: 1001)))
        }
        #expect(error?.code == .tooLarge && (try? Array(store.index().ids)) == [largest.id])
    }

    @Test(
        "A moved operation counts as new for its destination, where its capture has another id, and keeps its text and the fields of newer versions"
    )
    func moved() throws {
        let capture = CapturedText(
            text: "buy milk", capturedAt: Date(timeIntervalSince1970: 1_741_440_120), notesFolder: "/nowhere")
        let id = UUID.timeOrdered()
        var operation = OutboxOperation(capture, id: id, to: "notes")
        operation.fail(attempts: 9, "503", delay: 600, isNetwork: true, at: Date())
        operation.waitsForUser = true
        let json = String(decoding: operation.json, as: UTF8.self).replacing(
            "{", with: #"{"new":[1e400],"#, maxReplacements: 1)
        try store().enqueue(try OutboxOperation(json: Array(json.utf8)))
        var present = operation.id
        for folder in [nil, "/elsewhere"] {
            let moved = try #require(try store().move(present, to: "work", notesFolder: folder))
            #expect(
                moved.id == id.forDestination("work") && moved.destination == "work"
                    && moved.createdAt == operation.createdAt)
            let found = try #require(CapturedText(payload: moved.payload))
            #expect(found.text == "buy milk" && found.notesFolder == folder)
            #expect(
                moved.attemptCount == 0 && moved.lastError == nil && moved.nextEligibleAt == nil
                    && moved.firstFailedAt == nil)
            #expect(!moved.isUnreachable && !moved.waitsForUser && moved.lastAttemptAt == nil)
            #expect(
                try store().operation(moved.id)?.destination == "work"
                    && store().operation(moved.id)?.payload == moved.payload)
            #expect(try Array(store().index().ids) == [moved.id])
            present = moved.id
        }
        #expect(self.folder.text(of: path(present))?.contains(#""new":[1e400]"#) == true)
        #expect(try store().move(operation.id, to: "work", notesFolder: nil) == nil)
    }

    @Test("An operation that is moved to where its capture waits already joins the one there, which stays as it is")
    func movedTogether() throws {
        let id = UUID.timeOrdered()
        let capture = CapturedText(text: "buy milk")
        for name in ["hook", "work"] { try store().enqueue(OutboxOperation(capture, id: id, to: name)) }
        let there = id.forDestination("work")
        try store().change(there) { $0.attemptCount = 3 }
        let moved = try store().move(id.forDestination("hook"), to: "work", notesFolder: nil)
        #expect(moved?.id == there && moved?.attemptCount == 3)
        #expect(try Array(store().index().ids) == [there])
    }

    @Test("A move whose place is taken by what is no operation fails, and the operation stays where it was")
    func moveBlocked() throws {
        let operation = OutboxOperation(CapturedText(text: "buy milk"), id: .timeOrdered(), to: "hook")
        try store().enqueue(operation)
        let moved = operation.id.forDestination("hook").forDestination("work")
        try FileManager.default.createDirectory(atPath: folder.file(path(moved)), withIntermediateDirectories: false)
        #expect(throws: OutboxError.self) { try store().move(operation.id, to: "work", notesFolder: nil) }
        #expect(try store().operation(operation.id)?.destination == "hook")
    }

    @Test("A program's words that an earlier version recorded with a failure are not shown; other reasons are")
    func olderReasons() throws {
        for (noted, shown) in [
            ("the command ended with exit status 75: bWlsaw==", "the command ended with exit status 75"),
            ("the command was ended by signal 9: milk: 2", "the command was ended by signal 9"),
            ("the command can't be run: sh: milk", "the command can't be run"),
            ("sh refused the mail with exit status 78: To: a", "sh refused the mail with exit status 78"),
            ("sh can't be run: milk", "sh can't be run"),
            ("the command ended with exit status 3", "the command ended with exit status 3"),
            (
                "can't open the folder /a: No such file or directory; choose",
                "can't open the folder /a: No such file or directory; choose"
            ),
            ("the web hook answered 503", "the web hook answered 503"),
        ] {
            var operation = operation()
            operation.lastError = noted
            #expect(try OutboxOperation(json: operation.json).lastError == shown)
        }
    }

    @Test(
        "A folder of utter's own is made private again before anything is written into it; one that the user named is not changed"
    )
    func privacy() throws {
        let id = UUID.timeOrdered()
        try store().enqueue(operation(id: id))
        let notes = [MarkdownVault(.own(folder.file("own"))), MarkdownVault(.named(folder.file("named")))]
        let entry = MarkdownVault.Entry(id: id, text: "x", capturedAt: Date(timeIntervalSince1970: 0), timeZone: .gmt)
        for vault in notes { try vault.append(entry) }
        for name in ["outbox", "own", "named"] { #expect(chmod(folder.file(name), 0o2755) == 0) }
        for name in ["own", "named"] { #expect(chmod(folder.file(name + "/1970-01-01.md"), 0o644) == 0) }
        // To look changes nothing.
        _ = try store().index()
        for vault in notes { try vault.prepare() }
        for name in ["outbox", "own", "named"] { #expect(folder.mode(of: name) == 0o755) }
        try store().enqueue(operation())
        let later = MarkdownVault.Entry(id: .timeOrdered(), text: "y", capturedAt: entry.capturedAt, timeZone: .gmt)
        for vault in notes { try vault.append(later) }
        #expect(
            folder.mode(of: "outbox") == 0o700 && folder.mode(of: "own") == 0o700 && folder.mode(of: "named") == 0o755)
        #expect(folder.mode(of: "own/1970-01-01.md") == 0o600 && folder.mode(of: "named/1970-01-01.md") == 0o644)
    }

    @Test("A file that can't be read now stays where it is")
    func unreadable() throws {
        let operation = operation()
        try store().enqueue(operation)
        let faulty = FaultyCalls { $0 == "read" ? EIO : nil }
        #expect(throws: OutboxError.self) { try store(calls: faulty.calls).operation(operation.id) }
        #expect(try store().operation(operation.id) != nil)
    }

    @Test(
        "Foreign files are reported and left alone; a half-written file is removed if its process was killed, and stays if it is running"
    )
    func foreign() throws {
        let operation = operation()
        try store().enqueue(operation)
        let upper = UUID.timeOrdered().uuidString + ".json"
        for name in [upper, "notes.txt", ".hidden", "x.json"] { folder.put("mine", in: "outbox/" + name) }
        folder.put("half", in: "outbox/.new-abc")
        folder.put("half", in: "outbox/.new-alive")
        let alive = open(folder.file("outbox/.new-alive"), O_RDONLY | O_CLOEXEC)
        #expect(flock(alive, LOCK_EX) == 0)
        defer { close(alive) }
        let index = try store().index()
        #expect(index.foreign == [".hidden", upper, "notes.txt", "x.json"].sorted())
        #expect(Array(index.ids) == [operation.id])
        #expect(folder.names(in: "outbox").contains(".new-abc") == false)
        #expect(folder.text(of: "outbox/.new-alive") == "half")
        #expect(folder.text(of: "outbox/notes.txt") == "mine")
    }

    @Test("The index is in creation order, also for ids that hold no time")
    func order() throws {
        var random = SplitMix64(for: "creation order")
        let times = (0..<60).map { Double($0) * 10 }
        let operations = times.map { time in
            let date = Date(timeIntervalSince1970: 1_900_000_000 + time)
            let id = Bool.random(using: &random) ? UUID() : UUID.timeOrdered(at: date)
            return OutboxOperation(id: id, destination: "k", payload: Data(), createdAt: date)
        }
        for operation in operations.shuffled(using: &random) { try store().enqueue(operation) }
        #expect(Array(try store().index().ids) == operations.map(\.id))
    }

    @Test("Time-ordered ids ascend, also when the clock goes back, and a destination has its own for each capture")
    func ids() {
        let now = Date()
        let ids = (0..<10_000).map { UUID.timeOrdered(at: now.addingTimeInterval(-Double($0 % 7))) }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0.uuidString < $1.uuidString })
        for id in ids {
            let text = id.uuidString
            #expect(text.dropFirst(14).first == "7" && "89AB".contains(text.dropFirst(19).first!))
        }
        #expect(
            ids[0].timeInMilliseconds.map { $0 - now.milliseconds <= 1 } == true
                || ids[0].timeInMilliseconds! > now.milliseconds)
        #expect(UUID(uuidString: "0198B9D0-1111-4222-8333-444455556666")!.timeInMilliseconds == nil)
        #expect(ids[0].forDestination("mail") == ids[0].forDestination("mail"))
        #expect(
            Set(
                ["mail", "vault", "mai", "", "work"].map { ids[0].forDestination($0) } + [
                    ids[0], ids[1].forDestination("mail"),
                ]
            ).count == 7
        )
    }

    @Test("No change is lost when several tasks change one operation, and a removed one does not come back")
    func together() async throws {
        let operation = operation()
        try store().enqueue(operation)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try store().change(operation.id) { $0.attemptCount += 1 } } }
            for _ in 0..<50 { group.addTask { try store().enqueue(self.operation()) } }
            try await group.waitForAll()
        }
        #expect(try store().operation(operation.id)?.attemptCount == 50)
        #expect(try store().index().ids.count == 51)
        try store().remove(operation.id)
        try store().remove(operation.id)
        #expect(try store().change(operation.id) { $0.attemptCount = 1 } == nil)
        #expect(try store().operation(operation.id) == nil)
    }

    @Test("Enqueueing does not wait for another process, whatever locks that holds")
    func neverBlocked() throws {
        try store().enqueue(operation())
        let folder = try store().open()
        let changes = try LockFile.waiting(for: OutboxStore.changesLockName, in: folder)
        let drain = try LockFile(OutboxStore.drainLockName, in: folder)
        #expect(try drain.tryLock())
        try store().enqueue(operation())
        #expect(try store().index().ids.count == 2)
        withExtendedLifetime((changes, drain)) {}
    }

    @Test("A symbolic link in place of the folder is refused")
    func link() throws {
        #expect(symlink("/tmp", folder.file("outbox")) == 0)
        let error = #expect(throws: OutboxError.self) { try store().enqueue(operation()) }
        #expect(error?.code == .inTheWay)
    }

    @Test("Whichever system call fails, an operation is added or refused, and adding it again adds it once")
    func faults() throws {
        for fault in Tier.every(3, of: [EIO, ENOSPC, EDQUOT, EINTR, EROFS, EMFILE]).flatMap({
            [FaultyCalls.Fault.once($0), .fromThenOn($0)]
        })
        where fault != .fromThenOn(EINTR) {
            var number = 0
            while true {
                let place = folder.path + "/" + "\(fault)-\(number)".filter { $0 != " " }
                let faulty = FaultyCalls()
                let operation = operation("secret")
                faulty.plan(fault, at: number)
                var failure: OutboxError?
                do throws(OutboxError) {
                    try OutboxStore(folder: place, calls: faulty.calls).enqueue(operation)
                } catch {
                    failure = error
                }
                let wasReached = faulty.names.count > number
                let store = OutboxStore(folder: place)
                let found = try store.operation(operation.id)
                if failure == nil { #expect(try found == OutboxOperation(json: operation.json), "\(fault) \(number)") }
                // Only where the disk refuses to take the name back again can it still be there.
                if failure != nil, case .once = fault { #expect(found == nil, "\(fault) \(number)") }
                #expect(failure?.description.contains("secret") != true)
                try store.enqueue(operation)
                #expect(Array(try store.index().ids) == [operation.id])
                if !wasReached { break }
                number += 1
            }
            #expect(number > 8)
        }
    }
}
