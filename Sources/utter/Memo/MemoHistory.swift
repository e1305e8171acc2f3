import Foundation
import System

/// What the lines of a memo's journal come to. Pure.
struct MemoHistory: Equatable {
    private(set) var beginning: MemoRecord.Beginning?
    /// The text, in UTF-8.
    private(set) var bytes: [UInt8] = []
    private(set) var isKept = false
    /// The last line is not whole, as after a kill: nothing must be added behind it.
    private(set) var isTorn = false
    /// A line before the last could not be read, or is of a kind that only newer versions know.
    private(set) var isDamaged = false
    /// Where it is to go, as far as that was written and can be read.
    private var writtenPlace: MemoPlace?
    /// Of the text.
    private var checksum: UInt32 = 0
    /// The changes since the text last stood there whole, and the bytes that they take.
    private var changeCount = 0
    private var changesSize = 0

    /// Text up to so many bytes is written whole each time.
    private static let wholeSize = 4096
    /// A text is written whole again when so many changes have come, or as many bytes of them as the text itself has. So whoever reads
    /// the journal is soon done, and it does not grow faster than what is said.
    private static let maximumChangesSize = 1 << 16
    private static let maximumChangeCount = 1000

    init() {}

    init(journal bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // After the last newline nothing is to come.
        for line in lines.dropLast() where !take(line) { isDamaged = true }
        if let last = lines.last, !last.isEmpty {
            // Only its newline may be missing.
            _ = take(last)
            isTorn = true
        }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether this is the text, byte by byte.
    func holds(_ other: String) -> Bool {
        var other = other
        return other.withUTF8 { other in
            bytes.withUnsafeBufferPointer { $0.count == other.count && CommonEnds(of: $0, and: other).prefix == other.count }
        }
    }

    /// nil when an older version wrote the journal, or what says it is damaged.
    var place: MemoPlace? { writtenPlace ?? beginning?.place }

    /// Takes in all that proves itself in a line.
    ///
    /// - Returns: whether nothing is missing.
    private mutating func take(_ line: ArraySlice<UInt8>) -> Bool {
        let (records, isAll) = MemoRecord.proven(in: line)
        var isWhole = isAll
        for record in records where !apply(record) { isWhole = false }
        // What is lost may have been a change of mind.
        if !isWhole { isKept = false }
        return isWhole
    }

    /// Takes in one more record.
    ///
    /// - Returns: false when the record changes another text than this one; then nothing has changed.
    mutating func apply(_ record: MemoRecord) -> Bool {
        switch record {
        case .begin(let beginning): self.beginning = beginning
        case .text(let text): set(text, isKept: false)
        case .keep(let text, let place):
            set(text, isKept: true)
            if let place { writtenPlace = place }
        case .change(let change): return apply(change)
        }
        return true
    }

    private mutating func set(_ text: String, isKept: Bool) {
        bytes = Array(text.utf8)
        checksum = bytes.withUnsafeBufferPointer { CRC32.checksum(of: $0) }
        (changeCount, changesSize, self.isKept) = (0, 0, isKept)
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
        isKept = false
        return true
    }

    /// The shortest sensible record that makes the text `new`.
    func record(of new: String) -> MemoRecord {
        var new = new
        guard new.utf8.count > Self.wholeSize else { return .text(new) }
        return new.withUTF8 { fresh in
            let same = bytes.withUnsafeBufferPointer { CommonEnds(of: $0, and: fresh) }
            let added = fresh[same.prefix..<fresh.count - same.suffix]
            let isSmall =
                changeCount < Self.maximumChangeCount
                && changesSize + added.count <= max(Self.maximumChangesSize, fresh.count) && added.count < fresh.count / 2
            if !isSmall { return .text(String(decoding: fresh, as: UTF8.self)) }
            return .change(
                MemoRecord.Change(
                    at: same.prefix, drop: bytes.count - same.suffix - same.prefix, text: String(decoding: added, as: UTF8.self),
                    base: CRC32.digits(checksum)))
        }
    }
}
