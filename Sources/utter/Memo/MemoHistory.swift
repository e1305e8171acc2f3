import Foundation

/// What the lines of a memo's journal come to. Pure.
struct MemoHistory: Equatable {
    private(set) var beginning: MemoRecord.Beginning?
    private(set) var text = ""
    private(set) var isKept = false
    /// The last line is not whole, as after a kill: nothing must be added behind it.
    private(set) var isTorn = false
    /// A line before the last could not be read, or is of a kind that only newer versions know.
    private(set) var isDamaged = false
    /// How many bytes changes take since the text last stood there whole.
    private var changesSize = 0

    /// Text up to so many bytes is written whole each time.
    private static let wholeSize = 4096
    private static let maximumChangesSize = 1 << 16

    init() {}

    init(journal bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // After the last newline nothing is to come.
        for line in lines.dropLast() {
            if let record = MemoRecord(line: line), let after = applying(record) { self = after } else { isDamaged = true }
        }
        if let last = lines.last, !last.isEmpty {
            // Only its newline may be missing.
            if let record = MemoRecord(line: last), let after = applying(record) { self = after }
            isTorn = true
        }
    }

    /// What it is after one more record; nil when the record changes another text than this one.
    func applying(_ record: MemoRecord) -> MemoHistory? {
        var result = self
        switch record {
        case .begin(let beginning):
            result.beginning = beginning
        case .text(let text):
            (result.text, result.changesSize, result.isKept) = (text, 0, false)
        case .keep(let text):
            (result.text, result.changesSize, result.isKept) = (text, 0, true)
        case .change(let change):
            var bytes = Array(text.utf8)
            guard CRC32.digits(of: bytes) == change.base, change.at >= 0, change.drop >= 0,
                change.at <= bytes.count, change.drop <= bytes.count - change.at
            else { return nil }
            bytes.replaceSubrange(change.at..<change.at + change.drop, with: change.text.utf8)
            guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
            (result.text, result.isKept) = (text, false)
            result.changesSize += change.text.utf8.count + 100
        }
        return result
    }

    /// The shortest sensible record that makes the text `new`.
    func record(of new: String) -> MemoRecord {
        guard new.utf8.count > Self.wholeSize else { return .text(new) }
        // Whole characters, so that what is replaced and what replaces it are valid text.
        let (old, fresh) = (Array(text.unicodeScalars), Array(new.unicodeScalars))
        var prefix = 0
        while prefix < min(old.count, fresh.count), old[prefix] == fresh[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < min(old.count, fresh.count) - prefix, old[old.count - 1 - suffix] == fresh[fresh.count - 1 - suffix] {
            suffix += 1
        }
        func size(_ scalars: ArraySlice<Unicode.Scalar>) -> Int { scalars.reduce(0) { $0 + UTF8.width($1) } }
        var inserted = String.UnicodeScalarView()
        inserted.append(contentsOf: fresh[prefix..<fresh.count - suffix])
        let change = MemoRecord.Change(
            at: size(old[..<prefix]), drop: size(old[prefix..<old.count - suffix]), text: String(inserted),
            base: CRC32.digits(of: text.utf8))
        let isSmall = changesSize + change.text.utf8.count <= Self.maximumChangesSize
        return isSmall && change.text.utf8.count < new.utf8.count / 2 ? .change(change) : .text(new)
    }
}
