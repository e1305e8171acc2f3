import Foundation
import System

/// The state of a memo that the lines of its journal describe: its text, its place, and whether it is to be kept. Pure.
struct MemoHistory: Equatable {
    private(set) var beginning: MemoRecord.Beginning?
    /// The memo's text, in UTF-8.
    private(set) var bytes: [UInt8] = []
    private(set) var isKept = false
    /// Whether there is a guess in the text; nil if an older version wrote it.
    private(set) var hasGuess: Bool?
    /// Whether the last line is incomplete, as after a kill, so that nothing may be appended.
    private(set) var isTorn = false
    /// Whether a line before the last could not be read, or is of a kind that only newer versions know.
    private(set) var isDamaged = false
    /// The place in the last readable decision to keep the memo; nil when there is none.
    private var writtenPlace: MemoPlace?
    private var checksum: UInt32 = 0
    /// The number of changes since the last record of the whole text.
    private var changeCount = 0
    /// The approximate size of these changes, in bytes.
    private var changesSize = 0

    /// The longest text, in bytes, that is written whole each time.
    private static let wholeSize = 4096
    /// The size of changes, in bytes, after which the text is written whole again; for a longer text it is the text's own size. This
    /// keeps the journal quick to read, and its growth in proportion to what is said.
    private static let maximumChangesSize = 1 << 16
    /// The number of changes after which the text is written whole again.
    private static let maximumChangeCount = 1000

    init() {}

    init(journal bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // An intact journal ends with a newline, so its last part is empty.
        for line in lines.dropLast() where !take(line) { isDamaged = true }
        if let last = lines.last, !last.isEmpty {
            // If only the newline is missing, the record is intact.
            _ = take(last)
            isTorn = true
        }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether the text and `other` are the same bytes.
    func holds(_ other: String) -> Bool { bytes.elementsEqual(other.utf8) }

    /// The memo's place; nil when an older version wrote the journal, or the lines that name the place are damaged.
    var place: MemoPlace? { writtenPlace ?? beginning?.place }

    /// Applies the intact records in a line.
    ///
    /// - Returns: whether the line is one intact record that could be applied.
    private mutating func take(_ line: ArraySlice<UInt8>) -> Bool {
        let (records, isAll) = MemoRecord.proven(in: line)
        var isWhole = isAll
        for record in records where !apply(record) { isWhole = false }
        // A lost record may have been a change after the decision to keep the memo.
        if !isWhole { isKept = false }
        return isWhole
    }

    /// Applies the next record.
    ///
    /// - Returns: false, without an effect, when the record is a change of another text.
    mutating func apply(_ record: MemoRecord) -> Bool {
        switch record {
        case .begin(let beginning): self.beginning = beginning
        case .text(let text, let hasGuess): set(text, hasGuess: hasGuess, isKept: false)
        case .keep(let text, let place):
            set(text, hasGuess: false, isKept: true)
            if let place { writtenPlace = place }
        case .change(let change): return apply(change)
        }
        return true
    }

    private mutating func set(_ text: String, hasGuess: Bool?, isKept: Bool) {
        bytes = Array(text.utf8)
        checksum = bytes.withUnsafeBufferPointer { CRC32.checksum(of: $0) }
        (changeCount, changesSize, self.hasGuess, self.isKept) = (0, 0, hasGuess, isKept)
    }

    private mutating func apply(_ change: MemoRecord.Change) -> Bool {
        func isBoundary(_ place: Int) -> Bool { place == bytes.count || bytes[place] & 0xC0 != 0x80 }
        guard CRC32.digits(checksum) == change.base, change.at >= 0, change.drop >= 0, change.at <= bytes.count,
            change.drop <= bytes.count - change.at, isBoundary(change.at), isBoundary(change.at + change.drop)
        else { return false }
        let added = Array(change.text.utf8)
        let isAtEnd = change.at == bytes.count
        bytes.replaceSubrange(change.at..<change.at + change.drop, with: added)
        checksum =
            isAtEnd
            ? added.withUnsafeBufferPointer { CRC32.checksum(of: $0, after: checksum) }
            : bytes.withUnsafeBufferPointer { CRC32.checksum(of: $0) }
        changeCount += 1
        changesSize += added.count + 100
        (hasGuess, isKept) = (change.hasGuess, false)
        return true
    }

    /// The record that makes the text `new`: a change if the text is long and the change small, otherwise the whole text.
    func record(of new: String, hasGuess: Bool = false) -> MemoRecord {
        var new = new
        guard new.utf8.count > Self.wholeSize else { return .text(new, hasGuess: hasGuess) }
        return new.withUTF8 { fresh in
            let same = bytes.withUnsafeBufferPointer { CommonEnds(of: $0, and: fresh) }
            let added = fresh[same.prefix..<fresh.count - same.suffix]
            let isSmall =
                changeCount < Self.maximumChangeCount
                && changesSize + added.count <= max(Self.maximumChangesSize, fresh.count)
                && added.count < fresh.count / 2
            if !isSmall { return .text(String(decoding: fresh, as: UTF8.self), hasGuess: hasGuess) }
            return .change(
                MemoRecord.Change(
                    at: same.prefix, drop: bytes.count - same.suffix - same.prefix,
                    text: String(decoding: added, as: UTF8.self),
                    base: CRC32.digits(checksum), hasGuess: hasGuess))
        }
    }
}
