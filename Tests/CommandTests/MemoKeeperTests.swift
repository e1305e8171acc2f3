import FileFaults
import Foundation
import Glibc
import Outbox
import TestSupport
import Testing

@testable import utter

@Suite("Where a memo is kept")
struct MemoKeeperTests {
    private let sandbox = Sandbox()
    private var journals: String { sandbox.file("state/utter/memos") }
    private var notes: String { sandbox.file("notes") }
    private var queue: String { sandbox.file("state/utter/outbox") }
    private let startedAt = Date(timeIntervalSince1970: 1_741_440_120)

    /// One memo: a keeper of its own, which is gone when this returns, as with the process.
    ///
    /// - Parameter isAlone: whether no other memo runs.
    @discardableResult
    private func memo<Value: Sendable>(
        notes location: MarkdownVault.Location? = nil, calls: FileCalls = .system, isAlone: Bool = true,
        _ body: (MemoKeeper) async throws -> Value
    ) async throws -> Value {
        if isAlone { waitUntilUnlocked(journals) }
        let delivery = delivery(to: location ?? .named(notes), calls)
        var keeper: MemoKeeper? = MemoKeeper(delivery, folder: journals, startedAt: startedAt, calls: calls, drain: {})
        weak let remains = keeper
        let result: Result<Value, any Error>
        do { result = .success(try await body(keeper!)) } catch { result = .failure(error) }
        keeper = nil
        // The thread it ran on may still hold it.
        while remains != nil { await Task.yield() }
        return try result.get()
    }

    private func delivery(to notes: MarkdownVault.Location, _ calls: FileCalls = .system) -> Delivery {
        Delivery(
            OutboxStore(folder: queue, calls: calls),
            DestinationConfiguration(localVault: MarkdownVault(notes, calls: calls)), notes: notes)
    }

    /// Brings what is in the queue, as the process in the background does.
    private func drain() async throws {
        let delivery = delivery(to: .own(sandbox.file("usual")))
        _ = try await OutboxDrainer(store: delivery.store, handlers: delivery.destinations.handlers).run(.once)
    }

    /// The one note's lines without their marks.
    private var noteLines: [String] {
        let names = sandbox.names(in: "notes")
        #expect(names.count <= 1)
        let note = names.first.flatMap { sandbox.text(of: "notes/" + $0) } ?? ""
        return note.split(separator: "\n").map { $0.components(separatedBy: " ^utter-")[0] }
    }

    private func line(_ text: String) -> String {
        let time = DateFormatter()
        time.dateFormat = "HH:mm"
        return "- \(time.string(from: startedAt)) \(text)"
    }

    private var journalNames: [String] { sandbox.names(in: "state/utter/memos") }

    @Test("A memo is one line of the day's note, and then no journal is left")
    func kept() async throws {
        let outcome = try await memo { keeper in
            try await keeper.record("buy")
            #expect(await keeper.path(of: "buy") == journals + "/" + journalNames[0])
            #expect(await keeper.path(of: "buy milk") == nil)
            return try await keeper.keep("buy milk", toOutput: false)
        }
        #expect(noteLines == [line("buy milk")])
        #expect(outcome == "kept in \(notes)/\(sandbox.names(in: "notes")[0])")
        #expect(journalNames == [])
        #expect(sandbox.mode(of: "notes") == 0o700 && sandbox.mode(of: "notes/" + sandbox.names(in: "notes")[0]) == 0o600)
        #expect(sandbox.mode(of: "state/utter/memos") == 0o700)
    }

    @Test("Nothing but white space is not kept, whatever stood there before", arguments: ["", " \n\t", "\u{3000}"])
    func nothing(_ text: String) async throws {
        let outcome = try await memo { keeper in
            try await keeper.record("a slip")
            return try await keeper.keep(text, toOutput: false)
        }
        #expect(outcome == "nothing was said")
        #expect(sandbox.names(in: "notes") == [] && journalNames == [])
    }

    @Test("A discarded memo leaves nothing")
    func discarded() async throws {
        try await memo { keeper in
            try await keeper.record("not this")
            try await keeper.discard()
        }
        try await memo { #expect(await $0.findEarlier().cutOffAt == nil) }
        #expect(sandbox.names(in: "notes") == [] && journalNames == [])
    }

    @Test("A memo that was cut off is offered with its time, and comes back once")
    func cutOff() async throws {
        try await memo { try await $0.record("buy milk") }
        // Not taken, it waits.
        let time = try await memo { await $0.findEarlier().cutOffAt }
        #expect(line("").contains(try #require(time)))
        try await memo { keeper in
            #expect(await keeper.findEarlier().cutOffAt != nil)
            // Typed and deleted, before it is brought back.
            try await keeper.record("a slip")
            #expect(try await keeper.restore() == "buy milk")
            #expect(try await keeper.restore() == nil)
            try await keeper.record("buy milk and")
            _ = try await keeper.keep("buy milk and bread", toOutput: false)
        }
        #expect(noteLines == [line("buy milk and bread")])
        #expect(journalNames == [])
        try await memo { #expect(await $0.findEarlier().cutOffAt == nil) }
    }

    @Test("Of several memos that were cut off, each is offered by one memo after the other")
    func severalCutOff() async throws {
        for text in ["one", "two"] { try await memo { try await $0.record(text) } }
        var texts: Set<String> = []
        for _ in 1...2 {
            try await memo { keeper in
                #expect(await keeper.findEarlier().cutOffAt != nil)
                let text = try #require(try await keeper.restore())
                texts.insert(text)
                _ = try await keeper.keep(text, toOutput: false)
            }
        }
        #expect(texts == ["one", "two"])
        #expect(noteLines.sorted() == [line("one"), line("two")])
        #expect(journalNames == [])
    }

    @Test("Where an empty journal can't be removed, the earlier memo stays as it was")
    func restoringFails() async throws {
        try await memo { try await $0.record("earlier") }
        let faulty = FaultyCalls()
        try await memo(calls: faulty.calls) { keeper in
            _ = await keeper.findEarlier()
            try await keeper.record("a slip")
            faulty.plan(.fromThenOn(EIO))
            await #expect(throws: OutboxError.self) { try await keeper.restore() }
            faulty.plan(nil)
            try await keeper.record("another text")
            #expect(try await keeper.restore() == "earlier")
        }
    }

    @Test("Two memos at once don't take each other's text")
    func together() async throws {
        try await memo { first in
            try await first.record("mine")
            try await memo(isAlone: false) { second in
                #expect(await second.findEarlier().cutOffAt == nil)
                _ = try await second.keep("yours", toOutput: false)
            }
            _ = try await first.keep("mine too", toOutput: false)
        }
        #expect(noteLines == [line("yours"), line("mine too")])
        #expect(journalNames == [])
    }

    @Test("What can't be put into the note is in the queue, and comes to the very note it was meant for, once")
    func noteMissing() async throws {
        let away = sandbox.file("unmounted")
        let location = MarkdownVault.Location.named(away + "/notes")
        let outcome = try await memo(notes: location) { try await $0.keep("buy milk", toOutput: false) }
        #expect(outcome.hasPrefix("kept, and on its way to notes; can't "))
        #expect(!outcome.contains("milk") && journalNames == [])
        try await drain()
        mkdir(away, 0o700)
        mkdir(away + "/notes", 0o700)
        symlink(away + "/notes", notes)
        let store = OutboxStore(folder: queue)
        for id in try store.index().ids { try store.change(id) { $0.retry() } }
        for _ in 1...2 {
            try await drain()
            #expect(noteLines == [line("buy milk")])
            #expect(try store.index().ids.isEmpty)
        }
        #expect(sandbox.names(in: "usual") == [])
    }

    @Test("What neither the queue nor the note can take is in the journal, and the next memos put it there once")
    func queueMissing() async throws {
        sandbox.put([], in: "state/utter/outbox")
        sandbox.put([], in: "notes")
        try await memo { keeper in
            await #expect(throws: OutboxError.self) { try await keeper.keep("buy milk", toOutput: false) }
            #expect(await keeper.path(of: "buy milk") != nil)
        }
        try await memo { keeper in
            let found = await keeper.findEarlier()
            #expect(found.cutOffAt == nil)
            #expect(found.troubles.count == 1)
            #expect(found.troubles[0].hasPrefix("an earlier memo is not kept yet: \(notes) is not a folder"))
            #expect(!found.troubles[0].contains("milk"))
        }
        unlink(notes)
        for _ in 1...3 {
            try await memo { #expect(await $0.findEarlier().troubles == []) }
            #expect(noteLines == [line("buy milk")])
            #expect(journalNames == [])
        }
    }

    @Test("Kept elsewhere it is a file of its own, for its owner only, and the journal goes")
    func elsewhere() async throws {
        let outcome = try await memo { keeper in
            try await keeper.record("buy milk")
            return try await keeper.keepElsewhere(
                "buy milk", in: ["relative", sandbox.file("not/there"), sandbox.file("home")])
        }
        let name = "home/" + (sandbox.names(in: "home").first ?? "")
        #expect(outcome == "kept in " + sandbox.file(name) && journalNames == [])
        #expect(sandbox.text(of: name) == "buy milk\n" && sandbox.mode(of: name) == 0o600)
        // Another of the same second has another name.
        try await memo { _ = try await $0.keepElsewhere("buy bread", in: [sandbox.file("home")]) }
        #expect(sandbox.names(in: "home").count == 2 && sandbox.text(of: name) == "buy milk\n")
    }

    @Test("Without a place for the journal the memo still goes into the note")
    func noJournal() async throws {
        sandbox.put([], in: "state/utter/memos")
        try await memo { keeper in
            await #expect(throws: OutboxError.self) { try await keeper.record("buy") }
            let outcome = try await keeper.keep("buy milk", toOutput: false)
            #expect(outcome.hasPrefix("kept in "))
        }
        #expect(noteLines == [line("buy milk")])
    }

    @Test("A journal whose place has gone on the way does not keep the memo out of the note")
    func journalGone() async throws {
        let outcome = try await memo { keeper in
            try await keeper.record("buy")
            #expect(rename(journals, sandbox.file("elsewhere")) == 0)
            sandbox.put([], in: "state/utter/memos")
            await #expect(throws: OutboxError.self) { try await keeper.record("buy milk") }
            return try await keeper.keep("buy milk and bread", toOutput: false)
        }
        #expect(noteLines == [line("buy milk and bread")])
        #expect(outcome.hasPrefix("kept in \(notes)/") && outcome.contains("; "))
    }

    @Test("Where neither can be written, it is said that nothing is safe")
    func nothingSafe() async throws {
        for name in ["state/utter/memos", "state/utter/outbox", "notes"] { sandbox.put([], in: name) }
        try await memo { keeper in
            let error = await #expect(throws: OutboxError.self) { try await keeper.keep("buy milk", toOutput: false) }
            #expect(error?.path == notes)
            #expect(await keeper.path(of: "buy milk") == nil)
        }
    }

    @Test("Files that can't be read are named")
    func unreadable() async throws {
        mkdir(journals, 0o700)
        sandbox.put(Array("nonsense\n".utf8), in: "state/utter/memos/a.journal")
        try await memo { keeper in
            #expect(await keeper.findEarlier().troubles == ["what an earlier memo left can't be read: \(journals)/a.journal"])
        }
    }

    // MARK: A failure at every call

    /// A whole memo, as far as it goes.
    ///
    /// - Returns: the last text of which the user was told that it is safe, and whether it was kept.
    private func wholeMemo(_ keeper: MemoKeeper) async -> (safe: String?, isKept: Bool) {
        var safe: String?
        for text in ["one", "one two"] {
            do {
                try await keeper.record(text)
                safe = text
            } catch {}
        }
        do {
            _ = try await keeper.keep("one two three", toOutput: false)
            return ("one two three", true)
        } catch {
            return (await keeper.path(of: "one two three") == nil ? safe : "one two three", false)
        }
    }

    @Test(
        "Killed, or let down by the disk, at any call: what was safe is in the note once after the next memo",
        arguments: [.killed, .torn, .once(EIO), .once(ENOSPC), .fromThenOn(EIO), .fromThenOn(EROFS)] as [FaultyCalls.Fault])
    func everyCall(_ fault: FaultyCalls.Fault) async throws {
        var number = 0
        var offered = 0
        var hasPassed = false
        while !hasPassed {
            unlink(notes + "/" + (sandbox.names(in: "notes").first ?? "-"))
            let faulty = FaultyCalls()
            faulty.plan(fault, at: number)
            let (safe, isKept) = try await memo(calls: faulty.calls) { await wholeMemo($0) }
            hasPassed = faulty.names.count <= number
            for _ in 1...2 {
                try await memo { keeper in
                    let found = await keeper.findEarlier()
                    #expect(found.troubles == [])
                    guard found.cutOffAt != nil else { return }
                    offered += 1
                    #expect(!isKept)
                    let text = try #require(try await keeper.restore())
                    _ = try await keeper.keep(text, toOutput: false)
                }
            }
            try await drain()
            let lines = noteLines
            #expect(lines.count <= 1, "\(fault) at call \(number)")
            if let safe { #expect(lines.first?.hasPrefix(line(safe)) == true, "\(fault) at call \(number): \(safe)") }
            #expect(lines.allSatisfy { line("one two three").hasPrefix($0) })
            #expect(try OutboxStore(folder: queue).index().ids.isEmpty, "\(fault) at call \(number)")
            #expect(journalNames == [], "\(fault) at call \(number)")
            number += 1
        }
        #expect(number > 30)
        if fault == .killed { #expect(offered > 5) }
    }
}
