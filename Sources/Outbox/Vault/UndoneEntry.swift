import Foundation
import Glibc
import System

/// Lines that were removed from a note, or replaced there, with everything that is needed to put them back.
package struct UndoneEntry: Hashable, Sendable {
    /// The absolute path of the notes' folder.
    package var folder: String
    /// The day of the note: `2025-03-01`.
    package var day: String
    package let id: UUID
    /// The entry's lines, with the mark and the newline at the end.
    let lines: String
    /// How often the note had these lines when they were taken out, for a line may be copied.
    let count: Int
    /// The lines that replaced them, with the mark and the newline; nil when they were removed.
    let replacement: String?
    /// Whether what stands there was put back by undo, so that these lines are for redo.
    let isUndone: Bool
    /// Whether redo has put these lines back. They are kept on, for an editor may replace the note by an older copy without them.
    private(set) var wasPutBack = false
}

extension UndoneEntry {
    /// Lines that are taken out.
    ///
    /// - Parameters:
    ///   - entry: the entry with these lines.
    ///   - folder: the absolute path of the notes' folder.
    ///   - note: the note in which they stand.
    ///   - replacement: the lines that replace them; nil when they are removed.
    package init(
        _ entry: NoteEntries.Entry, folder: String, in note: NoteEntries, replacedBy replacement: [UInt8]? = nil
    ) {
        self.init(
            folder: folder, day: entry.day, id: entry.id, lines: String(decoding: entry.bytes, as: UTF8.self),
            count: note.count(of: entry.bytes), replacement: replacement.map { String(decoding: $0, as: UTF8.self) },
            isUndone: false)
    }

    /// Whether others stand in the place of these lines.
    package var isReplaced: Bool { replacement != nil }
    /// Whether undo puts these lines back.
    package var canBeUndone: Bool { isReplaced && !isUndone }
    /// Whether redo does.
    package var canBeRedone: Bool { !isReplaced || isUndone }
    package var bytes: [UInt8] { Array(lines.utf8) }

    /// Whether a note lacks these lines. Those that redo has put back may have been edited since; so they are missing where nothing has
    /// their mark.
    package func isMissing(in note: NoteEntries?) -> Bool {
        guard let note else { return !wasPutBack }
        return wasPutBack ? !note.entries.contains { $0.id == id } : note.count(of: bytes) < count
    }

    /// The entry in a note that is what these lines were replaced by.
    package func replacing(in note: NoteEntries?) -> NoteEntries.Entry? {
        replacement.flatMap { note?.last(Array($0.utf8)) }
    }

    /// What takes back that these lines are put back into a note.
    package func reversed(in note: NoteEntries) -> UndoneEntry {
        let other = replacement ?? ""
        return UndoneEntry(
            folder: folder, day: day, id: id, lines: other, count: note.count(of: Array(other.utf8)),
            replacement: lines,
            isUndone: !isUndone)
    }

    /// These lines as they are kept when redo has put them back.
    fileprivate var putBack: UndoneEntry {
        var entry = self
        entry.wasPutBack = true
        return entry
    }

    fileprivate var json: [UInt8] {
        let object = JSONValue.object([
            "folder": folder, "day": day, "id": id.name, "lines": lines, "count": count, "replacement": replacement,
            "undone": replacement.map { _ in isUndone }, "putBack": wasPutBack ? true : nil,
        ])
        return Array((object.text + "\n").utf8)
    }

    fileprivate init?(json: [UInt8]) {
        guard let fields = (try? JSONParser.parse(json))?.object, let folder = fields["folder"]?.string,
            let day = fields["day"]?.string,
            let id = fields["id"]?.string.flatMap(UUID.init(uuidString:)), let lines = fields["lines"]?.string
        else { return nil }
        self.init(
            folder: folder, day: day, id: id, lines: lines, count: fields["count"]?.integer ?? 1,
            replacement: fields["replacement"]?.string, isUndone: fields["undone"]?.bool ?? false,
            wasPutBack: fields["putBack"]?.bool ?? false)
    }
}

extension NoteEntry {
    /// Lines that are put back under a heading, and are so often in the note then.
    init(of undone: UndoneEntry, heading: String?, count: Int) {
        let entry = NoteEntry(
            id: undone.id, text: "", date: undone.day, time: "", template: .standard, heading: heading)
        let bytes = Array(undone.lines.utf8)
        // A text offset of all bytes: the entry is added or found as a whole, never completed.
        self.init(
            date: undone.day, heading: entry.heading, bytes: bytes, textOffset: bytes.count, mark: entry.mark,
            count: count)
    }
}

/// The entries that were removed from notes, each in a file that only its owner may read. Those of the last thirty days stay, up to a
/// thousand, and the last ten however old they are.
package struct UndoneEntries: Sendable {
    /// An entry that is kept.
    package struct Kept: Sendable {
        /// Its file's name.
        package let name: String
        /// When it was kept or put back, in milliseconds since 1970.
        package let time: Int64
        package let entry: UndoneEntry
    }

    private let folder: String
    private static let leastCount = 10
    private static let mostCount = 1000
    private static let longestAge: Int64 = 30 * 86_400_000
    private static let suffix = ".json"

    /// Creates the list in the default folder.
    package init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        folder = Self.defaultFolder(environment)
    }

    /// The folder `$XDG_STATE_HOME/utter/undone`.
    package static func defaultFolder(_ environment: [String: String]) -> String {
        BaseFolder.state.utter(environment) + "/undone"
    }

    /// Adds an entry, and removes those that nobody needs any more. When this returns, it is on the disk.
    ///
    /// - Returns: the name under which it is kept.
    /// - Throws: `OutboxError` when the entry can't be written.
    @discardableResult
    package func keep(_ entry: UndoneEntry) throws(OutboxError) -> String {
        let opened = try OpenFolder(folder, .own)
        try opened.removeLitter()
        let names = try names(in: opened)
        // The clock may have gone back; the names are in the order in which the entries were kept all the same.
        let last = names.first.flatMap { UUID(uuidString: String($0.dropLast(Self.suffix.count)))?.timeInMilliseconds }
        let after = Date(timeIntervalSince1970: Double((last ?? 0) + 1) / 1000)
        let name = UUID.timeOrdered(at: max(Date(), after)).name + Self.suffix
        _ = try opened.write(entry.json, to: name, .new)
        for (number, name) in zip(1..., names) where number >= Self.leastCount {
            let isOld = try isOld(name, in: opened)
            if isOld || number >= Self.mostCount { try opened.remove(name) }
        }
        return name
    }

    private func isOld(_ name: String, in folder: borrowing OpenFolder) throws(OutboxError) -> Bool {
        guard let file = try OpenFile(name, in: folder, flags: O_RDONLY) else { return false }
        return try Int64(Date().timeIntervalSince1970 * 1000) - Self.time(of: file) > Self.longestAge
    }

    private static func time(of file: borrowing OpenFile) throws(OutboxError) -> Int64 {
        let time = try file.status().st_mtim
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The entry that was kept last of those that are wanted; nil when there is none.
    ///
    /// - Parameter isWanted: whether an entry is wanted that was kept, or put back, at a time.
    /// - Throws: `OutboxError` when the folder or a file can't be read.
    package func last(
        where isWanted: (UndoneEntry, _ time: Int64) throws(OutboxError) -> Bool = { _, _ in true }
    ) throws(OutboxError) -> Kept? {
        let opened = try OpenFolder(folder, .own)
        for name in try names(in: opened) {
            guard let file = try OpenFile(name, in: opened, flags: O_RDONLY) else { continue }
            let time = try Self.time(of: file)
            if let entry = UndoneEntry(json: try file.readAll()), try isWanted(entry, time) {
                return Kept(name: name, time: time, entry: entry)
            }
        }
        return nil
    }

    /// When redo put a memo back into its note, in milliseconds since 1970; nil when it did not.
    ///
    /// - Parameters:
    ///   - id: the memo's id.
    ///   - isFolder: whether a path is that of the notes' folder.
    /// - Throws: `OutboxError` when the folder or a file can't be read.
    package func timePutBack(_ id: UUID, in isFolder: (String) -> Bool) throws(OutboxError) -> Int64? {
        // The file's time is that of its last writing.
        try last { entry, _ in entry.wasPutBack && entry.id == id && isFolder(entry.folder) }?.time
    }

    /// Writes that redo has put an entry back.
    ///
    /// - Throws: `OutboxError` when that can't be written.
    package func markPutBack(_ kept: Kept) throws(OutboxError) {
        _ = try OpenFolder(folder, .own).write(kept.entry.putBack.json, to: kept.name, .replacing)
    }

    /// Removes the entry with this name.
    ///
    /// - Throws: `OutboxError` when the file can't be removed.
    package func forget(_ name: String) throws(OutboxError) { try OpenFolder(folder, .own).remove(name) }

    /// The names of the files, the newest first.
    private func names(in folder: borrowing OpenFolder) throws(OutboxError) -> [String] {
        let names = try folder.names { name in
            name.hasSuffix(Self.suffix) && UUID(uuidString: String(name.dropLast(Self.suffix.count))) != nil
        }
        return names.sorted(by: >)
    }
}
