import Foundation

#if canImport(Command)
    @testable import Command
#else
    import System
    @testable import utter
#endif
@testable import Outbox

/// A memo's journal: any lines give a text that can be continued, and a valid time.
enum JournalSubject {
    static func check(_ bytes: [UInt8]) {
        _ = MemoHistory(journal: bytes)
        // Lines without valid checksums would all be refused.
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        let journal = lines.map { "\(CRC32.digits(of: $0)) ".utf8 + $0 + [UInt8(ascii: "\n")] }
        let history = MemoHistory(journal: Array(journal.joined()))
        require(!history.isTorn, "every line is whole")

        // Only changes of long texts are written as differences.
        let long = String(repeating: "buy ", count: bytes.count % 8 == 0 ? 1100 : 1)
        for new in ["", history.text + "🥛", long + history.text] {
            let record = history.record(of: new)
            let line = try? record.line()
            let again = require(
                MemoRecord(line: require(line, "a line").dropLast()), "a record that was written can be read")
            require(again == record, "the same record")
            var after = history
            require(after.apply(again) && isSame(after.text, new), "the record makes the text")
        }
        guard let beginning = history.beginning else { return }
        let zone =
            TimeZone(identifier: beginning.timeZone) ?? TimeZone(untrustedSecondsFromGMT: beginning.secondsFromGMT)
            ?? .gmt
        let date = Date(timeIntervalSince1970: beginning.startedAt)
        CaptureSubject.check(Array(CapturedText(text: history.text, capturedAt: date, timeZone: zone).payload))
        _ = UUID.timeOrdered(at: date)
    }
}
