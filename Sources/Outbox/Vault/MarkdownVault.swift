import Foundation
import Glibc
import System

/// A folder of Markdown notes, one a day, to which captures are added: `- 14:22 text ^utter-…` in `2025-03-01.md`.
///
///     let vault = MarkdownVault(folder: "/home/me/notes")
///     try vault.append(.init(id: id, text: "buy milk", capturedAt: .now, timeZone: .current))
///
/// Entries are added only at the end of a note, so an editor may have it open, and text from elsewhere stays as it is. The mark
/// at an entry's end is an Obsidian block id that holds the operation's id; a note that has the mark gets no second entry. An
/// entry that a killed process or a full disk left half-written is completed.
public struct MarkdownVault: Sendable {
    /// The folder of the notes, and who chose it, which decides what happens when it is missing or a symbolic link.
    public enum Location: Hashable, Sendable {
        /// A folder of utter's own, such as one in the XDG data folder. It is created with the folders above it; a symbolic link
        /// in its place is refused. The folder, and each note that is added to, is made readable by its owner only.
        case own(String)
        /// A folder that the user named. A symbolic link is followed. The folder itself is created, but none above it, for if
        /// that one is missing, probably a disk is not mounted. Permissions are left as they are.
        case named(String)

        /// The folder's path.
        public var path: String {
            switch self {
            case .own(let path), .named(let path): path
            }
        }

        package var isNamed: Bool { if case .named = self { true } else { false } }

        /// The folder of the notes when the user has named no other: `$XDG_DATA_HOME/utter/notes`.
        package static func usual(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> Location {
            .own(BaseFolder.data.utter(environment) + "/notes")
        }
    }

    /// A text to add to the note of its day.
    public struct Entry: Hashable, Sendable {
        /// The operation's id. Entries with the same id are added once.
        public var id: UUID
        /// The text, of one line or several.
        public var text: String
        /// When the text was said or typed.
        public var capturedAt: Date
        /// The time zone of the day and the time that are written.
        public var timeZone: TimeZone

        /// Creates an entry.
        ///
        /// - Parameters:
        ///   - id: the operation's id.
        ///   - text: the text, of one line or several.
        ///   - capturedAt: when the text was said or typed.
        ///   - timeZone: the time zone of the day and the time that are written.
        public init(id: UUID, text: String, capturedAt: Date, timeZone: TimeZone) {
            self.id = id
            self.text = text
            self.capturedAt = capturedAt
            self.timeZone = timeZone
        }
    }

    /// The outcome of adding an entry.
    public enum Outcome: Hashable, Sendable {
        /// The entry was added or completed.
        case appended
        /// The note has the entry already.
        case alreadyThere
    }

    /// The folder of the notes.
    public let location: Location
    /// The heading under which entries are added, such as `## Memos`; nil for none. If it isn't the last section of a note, it is
    /// written again at the end, since nothing is added in the middle.
    public let heading: String?
    /// The form of an entry's line.
    public let template: LineTemplate
    let calls: FileCalls

    /// Creates a vault. Its folder is created when it is first used.
    ///
    /// - Parameters:
    ///   - location: the folder of the notes.
    ///   - heading: the heading under which entries are added; nil for none.
    ///   - template: the form of an entry's line.
    public init(_ location: Location, heading: String? = nil, template: LineTemplate = .standard) {
        self.init(location, heading: heading, template: template, calls: .system)
    }

    package init(
        _ location: Location, heading: String? = nil, template: LineTemplate = .standard, calls: FileCalls
    ) {
        self.location = location
        self.heading = heading
        self.template = template
        self.calls = calls
    }

    /// A heading as it stands in a note: `## Memos` for `Memos` and `## Memos`, and `## #memos` for the tag `#memos`, which is no
    /// heading by itself.
    package static func headingLine(_ heading: String) -> String? {
        let title = heading.split(whereSeparator: \.isNewline).first?.trimmingCharacters(in: .whitespaces)
        return title.map { $0.firstMatch(of: /^#{1,6}( |$)/) != nil ? $0 : "## " + $0 }
    }

    /// A vault with this one's heading and template in another folder.
    func moved(to location: Location) -> MarkdownVault {
        MarkdownVault(location, heading: heading, template: template, calls: calls)
    }

    /// Opens the folder, and creates it if it is missing, so that a fault shows before anything is said.
    ///
    /// - Throws: `OutboxError` when the folder can't be opened or created.
    public func prepare() throws(OutboxError) {
        let folder = try openFolder()
        // What a killed process has left is a copy of a note.
        try? folder.removeLitter()
    }

    /// The path of the note that an entry belongs to.
    public func notePath(for entry: Entry) -> String { "\(location.path)/\(noteEntry(entry).date).md" }

    /// Adds an entry to the note of its day. When this returns, it is on the disk.
    ///
    /// Waits up to five seconds while another process adds an entry to the same note. If this throws, a part of the entry may be
    /// in the note; adding the entry again completes it.
    ///
    /// - Throws: `OutboxError` when the note can't be written, with the code `busy` when another program holds or replaces it.
    @discardableResult
    public func append(_ entry: Entry) throws(OutboxError) -> Outcome { try append(noteEntry(entry)) }

    @discardableResult
    func append(_ entry: NoteEntry) throws(OutboxError) -> Outcome {
        let name = entry.date + ".md"
        let folder = try openFolder()
        folder.keepPrivate()
        try mend(entry.date, in: folder)
        // An editor may replace the file while we write to the old one; then the entry is added to the new one.
        for _ in 0..<10 {
            let note = try openNote(name, in: folder)
            try note.waitForLock()
            guard try note.hasName(name, in: folder) else { continue }
            let outcome = try add(entry, to: note, name, in: folder)
            if try note.hasName(name, in: folder), try holds(entry, note) {
                try folder.flush()
                return outcome
            }
            // An editor may be about to create the new file.
            usleep(20_000)
        }
        throw keepsBeingReplaced(folder.path(of: name))
    }

    func keepsBeingReplaced(_ path: String) -> OutboxError {
        OutboxError(
            .busy, path: path, "can't write \(path): another program keeps replacing it; try again when it is done")
    }

    private func add(
        _ entry: NoteEntry, to note: borrowing OpenFile, _ name: String, in folder: borrowing OpenFolder
    ) throws(OutboxError) -> Outcome {
        switch NoteAddition(of: entry, to: try note.readAll()) {
        case .append(let bytes):
            try reserve(bytes.count, in: note)
            try note.write(bytes)
            try note.flush()
            return .appended
        case .present(let offset):
            // If flushing the entry failed, the kernel takes it for written; only writing it again brings it to the disk.
            if let offset, let again = try OpenFile(name, in: folder, flags: O_WRONLY), try note.isSame(as: again) {
                try again.write(entry.bytes.dropLast(), at: offset)
            }
            try note.flush()
            return .alreadyThere
        }
    }

    /// Reserves room behind a note's end. So a full disk is found before the first byte is written; on file systems that can't reserve
    /// space, by writing.
    func reserve(_ count: Int, in note: borrowing OpenFile) throws(OutboxError) {
        guard count > 0 else { return }
        if calls.allocate(note.descriptor, try note.status().st_size, off_t(count)) != 0,
            errno == ENOSPC || errno == EDQUOT || errno == EFBIG
        {
            throw OutboxError("write", path: note.path, errno: errno)
        }
    }

    private func holds(_ entry: NoteEntry, _ note: borrowing OpenFile) throws(OutboxError) -> Bool {
        if case .present = NoteAddition(of: entry, to: try note.readAll()) { true } else { false }
    }

    func openFolder() throws(OutboxError) -> OpenFolder {
        try OpenFolder(location.path, location.isNamed ? .named : .own, calls: calls)
    }

    private func openNote(_ name: String, in folder: borrowing OpenFolder) throws(OutboxError) -> OpenFile {
        guard let note = try OpenFile(name, in: folder, flags: O_RDWR | O_APPEND | O_CREAT, mode: 0o600) else {
            preconditionFailure("a file that is created is there")
        }
        if try !note.isFile() { throw note.notAFile }
        folder.keepPrivate(note)
        return note
    }

    func noteEntry(_ entry: Entry) -> NoteEntry {
        NoteEntry(
            id: entry.id, text: entry.text, capturedAt: entry.capturedAt, timeZone: entry.timeZone, template: template,
            heading: heading)
    }
}
