import FileFaults
import Foundation
import Glibc
import Outbox
import System
import TestSupport
import Testing

@testable import utter

@Suite("A memo's journal")
struct MemoJournalTests {
    private let sandbox = Sandbox()
    private var folder: String { sandbox.file("state/utter/memos") }
    private let startedAt = Date(timeIntervalSince1970: 1_741_440_120)
    private let zone = TimeZone(identifier: "Asia/Seoul")!
    private let place = MemoPlace(destinations: ["notes", "work"], notes: "/home/me/notes")

    private func create(id: UUID = UUID(), in folder: String? = nil, calls: FileCalls = .system) throws -> MemoJournal {
        try MemoJournal.create(
            in: folder ?? self.folder, id: id, begun: Moment(date: startedAt, timeZone: zone), at: place, calls: calls)
    }

    private func abandoned(in folder: String? = nil, whileOneRuns isRunning: Bool = false) throws -> [MemoJournal] {
        if !isRunning { waitUntilUnlocked(folder ?? self.folder) }
        let found = try MemoJournal.abandoned(in: folder ?? self.folder)
        #expect(found.unreadable == [])
        return found.journals
    }

    @Test("What was recorded is found by the next memo, with its id, its time and its zone")
    func found() throws {
        let id = UUID()
        do {
            let journal = try create(id: id)
            try journal.record("buy")
            try journal.record("buy milk\nand \"bread\" 🥖")
        }
        let found = try abandoned()
        #expect(found.map(\.text) == ["buy milk\nand \"bread\" 🥖"])
        #expect(found.first?.isKept == false && found.first?.id == id)
        #expect(found.first?.begun == Moment(date: startedAt, timeZone: zone))
        #expect(sandbox.mode(of: "state/utter/memos") == 0o700)
        #expect(sandbox.names(in: "state/utter/memos") == ["\(id.uuidString.lowercased()).journal"])
        #expect(sandbox.mode(of: "state/utter/memos/\(id.uuidString.lowercased()).journal") == 0o600)
    }

    @Test(
        "A journal knows whether there is a guess in its text, also where the guess becomes final word for word",
        arguments: ["buy milk", String(repeating: "bread and ", count: 500) + "milk"])
    func guess(_ text: String) throws {
        do {
            let journal = try create()
            try journal.record(text, hasGuess: true)
        }
        let guessed = try #require(try abandoned().first)
        #expect(guessed.mayHaveGuess)
        try guessed.record(text)
        #expect(!guessed.mayHaveGuess)
        // This writes the whole text anew.
        try guessed.setSound("/home/me/sound.wav")
        let path = guessed.path
        let written = MemoHistory(journal: Array(try Data(contentsOf: URL(fileURLWithPath: path))))
        #expect(written.hasGuess == false && written.text == text)
        // An older version did not say so.
        #expect(MemoHistory(journal: try MemoRecord.text(text).line()).hasGuess == nil)
    }

    @Test("The doctor tells of a memo that was cut off")
    func doctor() throws {
        do { try create().record("x") }
        waitUntilUnlocked(folder)
        guard case .arguments(let arguments) = try ArgumentParser.parse([], by: .memo) else { return }
        let doctor = Doctor(try MemoOptions(arguments), Surroundings(environment: sandbox.environment()))
        #expect(doctor.memos().map(\.words) == ["a memo was cut off, and waits"])
    }

    @Test("A running memo's journal is not found by others, and an abandoned one by one memo only")
    func locked() throws {
        var running: MemoJournal? = try create()
        try running?.record("x")
        #expect(try abandoned(whileOneRuns: true).isEmpty)
        running = nil
        let first = try abandoned()
        #expect(first.map(\.text) == ["x"])
        #expect(try abandoned(whileOneRuns: true).isEmpty)
        try first.first?.record("x y")
        #expect(first.first?.text == "x y")
    }

    @Test("A journal that was taken over is continued, kept and removed under its own id")
    func takenOver() throws {
        let id = UUID()
        do { try create(id: id).record("one") }
        do {
            let journal = try #require(try abandoned().first)
            try journal.record("one two")
            try journal.keep("one two three", at: place)
        }
        let journal = try #require(try abandoned().first)
        #expect(journal.isKept && journal.text == "one two three" && journal.id == id && journal.place == place)
        try journal.remove()
        try journal.remove()
        #expect(sandbox.names(in: "state/utter/memos") == [])
    }

    @Test("A memo in which nothing was said leaves nothing behind")
    func nothingSaid() throws {
        do { _ = try create() }
        do { try create().record("") }
        #expect(try abandoned().isEmpty)
        #expect(sandbox.names(in: "state/utter/memos") == [])
        #expect(try MemoJournal.abandoned(in: sandbox.file("nowhere")).journals.isEmpty)
        #expect(sandbox.names() == ["data", "empty", "home", "state"])
    }

    @Test("Wherever the file is cut off, the text is that of the last complete record, and can be continued")
    func torn() throws {
        let id = UUID()
        let texts = ["", "buy", "buy milk", "buy milk and bread"]
        do {
            let journal = try create(id: id)
            for text in texts.dropFirst() { try journal.record(text) }
        }
        let name = "\(id.uuidString.lowercased()).journal"
        let whole = Array(try #require(sandbox.text(of: "state/utter/memos/" + name)).utf8)
        let ends = whole.indices.filter { whole[$0] == UInt8(ascii: "\n") }
        #expect(ends.count == texts.count)
        for count in ends[0] + 1...whole.count {
            sandbox.put(Array(whole[..<count]), in: "state/utter/memos/" + name)
            // A record counts with its last byte, with or without the newline.
            let expected = texts[ends.filter { $0 <= count }.count - 1]
            let found = try abandoned()
            #expect(found.map(\.text) == (expected.isEmpty ? [] : [expected]))
            guard let journal = found.first else { continue }
            try journal.record("more")
            _ = consume journal
            #expect(
                MemoHistory(journal: Array(try #require(sandbox.text(of: "state/utter/memos/" + name)).utf8)).text
                    == "more")
        }
    }

    @Test(
        "A journal with an invalid time and zone still has its text, which can be kept",
        arguments: [0, .min, .max, 86_400])
    func senselessTime(offset: Int) throws {
        let id = UUID()
        let beginning = MemoRecord.Beginning(
            id: id, startedAt: -1e300, timeZone: "Mars/Olympus", secondsFromGMT: offset)
        let lines = try [MemoRecord.begin(beginning), .text("buy milk")].flatMap { try $0.line() }
        _ = try create(id: id)
        try Data(lines).write(to: URL(fileURLWithPath: "\(folder)/\(id.uuidString.lowercased()).journal"))
        let journal = try #require(try abandoned().first)
        #expect(journal.text == "buy milk" && journal.begun.timeZone.secondsFromGMT() == 0)
        #expect(CapturedText(payload: journal.capture.payload)?.text == "buy milk")
    }

    @Test("A file that can't be read is reported and stays as it is, and one that can't be removed hides no memo")
    func unreadable() throws {
        do { try create().record("x") }
        sandbox.put("nonsense\n", in: "state/utter/memos/a.journal")
        try FileManager.default.createDirectory(atPath: folder + "/b.journal", withIntermediateDirectories: false)
        sandbox.put([], in: "state/utter/memos/other")
        sandbox.put([], in: "state/utter/memos/.utter-new-a1")
        var calls = FileCalls.system
        calls.open = { [open = calls.open] folder, name, flags, mode in
            if name != ".utter-new-a1" { return open(folder, name, flags, mode) }
            errno = EIO
            return -1
        }
        let found = try MemoJournal.abandoned(in: folder, calls: calls)
        #expect(found.journals.map(\.text) == ["x"])
        #expect(found.unreadable.sorted() == [folder + "/a.journal", folder + "/b.journal"])
        #expect(sandbox.text(of: "state/utter/memos/a.journal") == "nonsense\n")
    }

    @Test("A record is flushed before it counts, and the folder after the file has its name")
    func flushed() throws {
        let faulty = FaultyCalls()
        let journal = try create(calls: faulty.calls)
        #expect(
            faulty.names.filter { ["write", "flush", "link"].contains($0) } == [
                "flush", "write", "flush", "link", "flush",
            ])
        faulty.plan(nil)
        try journal.record("x")
        #expect(faulty.names.filter { ["write", "flush"].contains($0) } == ["write", "flush"])
        faulty.plan(nil)
        try journal.remove()
        #expect(faulty.names.filter { ["unlink", "flush"].contains($0) } == ["unlink", "flush"])
    }

    @Test("A long memo is written as changes, and its text is right after each")
    func long() throws {
        var random = SplitMix64(for: "long memos")
        let journal = try create()
        var text = String(repeating: "오늘은 우유를 사야 한다. ", count: 300)
        for _ in 0..<300 {
            let place = text.index(text.startIndex, offsetBy: Int.random(in: 0...text.count, using: &random))
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                text.insert(
                    contentsOf: ["é", "e\u{301}", "👩‍👩‍👧", "\u{301}", "\n"].randomElement(using: &random)!, at: place)
            case 1: text.removeSubrange(place..<(text.index(place, offsetBy: 5, limitedBy: text.endIndex) ?? place))
            default: text += " " + random.text(maximumLength: 12)
            }
            try journal.record(text)
            #expect(Array(journal.text.utf8) == Array(text.utf8))
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: journal.path))
        #expect(Array(MemoHistory(journal: Array(bytes)).text.utf8) == Array(text.utf8))
        // With the whole text each time it would be thirty times as long.
        #expect(bytes.count < text.utf8.count * 12)
    }

    @Test(
        "A paste, and then typing, write no more than a few times what they add, however long the memo is",
        arguments: Tier.every(2, of: [50, 200]))
    func pasted(pieces: Int) throws {
        var history = MemoHistory()
        var size = 0
        func write(_ text: String) throws {
            let record = history.record(of: text)
            size += try record.line().count
            let isApplied = history.apply(record)
            #expect(isApplied)
        }
        var text = ""
        // A terminal delivers a paste in pieces of 4 kB.
        for _ in 0..<pieces {
            text += String(repeating: "bread and ", count: 410)
            try write(text)
        }
        #expect(size < text.utf8.count * 4)
        size = 0
        for _ in 0..<100 {
            text += "x"
            try write(text)
            text.removeFirst()
            try write(text)
        }
        // From time to time the whole text is written.
        #expect(size < 200 * 150 + text.utf8.count + 100 && history.text == text)
    }

    @Test("A journal whose file or folder was removed is written again")
    func takenAway() throws {
        let journal = try create()
        try journal.record("one")
        #expect(unlink(journal.path) == 0)
        try journal.record("one two")
        #expect(sandbox.names(in: "state/utter/memos").count == 1)
        try FileManager.default.removeItem(atPath: folder)
        try journal.record("one two three")
        _ = consume journal
        #expect(try abandoned().map(\.text) == ["one two three"])
    }

    @Test("A link in place of the folder is refused")
    func link() throws {
        #expect(symlink("empty", sandbox.file("link")) == 0)
        let error = #expect(throws: OutboxError.self) { try create(in: sandbox.file("link")) }
        #expect(error?.code == .inTheWay)
        #expect(sandbox.names(in: "empty") == [])
    }

    @Test("Whichever call fails, a text that is not on the disk is reported, and the next record repairs it")
    func faults() throws {
        for fault in [EIO, ENOSPC, EROFS, EMFILE].flatMap({ [FaultyCalls.Fault.once($0), .fromThenOn($0)] }) {
            var number = 0
            while true {
                let place = sandbox.file("\(fault)-\(number)".filter { $0 != " " })
                let faulty = FaultyCalls()
                let journal = try create(in: place, calls: faulty.calls)
                try journal.record("one")
                faulty.plan(fault, at: number)
                var wasRefused = false
                do { try journal.record("one two") } catch let error as OutboxError {
                    wasRefused = true
                    #expect(!error.description.contains(" two"))
                }
                let wasReached = faulty.names.count > number
                // The text on the disk at this moment.
                func onDisk() throws -> String {
                    MemoHistory(journal: Array(try Data(contentsOf: URL(fileURLWithPath: journal.path)))).text
                }
                if wasRefused {
                    #expect(["one", "one two"].contains(try onDisk()))
                } else {
                    #expect(try onDisk() == "one two")
                }
                faulty.plan(nil)
                try journal.record("one two three")
                #expect(try onDisk() == "one two three")
                _ = consume journal
                #expect(try abandoned(in: place).map(\.text) == ["one two three"])
                if !wasReached { break }
                number += 1
            }
            #expect(number >= 5)
        }
    }
}
