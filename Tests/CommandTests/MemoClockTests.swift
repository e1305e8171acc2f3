import Foundation
import Outbox
import TestSupport
import Testing

@testable import utter

/// Tests that a memo belongs to the moment at which it was begun, whatever the clock shows later.
@Suite("A memo and the clock")
struct MemoClockTests {
    private let sandbox = Sandbox()
    private var journals: String { sandbox.file("state/utter/memos") }

    private static func moment(_ time: String, _ zone: String) throws -> Moment {
        Moment(date: try Date(time, strategy: .iso8601), timeZone: try #require(TimeZone(identifier: zone)))
    }

    /// Runs a memo that begins at this moment of the clock.
    private func memo(_ begun: Moment, _ body: (MemoKeeper) async throws -> Void) async throws {
        waitUntilUnlocked(journals)
        let notes = MarkdownVault.Location.named(sandbox.file("notes"))
        let delivery = Delivery(sandbox.store, DestinationConfiguration(localVault: MarkdownVault(notes)), notes: notes)
        var keeper: MemoKeeper? = MemoKeeper(delivery, folder: journals, begun: begun, drain: {})
        weak let remains = keeper
        try await body(keeper!)
        keeper = nil
        // The thread on which it ran may still hold it.
        try await Patience.wait(for: "the keeper has gone") { remains == nil }
    }

    /// The lines of all notes, each after the note's day, without marks.
    private var notes: [String] {
        sandbox.names(in: "notes").flatMap { name in
            (sandbox.text(of: "notes/" + name) ?? "").split(separator: "\n").map { line in
                "\(name.dropLast(3)) \(line.components(separatedBy: " ^utter-")[0])"
            }
        }
    }

    @Test(
        "Begun before midnight, or before an hour that comes twice or not at all, it is under that day and time",
        arguments: [
            ("2026-03-01T14:59:00Z", "Asia/Seoul", "2026-03-01 - 23:59 x"),
            ("2026-03-01T15:00:00Z", "Asia/Seoul", "2026-03-02 - 00:00 x"),
            // Summer time begins, ends, and has its second hour.
            ("2026-03-29T00:59:00Z", "Europe/Berlin", "2026-03-29 - 01:59 x"),
            ("2026-03-29T01:00:00Z", "Europe/Berlin", "2026-03-29 - 03:00 x"),
            ("2026-10-25T00:30:00Z", "Europe/Berlin", "2026-10-25 - 02:30 x"),
            ("2026-10-25T01:30:00Z", "Europe/Berlin", "2026-10-25 - 02:30 x"),
            // There summer time begins at midnight, which is skipped.
            ("2026-09-06T03:59:59Z", "America/Santiago", "2026-09-05 - 23:59 x"),
            ("2026-09-06T04:00:00Z", "America/Santiago", "2026-09-06 - 01:00 x"),
            ("2026-01-01T10:00:00Z", "Pacific/Kiritimati", "2026-01-02 - 00:00 x"),
        ])
    func day(time: String, zone: String, line: String) async throws {
        // With its own journal, without one, and from that of a killed memo.
        let begun = try Self.moment(time, zone)
        try await memo(begun) { keeper in
            try await keeper.record("x")
            _ = try await keeper.keep("x")
        }
        try await memo(begun) { _ = try await $0.keep("x") }
        try await memo(begun) { try await $0.record("x") }
        try await memo(try Self.moment("2026-06-01T00:00:00Z", "America/Los_Angeles")) { keeper in
            #expect(await keeper.findEarlier().cutOffAt == line.split(separator: " ")[2].description)
            _ = try await keeper.restore()
            _ = try await keeper.keep("x")
        }
        #expect(notes == [line, line, line])
    }

    @Test(
        "A kept memo that was not delivered goes to the day on which it was begun, however clock and zone have changed")
    func recovered() async throws {
        let begun = try Self.moment("2026-03-01T14:59:00Z", "Asia/Seoul")
        // The clock is a day later, a day earlier, in another zone, and at the epoch.
        for (time, zone) in [
            ("2026-03-02T15:01:00Z", "Asia/Seoul"), ("2026-02-28T15:01:00Z", "Asia/Seoul"),
            ("2026-03-01T15:01:00Z", "America/Los_Angeles"),
            ("1970-01-01T00:00:00Z", "GMT"),
        ] {
            let id = UUID.timeOrdered(at: begun.date)
            do {
                let place = MemoPlace(destinations: ["notes"], notes: sandbox.file("notes"))
                try MemoJournal.create(in: journals, id: id, begun: begun, at: place).keep("x", at: place)
            }
            try await memo(try Self.moment(time, zone)) { keeper in
                #expect(await keeper.findEarlier().troubles == [])
                _ = try await keeper.keep("y")
            }
            #expect(sandbox.journalNames == [] && notes.filter { $0 == "2026-03-01 - 23:59 x" }.count == 1)
            for name in sandbox.names(in: "notes") {
                try FileManager.default.removeItem(atPath: sandbox.file("notes/" + name))
            }
        }
    }

    @Test("When the clock is set back a day, two memos stay separate, and each is offered")
    func setBack() async throws {
        for time in ["2026-03-02T12:00:00Z", "2026-03-01T12:00:00Z", "2026-03-03T12:00:00Z"] {
            try await memo(try Self.moment(time, "GMT")) { try await $0.record(time) }
        }
        var texts: [String] = []
        for offer in ["12:00 (one of 3)", "12:00 (one of 2)", "12:00"] {
            try await memo(try Self.moment("2026-03-01T11:00:00Z", "GMT")) { keeper in
                #expect(await keeper.findEarlier().cutOffAt == offer)
                let text = try #require(try await keeper.restore()).text
                texts.append(text)
                _ = try await keeper.keep(text)
            }
        }
        // The oldest by the time in its journal comes first.
        #expect(texts == ["2026-03-01T12:00:00Z", "2026-03-02T12:00:00Z", "2026-03-03T12:00:00Z"])
        #expect(notes == texts.map { "\($0.prefix(10)) - 12:00 \($0)" })
    }
}
