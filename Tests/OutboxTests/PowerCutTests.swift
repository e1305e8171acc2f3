import FileFaults
import Foundation
import TestSupport
import Testing

@testable import Outbox

/// On a disk that forgets what was not flushed, the power going at every single call.
@Suite("After a power failure")
struct PowerCutTests {
    private enum Step: CaseIterable {
        case enqueueFirst
        case enqueueSecond
        case change
        case remove
    }

    /// What may be found of an operation: its counts of attempts, nil for none of it.
    private typealias Possible = [UUID: Set<Int?>]

    private static let first = UUID.timeOrdered()
    private static let second = UUID.timeOrdered()

    private func operation(_ id: UUID) -> OutboxOperation {
        OutboxOperation(id: id, destination: "k", payload: Data("buy milk and bread".utf8))
    }

    /// What is possible after a step that came to its end, and, when the power went in it, also what was before.
    private func possible(_ before: Possible, _ step: Step) -> Possible {
        var after = before
        switch step {
        case .enqueueFirst: if before[Self.first] == [nil] { after[Self.first] = [0] }
        case .enqueueSecond: if before[Self.second] == [nil] { after[Self.second] = [0] }
        case .change: after[Self.first] = Set(before[Self.first]!.map { $0.map { $0 + 1 } })
        case .remove: after[Self.first] = [nil]
        }
        return after
    }

    private func perform(_ step: Step, _ store: OutboxStore) throws {
        switch step {
        case .enqueueFirst: try store.enqueue(operation(Self.first))
        case .enqueueSecond: try store.enqueue(operation(Self.second))
        case .change: try store.change(Self.first) { $0.attemptCount += 1 }
        case .remove: try store.remove(Self.first)
        }
    }

    private static let sequences: [[Step]] = {
        let one = Step.allCases.map { [$0] }
        let two = one.flatMap { start in Step.allCases.map { start + [$0] } }
        return one + two + two.flatMap { start in Step.allCases.map { start + [$0] } }
    }()

    /// Runs `sequence` until the power goes before call `number`.
    ///
    /// - Returns: the disk, what may be on it, and whether it came so far.
    private func run(_ sequence: [Step], cutAt number: Int) -> (SimulatedDisk, Possible, wasCut: Bool) {
        let disk = SimulatedDisk()
        disk.die(at: number)
        let store = OutboxStore(folder: "/state/outbox", calls: disk.calls)
        var possible: Possible = [Self.first: [nil], Self.second: [nil]]
        for step in sequence {
            let after = self.possible(possible, step)
            do {
                try perform(step, store)
                possible = after
            } catch {
                return (disk, possible.merging(after) { $0.union($1) }, true)
            }
        }
        return (disk, possible, disk.callCount > number)
    }

    private func check(_ image: SimulatedDisk, _ possible: Possible) throws {
        let store = OutboxStore(folder: "/state/outbox", calls: image.calls)
        let index = try store.index()
        #expect(index.foreign == [] && index.aside == [])
        #expect(
            Set(image.names(in: "/state/outbox") ?? []).subtracting([".changes"])
                == Set(index.ids.map(OutboxStore.name)))
        for (id, counts) in possible {
            let found = try store.operation(id)
            #expect(counts.contains(found?.attemptCount))
            #expect(found == nil || found?.payload == operation(id).payload)
        }
    }

    @Test("Every accepted operation is there, complete and once, whatever the disk made of bytes that were not flushed")
    func operations() throws {
        var imageCount = 0
        for sequence in Self.sequences {
            var number = 0
            while true {
                let (disk, possible, wasCut) = run(sequence, cutAt: number)
                for image in disk.images() {
                    try check(image, possible)
                    imageCount += 1
                }
                if !wasCut { break }
                number += 1
            }
        }
        print("power cuts: \(Self.sequences.count) sequences, \(imageCount) disks")
        #expect(Self.sequences.count == 84 && imageCount > 5000)
    }

    @Test("Every accepted operation is there also after a second power failure during the recovery")
    func recovery() throws {
        for sequence in Self.sequences where sequence.count == 2 {
            var number = 0
            while true {
                let (disk, possible, wasCut) = run(sequence, cutAt: number)
                for index in disk.images().indices {
                    var again = 0
                    while true {
                        let image = disk.images()[index]
                        image.die(at: again)
                        do { _ = try OutboxStore(folder: "/state/outbox", calls: image.calls).index() } catch {}
                        for second in image.images() { try check(second, possible) }
                        if image.callCount <= again { break }
                        again += 3
                    }
                }
                if !wasCut { break }
                number += 5
            }
        }
    }

    @Test("A note keeps text from elsewhere and earlier entries, and adding the entry again completes it")
    func vault() throws {
        func entry(_ text: String, _ number: UInt64) -> MarkdownVault.Entry {
            MarkdownVault.Entry(
                id: UUID(high: 1, low: number), text: text, capturedAt: Date(timeIntervalSince1970: 0), timeZone: .gmt)
        }
        func line(_ entry: MarkdownVault.Entry) -> String {
            "- 00:00 \(entry.text) ^utter-\(entry.id.uuidString.lowercased())\n"
        }
        let (one, two) = (entry("one", 1), entry("two, which is longer", 2))
        let note = "/notes/1970-01-01.md"
        for mine in ["", "mine\n"] {
            var number = 0
            while true {
                let disk = SimulatedDisk()
                let vault = MarkdownVault(.own("/notes"), calls: disk.calls)
                try vault.prepare()
                if !mine.isEmpty { disk.put(Array(mine.utf8), in: note) }
                let start = disk.callCount
                disk.die(at: start + number)
                var done: [MarkdownVault.Entry] = []
                do {
                    for entry in [one, two] {
                        try vault.append(entry)
                        done.append(entry)
                    }
                } catch {}
                for image in disk.images() {
                    let found = String(decoding: image.bytes(of: note) ?? [], as: UTF8.self)
                    #expect(found.hasPrefix(mine + done.map(line).joined()), "\(mine) \(number)")
                    let vault = MarkdownVault(.own("/notes"), calls: image.calls)
                    for entry in [one, two] { try vault.append(entry) }
                    let whole = String(decoding: image.bytes(of: note) ?? [], as: UTF8.self)
                    #expect(whole.hasPrefix(mine) && whole.hasSuffix(line(two)))
                    for entry in [one, two] { #expect(whole.components(separatedBy: line(entry)).count == 2) }
                    // And that is for good.
                    #expect(image.images().count == 1)
                }
                if done.count == 2 { break }
                number += 1
            }
            #expect(number > 25)
        }
    }

    @Test("A note that was changed in the middle is as before or as after that, once the next command has read it")
    func change() throws {
        let mark = "^utter-\(UUID(high: 1, low: 1).uuidString.lowercased())"
        // The vault looks for its folder on the real disk first.
        let (day, note) = ("1970-01-01", "/tmp/1970-01-01.md")
        for replacement in ["", "- 00:00 one \(mark)\n", "- 00:00 one, two, three and four \(mark)\n"] {
            let (old, new) = ("mine\n- 00:00 one two \(mark)\nmine, too\n", "mine\n\(replacement)mine, too\n")
            var number = 0
            while true {
                let disk = SimulatedDisk()
                let vault = MarkdownVault(.own("/tmp"), calls: disk.calls)
                try vault.prepare()
                disk.put(Array(old.utf8), in: note)
                let entry = try #require(try vault.entries(of: day)?.entries.first)
                disk.die(at: disk.callCount + number)
                let isDone = (try? vault.replace(entry, by: Array(replacement.utf8))) == true
                for image in disk.images() {
                    _ = try MarkdownVault(.own("/tmp"), calls: image.calls).entries(of: day)
                    let found = String(decoding: image.bytes(of: note) ?? [], as: UTF8.self)
                    #expect(found == new || !isDone && found == old, "\(number)")
                }
                if isDone { break }
                number += 1
            }
            #expect(number > 25)
        }
    }
}
