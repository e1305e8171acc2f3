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
    /// The lines that replaced them, with the mark and the newline; nil when they were removed.
    let replacement: String?
    /// Whether what stands there was put back by undo, so that these lines are for redo.
    let isUndone: Bool

    /// Lines that are taken out.
    package init(_ entry: NoteEntries.Entry, folder: String) {
        self.init(folder: folder, day: entry.day, id: entry.id, lines: String(decoding: entry.bytes, as: UTF8.self))
    }

    /// Lines that are replaced.
    package init(_ entry: NoteEntries.Entry, folder: String, replacedBy bytes: [UInt8]) {
        self.init(
            folder: folder, day: entry.day, id: entry.id, lines: String(decoding: entry.bytes, as: UTF8.self),
            replacement: String(decoding: bytes, as: UTF8.self))
    }

    private init(
        folder: String, day: String, id: UUID, lines: String, replacement: String? = nil, isUndone: Bool = false
    ) {
        (self.folder, self.day, self.id, self.lines) = (folder, day, id, lines)
        (self.replacement, self.isUndone) = (replacement, isUndone)
    }

    /// Whether others stand in the place of these lines.
    package var isReplaced: Bool { replacement != nil }
    /// Whether undo puts these lines back.
    package var canBeUndone: Bool { isReplaced && !isUndone }
    /// Whether redo does.
    package var canBeRedone: Bool { !isReplaced || isUndone }
    package var bytes: [UInt8] { Array(lines.utf8) }

    /// Whether what stands in the note is what these lines were replaced by.
    package func isReplaced(in entry: NoteEntries.Entry) -> Bool { replacement.map { Array($0.utf8) } == entry.bytes }

    /// What takes back that these lines were put back.
    package var reversed: UndoneEntry {
        UndoneEntry(folder: folder, day: day, id: id, lines: replacement ?? "", replacement: lines, isUndone: !isUndone)
    }

    fileprivate var json: [UInt8] {
        var object = JSONObject([
            .init(key: "folder", value: .string(folder)), .init(key: "day", value: .string(day)),
            .init(key: "id", value: .string(id.name)),
            .init(key: "lines", value: .string(lines)),
        ])
        if let replacement {
            object["replacement"] = .string(replacement)
            object["undone"] = .bool(isUndone)
        }
        return Array(JSONValue.object(object).text.utf8) + [UInt8(ascii: "\n")]
    }

    fileprivate init?(json: [UInt8]) {
        guard let fields = (try? JSONParser.parse(json))?.object, let folder = fields["folder"]?.string,
            let day = fields["day"]?.string,
            let id = fields["id"]?.string.flatMap(UUID.init(uuidString:)), let lines = fields["lines"]?.string
        else { return nil }
        self.init(
            folder: folder, day: day, id: id, lines: lines, replacement: fields["replacement"]?.string,
            isUndone: fields["undone"]?.bool ?? false)
    }
}

extension NoteEntry {
    init(of undone: UndoneEntry, heading: String?) {
        let entry = NoteEntry(
            id: undone.id, text: "", date: undone.day, time: "", template: .standard, heading: heading)
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

    /// Creates the list in the default folder.
    package init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        folder = Self.defaultFolder(environment)
    }

    /// The folder `$XDG_STATE_HOME/utter/undone`.
    package static func defaultFolder(_ environment: [String: String]) -> String {
        BaseFolder.state.utter(environment) + "/undone"
    }

    /// Adds an entry, and removes the oldest of more than ten. When this returns, it is on the disk.
    ///
    /// - Throws: `OutboxError` when the entry can't be written.
    package func keep(_ entry: UndoneEntry) throws(OutboxError) {
        let opened = try OpenFolder(folder, .own)
        try opened.removeLitter()
        _ = try opened.write(entry.json, to: UUID.timeOrdered().name + Self.suffix, .new)
        for name in try names(in: opened).dropFirst(Self.mostCount) { try opened.remove(name) }
    }

    /// The time at which an entry was kept, in milliseconds since 1970.
    package static func time(of name: String) -> Int64? {
        UUID(uuidString: String(name.dropLast(suffix.count)))?.timeInMilliseconds
    }

    /// The entry that was kept last of those that are wanted, and its name; nil when there is none.
    ///
    /// - Throws: `OutboxError` when the folder or a file can't be read.
    package func last(where isWanted: (UndoneEntry) -> Bool = { _ in true }) throws(OutboxError) -> (
        name: String, entry: UndoneEntry
    )? {
        let opened = try OpenFolder(folder, .own)
        for name in try names(in: opened) {
            guard let file = try OpenFile(name, in: opened, flags: O_RDONLY) else { continue }
            if let entry = UndoneEntry(json: try file.readAll()), isWanted(entry) { return (name, entry) }
        }
        return nil
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
