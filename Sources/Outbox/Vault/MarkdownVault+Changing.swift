import Foundation
import Glibc
import System

/// Removing entries from the notes, replacing them and putting them back.
///
/// A note is changed in place. So what others add to it is never lost, even by a program that holds it open, and its owner, its
/// permissions and its other names stay.
extension MarkdownVault {
    /// Removes an entry from its note, unless it was changed. When this returns, it is gone from the disk. What a killed process leaves
    /// half-done, the next one mends.
    ///
    /// - Returns: false when the note no longer has the entry, or the entry was changed.
    /// - Throws: `OutboxError` when the note can't be read or written, with the code `busy` when another program holds it.
    package func remove(_ entry: NoteEntries.Entry) throws(OutboxError) -> Bool { try replace(entry, by: []) }

    /// An entry as it is written with another text, under the same mark.
    package func bytes(of entry: NoteEntries.Entry, with text: String) -> [UInt8] {
        NoteEntry(id: entry.id, text: text, date: entry.day, time: entry.time ?? "", template: template, heading: nil)
            .bytes
    }

    /// Replaces an entry that was added with another text, in the same durable way as `remove`.
    ///
    /// - Returns: false when the note does not have the entry with that text.
    /// - Throws: `OutboxError`, as `remove` does.
    func replace(_ text: String, of entry: Entry) throws(OutboxError) -> Bool {
        var earlier = entry
        earlier.text = text
        return try replace(earlier, by: noteEntry(entry).bytes)
    }

    /// Removes an entry as it was added.
    ///
    /// - Returns: false when the note does not have it.
    /// - Throws: `OutboxError`, as the other `remove` does.
    @discardableResult
    func remove(_ entry: Entry) throws(OutboxError) -> Bool { try replace(entry, by: []) }

    private func replace(_ entry: Entry, by replacement: [UInt8]) throws(OutboxError) -> Bool {
        let old = noteEntry(entry)
        guard let found = try entries(of: old.date)?.last(old.bytes) else { return false }
        return try replace(found, by: replacement)
    }

    /// Replaces an entry by other bytes, in the same durable way as `remove`.
    ///
    /// - Returns: false when the note no longer has the entry, or the entry was changed.
    /// - Throws: `OutboxError`, as `remove` does.
    package func replace(_ entry: NoteEntries.Entry, by replacement: [UInt8]) throws(OutboxError) -> Bool {
        let name = entry.day + ".md"
        guard let folder = try folderIfThere() else { return false }
        // What a killed process has left is a copy of the note.
        try? folder.removeLitter()
        // An editor may replace the file meanwhile; then try again.
        for _ in 0..<10 {
            try mend(entry.day, in: folder)
            guard let note = try OpenFile(name, in: folder, flags: O_RDWR) else { return false }
            try note.waitForLock()
            guard try note.hasName(name, in: folder) else { continue }
            let isAlone = note.keepOthersOut()
            let bytes = try note.readAll()
            guard let range = NoteEntries(of: bytes, day: entry.day, template: template).last(entry.bytes)?.range else {
                return false
            }
            if isAlone {
                let rest = bytes[range.upperBound...]
                let change = NoteChange(
                    offset: range.lowerBound, before: entry.bytes + rest, after: replacement + rest)
                try make(change, to: note, of: entry.day, in: folder)
            } else if try !overwrite(entry, at: range.lowerBound, by: replacement, in: note) {
                continue
            }
            if try note.hasName(name, in: folder) { return true }
        }
        throw keepsBeingReplaced(folder.path(of: name))
    }

    /// Makes a change in a note that nobody else has open.
    private func make(
        _ change: NoteChange, to note: borrowing OpenFile, of day: String, in folder: borrowing OpenFolder
    ) throws(OutboxError) {
        let (common, end) = (change.common, change.offset + change.after.count)
        // Cutting off the note's end is never done by half.
        if change.after.isEmpty { return try cut(note, to: end) }
        try reserve(change.after.count - change.before.count, in: note)
        let name = NoteChange.name(of: day)
        let cutOff = NoteChange.all(in: try OpenFile(name, in: folder, flags: O_RDONLY)?.readAll() ?? [])
        _ = try folder.write(NoteChange.file(cutOff + [change]), to: name, .replacing)
        if end > change.offset + common {
            try cut(note, to: end)
        } else {
            try note.write(ArraySlice(repeating: 0, count: change.before.count - common), at: change.offset + common)
            try note.flush()
        }
        try note.write(change.after[..<common], at: change.offset)
        try note.flush()
        try note.write(change.after[common...], at: change.offset + common)
        try cut(note, to: end)
        if cutOff.isEmpty {
            try folder.remove(name)
        } else {
            _ = try folder.write(NoteChange.file(cutOff), to: name, .replacing)
        }
    }

    /// Gives a note a length in bytes, durably.
    private func cut(_ note: borrowing OpenFile, to length: Int) throws(OutboxError) {
        if calls.truncate(note.descriptor, off_t(length)) != 0 {
            throw OutboxError("write", path: note.path, errno: errno)
        }
        try note.flush()
    }

    /// Overwrites an entry without changing the note's length, for somebody who has the note open may add to it at any moment. What is
    /// left of the entry's room becomes a line of spaces.
    ///
    /// - Returns: false when the entry has just been changed.
    private func overwrite(
        _ entry: NoteEntries.Entry, at offset: Int, by replacement: [UInt8], in note: borrowing OpenFile
    ) throws(OutboxError) -> Bool {
        let room = entry.bytes.count - replacement.count
        if room < 0 {
            throw OutboxError(
                .busy, path: note.path,
                "can't write \(note.path): another program has it open; close it there and try again")
        }
        let spaces = [UInt8](repeating: UInt8(ascii: " "), count: max(0, room - 1))
        let blank = room > 0 ? spaces + [UInt8(ascii: "\n")] : []
        guard try note.readAll().dropFirst(offset).prefix(entry.bytes.count) == entry.bytes[...] else { return false }
        try note.write((replacement + blank)[...], at: offset)
        try note.flush()
        return true
    }

    /// Completes the changes that killed processes have left half-done in a day's note, or takes them back.
    func mend(_ day: String, in folder: borrowing OpenFolder) throws(OutboxError) {
        let (name, changeName) = (day + ".md", NoteChange.name(of: day))
        var status = stat()
        guard calls.statusOf(folder.descriptor, changeName, &status) == 0 else { return }
        let isOld = time(nil) - status.st_mtim.tv_sec > Self.mendingAge
        if let note = try OpenFile(name, in: folder, flags: O_RDWR) {
            try note.waitForLock()
            // The process that makes it may have been at work until now.
            guard let file = try OpenFile(changeName, in: folder, flags: O_RDONLY) else { return }
            for change in NoteChange.all(in: try file.readAll()).reversed() {
                guard let bytes = change.mending(try note.readAll()) else { continue }
                try note.write(bytes[...], at: change.offset)
                try note.flush()
            }
        }
        if isOld { try folder.remove(changeName) }
    }

    /// So many seconds what mends a note is kept.
    private static let mendingAge = 86_400

    /// Adds lines that were removed from a day's note at its end, with the same mark, also where other lines have that mark.
    ///
    /// - Throws: `OutboxError` when the note can't be written.
    package func putBack(_ lines: UndoneEntry) throws(OutboxError) {
        let count = try entries(of: lines.day)?.count(of: lines.bytes) ?? 0
        try append(NoteEntry(of: lines, heading: heading, count: count + 1))
    }
}
