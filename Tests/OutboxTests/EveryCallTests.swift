import FileFaults
import Foundation
import System
import TestSupport
import Testing

@testable import Outbox

/// What a process does with fifty operations, killed before its calls on files: before a part of them that chance chooses, or with
/// `UTTER_KILLS` from a thousand on before each.
@Suite("A run of fifty operations")
struct EveryCallTests {
    /// In memory, for a kill loses nothing that was not flushed: that is the power's part.
    private let folder = TemporaryFolder(in: "/dev/shm")

    private struct Run {
        var accepted: Set<UUID> = []
        /// It may have come to the disk or not.
        var beingEnqueued: UUID?
        var delivered: Set<UUID> = []
        var cleared: Set<UUID> = []
    }

    private static let ids = (0..<50).map { _ in UUID.timeOrdered() }

    private func store(_ place: String, _ calls: FileCalls) -> OutboxStore {
        OutboxStore(folder: place + "/outbox", calls: calls)
    }

    private func entry(_ operation: OutboxOperation) -> MarkdownVault.Entry {
        MarkdownVault.Entry(
            id: operation.id, text: String(decoding: operation.payload, as: UTF8.self), capturedAt: operation.createdAt,
            timeZone: .gmt)
    }

    /// Enqueues all, and does with each what a drainer or its user may do.
    private func perform(_ place: String, _ calls: FileCalls, _ run: inout Run) throws {
        let store = store(place, calls)
        let vault = MarkdownVault(.own(place + "/notes"), calls: calls)
        for (number, id) in Self.ids.enumerated() {
            run.beingEnqueued = id
            try store.enqueue(
                OutboxOperation(
                    id: id, destination: "vault", payload: Data("text \(number)".utf8),
                    createdAt: Date(timeIntervalSince1970: 0)))
            run.accepted.insert(id)
        }
        run.beingEnqueued = nil
        for (number, id) in try store.index().ids.enumerated() {
            guard let operation = try store.operation(id) else { continue }
            switch number % 5 {
            case 0:
                try store.change(id) {
                    $0.fail(attempts: 1, "503", delay: 2, isNetwork: false, at: Date(timeIntervalSince1970: 0))
                }
            case 1:
                run.cleared.insert(id)
                try store.remove(id)
            default:
                try vault.append(entry(operation))
                run.delivered.insert(id)
                try store.remove(id)
            }
        }
    }

    @Test(
        "killed before any call, or in any write, loses nothing that was accepted, and leaves nothing that is not whole",
        arguments: [FaultyCalls.Fault.killed, .torn])
    func killed(fault: FaultyCalls.Fault) throws {
        var random = SplitMix64(for: "killed runs")
        let calls = try perform(nil, at: 0)
        let step = Kills.areMany ? 1 : fault == .torn ? 5 : 29
        let possible = calls.indices.filter { fault != .torn || calls[$0] == "write" }
        let points = stride(from: Int.random(in: 0..<step, using: &random), to: possible.count, by: step).map {
            possible[$0]
        }
        for number in points { _ = try perform(fault, at: number) }
        print("\(fault) at \(points.count) of \(possible.count) calls")
        #expect(calls.count > 1000 && points.count > 10)
    }

    /// - Returns: the names of the calls.
    private func perform(_ fault: FaultyCalls.Fault?, at number: Int) throws -> [String] {
        let name = "\(fault, default: "unharmed")-\(number)"
        let place = folder.file(name)
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        let faulty = FaultyCalls()
        faulty.plan(fault, at: number)
        var run = Run()
        do { try perform(place, faulty.calls, &run) } catch {}
        try check(place, run, name)
        try FileManager.default.removeItem(atPath: place)
        return faulty.names
    }

    /// What the next start finds, and makes of it.
    private func check(_ place: String, _ run: Run, _ what: String) throws {
        let store = store(place, .system)
        let vault = MarkdownVault(.own(place + "/notes"))
        let index = try store.index()
        let there = Set(index.ids)
        #expect(index.aside == [] && index.foreign == [], "\(what)")
        let names = Set(folder.names(in: place.dropFirst(folder.path.count + 1) + "/outbox"))
        #expect(names.subtracting([".changes"]) == Set(index.ids.map(OutboxStore.name)), "\(what): litter")
        #expect(run.accepted.subtracting(run.delivered).subtracting(run.cleared).isSubset(of: there), "\(what): lost")
        #expect(
            there.subtracting(run.accepted).isSubset(of: Set([run.beingEnqueued].compactMap { $0 })),
            "\(what): came from nowhere")
        for id in index.ids {
            let operation = try #require(try store.operation(id), "\(what): unreadable")
            try vault.append(entry(operation))
            try store.remove(id)
        }
        let note = folder.text(of: place.dropFirst(folder.path.count + 1) + "/notes/1970-01-01.md") ?? ""
        let expected = there.union(run.delivered).map { id in
            "- 00:00 text \(Self.ids.firstIndex(of: id)!) ^utter-\(id.uuidString.lowercased())"
        }
        // The begin of a torn line stays where another is added first, without its mark.
        var lines = note.split(separator: "\n").map(String.init)
        for line in expected {
            if let place = lines.firstIndex(of: line) { lines.remove(at: place) } else { Issue.record("\(what): lost") }
        }
        #expect(
            lines.count <= 1 && lines.allSatisfy { torn in expected.contains { $0.hasPrefix(torn) } },
            "\(what): \(lines)")
    }
}
