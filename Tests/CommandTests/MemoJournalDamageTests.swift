import Foundation
import Glibc
import System
import TestSupport
import Testing

@testable import utter

@Suite("A damaged journal of a memo")
struct MemoJournalDamageTests {
    private static let id = UUID(uuidString: "01a20362-bded-7074-a90a-c73c61ad2b58")!
    private static let place = MemoPlace(destinations: ["private"], notes: "/home/me/notes")
    private static let newline = UInt8(ascii: "\n")

    /// A journal, and its state after each line.
    private struct Memo {
        var lines: [[UInt8]] = []
        var records: [MemoRecord] = []
        var states: Set<String> = [""]
        private var history = MemoHistory()

        init() throws {
            let beginning = MemoRecord.Beginning(
                id: MemoJournalDamageTests.id, startedAt: 1_795_353_132.5, timeZone: "Asia/Seoul",
                secondsFromGMT: 32_400,
                to: place.destinations, notes: place.notes)
            try add(.begin(beginning))
        }

        mutating func add(_ record: MemoRecord) throws {
            precondition(history.apply(record))
            records.append(record)
            lines.append(try record.line().dropLast())
            states.insert(history.text)
        }

        mutating func write(_ text: String) throws { try add(history.record(of: text)) }

        var text: String { history.text }
        var bytes: [UInt8] { lines.flatMap { $0 + [newline] } }

        /// The history of the lines that are still complete in a damaged journal.
        func expected(of damaged: [UInt8]) -> MemoHistory {
            var result = MemoHistory()
            for (line, record) in zip(lines, records) where contains(damaged, line) { _ = result.apply(record) }
            return result
        }
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        Data(bytes).range(of: Data(part)) != nil
    }

    /// A memo of twelve short texts, a long one, and six changes of it.
    private static func longMemo() throws -> Memo {
        var memo = try Memo()
        for number in 0..<12 { try memo.write((memo.text + " word\(number)").trimmingCharacters(in: .whitespaces)) }
        try memo.write(memo.text + " " + String(repeating: "x", count: 5000))
        for number in 0..<6 { try memo.write(memo.text + " tail\(number)") }
        return memo
    }

    /// A memo of three texts, of which the last is kept.
    private static func shortMemo() throws -> Memo {
        var memo = try Memo()
        for text in ["buy", "buy milk {\"a\":1} 0000000a {b", "buy milk\nand \"bread\" 🥖"] { try memo.write(text) }
        try memo.add(.keep("buy milk and bread", at: Self.place))
        return memo
    }

    private func check(_ memo: Memo, _ damaged: [UInt8], _ what: @autoclosure () -> String) {
        let (found, expected) = (MemoHistory(journal: damaged), memo.expected(of: damaged))
        #expect(found.bytes == expected.bytes, "\(what())")
        #expect(memo.states.contains(found.text), "\(what())")
        #expect(found.beginning == expected.beginning && found.place == expected.place, "\(what())")
        // The decision to keep counts only if no later line is lost.
        if found.isKept { #expect(expected.isKept && found.text == memo.text, "\(what())") }
        if damaged == memo.bytes { #expect(found.isKept == expected.isKept && !found.isTorn && !found.isDamaged) }
    }

    @Test("In 200 damages of every kind no complete line is lost, and the text that is offered was there once")
    func seeded() throws {
        var random = SplitMix64(for: "damaged journals")
        let memo = try Self.longMemo()
        for number in 0..<200 {
            var bytes = memo.bytes
            // Half of the damages are at the beginning, on which nothing must depend.
            let reach = Bool.random(using: &random) ? 160 : bytes.count
            let place = Int.random(in: 0..<reach, using: &random)
            let end = min(bytes.count, place + Int.random(in: 1..<300, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                for _ in 0..<[1, 1, 3, 20].randomElement(using: &random)! {
                    bytes[Int.random(in: 0..<reach, using: &random)] = .random(in: 0...255, using: &random)
                }
            case 1: bytes.removeSubrange(place...)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.replaceSubrange(place..<end, with: [UInt8](repeating: 0, count: end - place))
            default:
                bytes.insert(contentsOf: (0..<end - place).map { _ in .random(in: 0...255, using: &random) }, at: place)
            }
            check(memo, bytes, "damage \(number)")
            // The same with a file: its text is offered, or the file is reported and stays.
            let path = put(bytes)
            let (found, text) = (try found(), memo.expected(of: bytes).text)
            #expect(found.journals.map(\.text) == (text.isEmpty ? [] : [text]), "damage \(number)")
            #expect(!text.isEmpty || found.unreadable == [path] || sandbox.journalNames == [], "damage \(number)")
        }
    }

    @Test("The same for every flipped bit, every truncation, and every range of missing lines")
    func exhaustive() throws {
        let memo = try Self.shortMemo()
        let whole = memo.bytes
        check(memo, whole, "whole")
        for place in whole.indices {
            for bit in 0..<8 {
                var bytes = whole
                bytes[place] ^= 1 << UInt8(bit)
                check(memo, bytes, "byte \(place), bit \(bit)")
            }
            check(memo, Array(whole[..<place]), "cut at \(place)")
            check(memo, Array(whole[place...]), "cut before \(place)")
            check(memo, Array(whole[..<place] + whole[(place + 1)...]), "without \(place)")
        }
        for first in memo.lines.indices {
            for last in first..<memo.lines.count {
                let rest = memo.lines[..<first] + memo.lines[(last + 1)...]
                check(memo, rest.flatMap { $0 + [Self.newline] }, "without the lines \(first) to \(last)")
            }
        }
    }

    @Test("A change counts only for the text from which it was made, and texts after a lost one still count")
    func changes() throws {
        let memo = try Self.longMemo()
        // Without the fourth change the later ones don't count; a later complete text does.
        let lines = memo.lines.filter { !Self.contains($0, Array("tail3".utf8)) }
        var history = MemoHistory(journal: lines.flatMap { $0 + [Self.newline] })
        #expect(history.text.hasSuffix(" tail0 tail1 tail2") && history.isDamaged)
        let later = try MemoRecord.text("something else").line()
        history = MemoHistory(journal: lines.flatMap { $0 + [Self.newline] } + later)
        #expect(history.text == "something else")
    }

    @Test("A kept text is only offered if a later line is lost, and kept if an earlier one is")
    func kept() throws {
        var memo = try Self.shortMemo()
        #expect(MemoHistory(journal: Array(memo.bytes.dropFirst(memo.lines[0].count + 1))).isKept)
        let kept = memo.bytes
        try memo.write("buy milk and bread, or not")
        var bytes = memo.bytes
        bytes[kept.count + 20] ^= 1
        #expect(MemoHistory(journal: bytes).text == "buy milk and bread" && !MemoHistory(journal: bytes).isKept)
        #expect(!MemoHistory(journal: Array(memo.bytes.dropLast(5))).isKept)
    }

    // MARK: Files

    private let sandbox = Sandbox()
    private var folder: String { sandbox.file("state/utter/memos") }

    private func put(_ bytes: [UInt8], named name: String = id.uuidString.lowercased()) -> String {
        mkdir(folder, 0o700)
        return sandbox.put(bytes, in: "state/utter/memos/\(name).journal")
    }

    private func found() throws -> (journals: [MemoJournal], unreadable: [String]) {
        waitUntilUnlocked(folder)
        return try MemoJournal.abandoned(in: folder)
    }

    @Test("Without its first line a memo is offered with the id and time of the file's name, continued and kept")
    func withoutFirstLine() throws {
        let memo = try Self.shortMemo()
        _ = put(Array(memo.bytes.dropFirst(10)))
        let named = Date(timeIntervalSince1970: Double(0x01a20362bded) / 1000)
        do {
            let journal = try #require(try found().journals.first)
            #expect(
                journal.text == "buy milk and bread" && journal.isKept && journal.id == Self.id
                    && journal.place == Self.place)
            #expect(journal.begun == Moment(date: named))
            try journal.record("buy milk and butter")
        }
        let journal = try #require(try found().journals.first)
        #expect(journal.text == "buy milk and butter" && journal.begun.date == named && journal.place == Self.place)
        try journal.remove()
        #expect(sandbox.journalNames == [])
    }

    @Test("If the name has no time either, the memo has that of the file")
    func withoutTime() throws {
        let id = UUID()
        let path = put(try MemoRecord.text("buy milk").line(), named: id.uuidString.lowercased())
        var times = [timeval(tv_sec: 1_741_440_120, tv_usec: 0), timeval(tv_sec: 1_741_440_120, tv_usec: 0)]
        #expect(utimes(path, &times) == 0)
        let journal = try #require(try found().journals.first)
        #expect(
            journal.begun.date == Date(timeIntervalSince1970: 1_741_440_120) && journal.id == id && journal.place == nil
        )
    }

    @Test("A file without a valid line, or with another memo's name, is reported and stays as it is")
    func nothingProven() throws {
        let memo = try Self.shortMemo()
        let other = UUID().uuidString.lowercased()
        let damaged = memo.lines.flatMap { line in [UInt8(ascii: "x")] + line.dropFirst() + [Self.newline] }
        let paths = [
            put(damaged), put(memo.bytes, named: other), put(memo.bytes, named: "copy"), put([], named: "empty"),
        ]
        let found = try found()
        #expect(found.journals.isEmpty && found.unreadable.sorted() == paths.sorted())
        #expect(FileManager.default.contents(atPath: paths[0]) == Data(damaged))
    }

    // MARK: Other versions

    @Test(
        "A journal of the previous version is read, without a place; that version reads all but the place in a new one")
    func versions() throws {
        let old = [
            #"{"begin":{"id":"01A20362-BDED-7074-A90A-C73C61AD2B58","secondsFromGMT":0,"startedAt":1795353132.5,"timeZone":"GMT"}}"#,
            #"{"keep":"buy milk"}"#,
        ]
        let history = MemoHistory(journal: old.flatMap { Array("\(CRC32.digits(of: $0.utf8)) \($0)\n".utf8) })
        #expect(history.text == "buy milk" && history.isKept && !history.isDamaged && !history.isTorn)
        #expect(history.beginning?.id == Self.id && history.place == nil)

        // The previous version read a line like this, and ignored unknown fields.
        struct Beginning: Codable {
            var id: UUID
            var startedAt: Double
            var timeZone: String
            var secondsFromGMT: Int
        }
        enum Key: String, CodingKey { case begin, text, change, keep }
        struct Line: Decodable {
            var kind: Key?
            var text: String?
            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: Key.self)
                kind = values.allKeys.first
                if kind == .begin { _ = try values.decode(Beginning.self, forKey: .begin) }
                if kind == .text || kind == .keep { text = try values.decode(String.self, forKey: kind!) }
            }
        }
        let memo = try Self.shortMemo()
        let read = try memo.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.dropFirst(9))) }
        #expect(read.map(\.kind) == [.begin, .text, .text, .text, .keep] && read.last?.text == "buy milk and bread")
    }
}
