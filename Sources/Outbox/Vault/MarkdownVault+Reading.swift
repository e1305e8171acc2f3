import Foundation
import Glibc
import System

/// Reading the notes, and removing entries from them.
extension MarkdownVault {
    /// The days that have a note, such as `2025-03-01`, the last first. A missing folder has none, and is not created.
    ///
    /// - Throws: `OutboxError` when the folder can't be read.
    package func days() throws(OutboxError) -> [String] {
        guard let folder = try folderIfThere() else { return [] }
        var days: [String] = []
        let code = calls.nameBytes(folder.descriptor) { bytes, isFile in
            if isFile, let name = String(validating: bytes, as: UTF8.self), let day = Self.day(ofNote: name) {
                days.append(day)
            }
            return true
        }
        if code != 0 { throw OutboxError("read", path: folder.path, errno: errno) }
        return days.sorted(by: >)
    }

    /// The entries that utter has added to a day's note; nil when there is no such note.
    ///
    /// - Throws: `OutboxError` when the note can't be read.
    package func entries(of day: String) throws(OutboxError) -> NoteEntries? {
        guard let folder = try folderIfThere(), let note = try OpenFile(day + ".md", in: folder, flags: O_RDONLY) else {
            return nil
        }
        return NoteEntries(of: try note.readAll(), day: day, template: template)
    }

    /// The path of a day's note, which need not exist.
    package func notePath(of day: String) -> String { "\(location.path)/\(day).md" }

    /// Removes an entry from its note, unless it was changed. When this returns, it is gone from the disk. A killed process
    /// leaves the note either as it was or without the entry.
    ///
    /// - Returns: false when the note no longer has the entry, or the entry was changed.
    /// - Throws: `OutboxError` when the note can't be read or written, with the code `busy` when another program holds it.
    package func remove(_ entry: NoteEntries.Entry) throws(OutboxError) -> Bool { try replace(entry, by: []) }

    /// An entry as it is written with another text, under the same mark.
    package func bytes(of entry: NoteEntries.Entry, with text: String) -> [UInt8] {
        NoteEntry(id: entry.id, text: text, date: entry.day, time: entry.time ?? "", template: template, heading: nil)
            .bytes
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
            guard let note = try OpenFile(name, in: folder, flags: O_RDWR) else { return false }
            try note.waitForLock()
            guard try note.hasName(name, in: folder) else { continue }
            let before = try note.status()
            var bytes = try note.readAll()
            let now = NoteEntries(of: bytes, day: entry.day, template: template).entries.last { $0.id == entry.id }
            guard let now, now.bytes == entry.bytes else { return false }
            bytes.replaceSubrange(now.range, with: replacement)
            let temporary = OpenFolder.temporaryName()
            guard let new = try folder.create(temporary) else { continue }
            do throws(OutboxError) {
                // The new file gets the permissions of the old one.
                if calls.setMode(new.descriptor, try note.status().st_mode & 0o7777) != 0 {
                    throw OutboxError("write", path: note.path, errno: errno)
                }
                try new.write(bytes)
                try new.flush()
                // Another program may write without a lock.
                if try note.hasName(name, in: folder), try note.status().isUnchanged(since: before),
                    try folder.give(name, to: temporary, .replacing) == .given
                {
                    try folder.flush()
                    return true
                }
            } catch {
                _ = calls.unlink(folder.descriptor, temporary)
                throw error
            }
            _ = calls.unlink(folder.descriptor, temporary)
        }
        throw OutboxError(
            .busy, path: folder.path(of: name),
            "can't write \(folder.path(of: name)): another program keeps replacing it; try again when it is done")
    }

    /// Adds lines to a day's note that were removed from it, with the same mark.
    ///
    /// - Throws: `OutboxError` when the note can't be written.
    @discardableResult
    package func putBack(_ lines: UndoneEntry) throws(OutboxError) -> Outcome {
        try append(NoteEntry(of: lines, heading: heading))
    }

    private func folderIfThere() throws(OutboxError) -> OpenFolder? {
        var status = stat()
        // A named folder may be a link.
        if stat(location.path, &status) != 0, errno == ENOENT { return nil }
        return try openFolder()
    }

    /// The day of a note's file name: `2025-03-01` of `2025-03-01.md`; nil when it is not that of a note.
    private static func day(ofNote name: String) -> String? {
        guard name.hasSuffix(".md") else { return nil }
        let day = name.dropLast(3)
        let parts = day.split(separator: "-", omittingEmptySubsequences: false)
        let isDay =
            parts.map(\.utf8.count) == [4, 2, 2]
            && parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        return isDay ? String(day) : nil
    }
}

extension stat {
    /// Whether a file has the size and the time of its last change that it had then.
    fileprivate func isUnchanged(since other: stat) -> Bool {
        st_size == other.st_size && st_mtim.tv_sec == other.st_mtim.tv_sec && st_mtim.tv_nsec == other.st_mtim.tv_nsec
    }
}
