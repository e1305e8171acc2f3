import Foundation
import Glibc

/// An entry that was removed from a note, with everything that is needed to add it again.
package struct UndoneEntry: Hashable, Sendable {
    /// The absolute path of the notes' folder.
    package var folder: String
    /// The day of the note: `2025-03-01`.
    package var day: String
    let id: UUID
    /// The entry's lines, with the mark and the newline at the end.
    let lines: String

    package init(_ entry: NoteEntries.Entry, folder: String) {
        (self.folder, day, id, lines) = (folder, entry.day, entry.id, String(decoding: entry.bytes, as: UTF8.self))
    }

    fileprivate var json: [UInt8] {
        let object = JSONObject([
            .init(key: "folder", value: .string(folder)), .init(key: "day", value: .string(day)), .init(key: "id", value: .string(id.name)),
            .init(key: "lines", value: .string(lines)),
        ])
        return Array(JSONValue.object(object).text.utf8) + [UInt8(ascii: "\n")]
    }

    fileprivate init?(json: [UInt8]) {
        guard let fields = (try? JSONParser.parse(json))?.object, let folder = fields["folder"]?.string, let day = fields["day"]?.string,
            let id = fields["id"]?.string.flatMap(UUID.init(uuidString:)), let lines = fields["lines"]?.string
        else { return nil }
        (self.folder, self.day, self.id, self.lines) = (folder, day, id, lines)
    }
}

extension NoteEntry {
    init(of undone: UndoneEntry, heading: String?) {
        let entry = NoteEntry(id: undone.id, text: "", date: undone.day, time: "", template: .standard, heading: heading)
        let bytes = Array(undone.lines.utf8)
        // A text offset of all bytes: the entry is added or found as a whole, never completed.
        self.init(date: undone.day, heading: entry.heading, bytes: bytes, textOffset: bytes.count, mark: entry.mark)
    }
}

/// The last ten entries that were removed from notes, each in a file that only its owner may read.
package struct UndoneEntries: Sendable {
    private let folder: String
    private static let mostCount = 10
    private static let suffix = ".json"

    /// Creates the list in the folder `$XDG_STATE_HOME/utter/undone`.
    package init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        folder = BaseFolder.state.utter(environment) + "/undone"
    }

    /// Adds an entry, and removes the oldest of more than ten. When this returns, it is on the disk.
    ///
    /// - Throws: `OutboxError` when the entry can't be written.
    package func keep(_ entry: UndoneEntry) throws(OutboxError) {
        let opened = try OpenFolder(folder, .own)
        _ = try opened.write(entry.json, to: UUID.timeOrdered().name + Self.suffix, .new)
        for name in try names(in: opened).dropFirst(Self.mostCount) { try opened.remove(name) }
    }

    /// The entry that was added last, and its name; nil when there is none.
    ///
    /// - Throws: `OutboxError` when the folder or a file can't be read.
    package func last() throws(OutboxError) -> (name: String, entry: UndoneEntry)? {
        let opened = try OpenFolder(folder, .own)
        for name in try names(in: opened) {
            guard let file = try OpenFile(name, in: opened, flags: O_RDONLY) else { continue }
            if let entry = UndoneEntry(json: try file.readAll()) { return (name, entry) }
        }
        return nil
    }

    /// Removes the entry with this name.
    ///
    /// - Throws: `OutboxError` when the file can't be removed.
    package func forget(_ name: String) throws(OutboxError) { try OpenFolder(folder, .own).remove(name) }

    /// The names of the files, the newest first.
    private func names(in folder: borrowing OpenFolder) throws(OutboxError) -> [String] {
        var names: [String] = []
        let code = folder.calls.names(folder.descriptor) { name in
            if name.hasSuffix(Self.suffix), UUID(uuidString: String(name.dropLast(Self.suffix.count))) != nil { names.append(name) }
            return true
        }
        if code != 0 { throw OutboxError("read", path: folder.path, errno: errno) }
        return names.sorted(by: >)
    }
}
