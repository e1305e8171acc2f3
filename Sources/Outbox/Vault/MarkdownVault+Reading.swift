import Foundation
import Glibc
import System

/// Reading the notes.
extension MarkdownVault {
    /// The days that have a note, such as `2025-03-01`, the last first. A missing folder has none, and is not created. What has the name of a
    /// note and is no file, as a symbolic link, counts: that it can't be read is to be told.
    ///
    /// - Throws: `OutboxError` when the folder can't be read.
    package func days() throws(OutboxError) -> [String] {
        guard let folder = try folderIfThere() else { return [] }
        var days: [String] = []
        let code = calls.nameBytes(folder.descriptor) { bytes, _ in
            if let name = String(validating: bytes, as: UTF8.self), let day = Self.day(ofNote: name) {
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
        guard let folder = try folderIfThere() else { return nil }
        try mend(day, in: folder)
        guard let note = try OpenFile(day + ".md", in: folder, flags: O_RDONLY) else { return nil }
        return NoteEntries(of: try note.readAll(), day: day, template: template)
    }

    /// The path of a day's note, which need not exist.
    package func notePath(of day: String) -> String { "\(location.path)/\(day).md" }

    func folderIfThere() throws(OutboxError) -> OpenFolder? {
        // A named folder may be a link.
        if stat(location.path) == nil, errno == ENOENT { return nil }
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
