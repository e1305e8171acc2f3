import Foundation
import Glibc

/// A folder of Markdown notes, one a day, to which what was said is added: `- 14:22 text ^utter-…` in `2025-03-01.md`.
///
///     let vault = MarkdownVault(folder: "/home/me/notes")
///     try vault.append(.init(id: id, text: "buy milk", capturedAt: .now, timeZone: .current))
///
/// Notes are only ever added to, at their end, so an editor may have them open, and what others wrote stays as it is. The
/// mark at the end is an Obsidian block id made from the operation's id; where it is already, nothing is added.
/// What a killed process or a full disk left half-written is completed.
public struct MarkdownVault: Sendable {
    /// Where the notes are: who chose it decides what is done when it is missing or a link, and who may read it.
    public enum Location: Hashable, Sendable {
        /// Our own place, such as the XDG data folder. It is made with the folders above it; a symbolic link in place of
        /// it is refused. It is for its owner only, and is made so again where somebody has opened it, and so are its notes when
        /// something is added.
        case own(String)
        /// A place that the user named. A link is followed; the folder itself is made, but none above it, since
        /// where that one is missing, a disk is not mounted. Who else may read it is left as it is.
        case named(String)

        public var path: String {
            switch self {
            case .own(let path), .named(let path): path
            }
        }

        package var isNamed: Bool { if case .named = self { true } else { false } }

        /// Where notes are when nobody has named another place: `$XDG_DATA_HOME/utter/notes`
        package static func usual(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> Location {
            .own(BaseFolder.data.utter(environment) + "/notes")
        }
    }

    /// What is to be added.
    public struct Entry: Hashable, Sendable {
        /// The operation's: what has the same id is added once.
        public var id: UUID
        /// One line or several.
        public var text: String
        public var capturedAt: Date
        /// Where it was captured: it decides the day and the time that are written.
        public var timeZone: TimeZone

        public init(id: UUID, text: String, capturedAt: Date, timeZone: TimeZone) {
            self.id = id
            self.text = text
            self.capturedAt = capturedAt
            self.timeZone = timeZone
        }
    }

    public enum Outcome: Hashable, Sendable {
        case appended
        /// The note had its mark.
        case alreadyThere
    }

    public let location: Location
    /// Such as `## Memos`: entries are added under it. Where it isn't the note's last section, it is written again at the
    /// end, for nothing is put between what others wrote.
    public let heading: String?
    public let template: LineTemplate
    let calls: FileCalls

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

    /// The same vault in another place.
    func moved(to location: Location) -> MarkdownVault {
        MarkdownVault(location, heading: heading, template: template, calls: calls)
    }

    /// Makes the folder where it is missing, so that what is wrong with it is known before something is said.
    public func prepare() throws(OutboxError) {
        _ = try openFolder()
    }

    /// The note that an entry belongs to.
    public func notePath(for entry: Entry) -> String { "\(location.path)/\(noteEntry(entry).date).md" }

    /// Adds an entry to its day's note. When this returns it is on the disk.
    ///
    /// Waits up to five seconds while another process adds something to the same note. When it throws, a part of the entry
    /// may be in the note; adding it again completes that part.
    @discardableResult
    public func append(_ entry: Entry) throws(OutboxError) -> Outcome { try append(noteEntry(entry)) }

    @discardableResult
    func append(_ entry: NoteEntry) throws(OutboxError) -> Outcome {
        let name = entry.date + ".md"
        let folder = try openFolder()
        folder.keepPrivate()
        // An editor may put a new file in its place while we write to the old one; then it is added to the new one.
        for _ in 0..<10 {
            let note = try openNote(name, in: folder)
            try note.waitForLock()
            guard try note.hasName(name, in: folder) else { continue }
            let outcome = try add(entry, to: note, name, in: folder)
            if try note.hasName(name, in: folder), try holds(entry, note) {
                try folder.flush()
                return outcome
            }
            // Between taking the old file away and putting the new one there.
            usleep(20_000)
        }
        throw OutboxError(
            .busy, path: folder.path(of: name),
            "can't write \(folder.path(of: name)): another program keeps replacing it; try again when it is done")
    }

    private func add(
        _ entry: NoteEntry, to note: borrowing OpenFile, _ name: String, in folder: borrowing OpenFolder
    ) throws(OutboxError) -> Outcome {
        switch NoteAddition(of: entry, to: try note.readAll()) {
        case .append(let bytes):
            let size = try note.status().st_size
            // A full disk is told before the first byte. Not every file system can; then writing tells.
            if calls.allocate(note.descriptor, size, off_t(bytes.count)) != 0,
                errno == ENOSPC || errno == EDQUOT || errno == EFBIG
            {
                throw OutboxError("write", path: note.path, errno: errno)
            }
            try note.write(bytes)
            try note.flush()
            return .appended
        case .present(let offset):
            // Where flushing it failed, the kernel holds it for written: only what is written anew comes to the disk.
            if let offset, let again = try OpenFile(name, in: folder, flags: O_WRONLY), try note.isSame(as: again) {
                try again.write(entry.bytes.dropLast(), at: offset)
            }
            try note.flush()
            return .alreadyThere
        }
    }

    private func holds(_ entry: NoteEntry, _ note: borrowing OpenFile) throws(OutboxError) -> Bool {
        if case .present = NoteAddition(of: entry, to: try note.readAll()) { true } else { false }
    }

    func openFolder() throws(OutboxError) -> OpenFolder {
        switch location {
        case .own(let path): try OpenFolder(path, .own, calls: calls)
        case .named(let path): try OpenFolder(path, .named, calls: calls)
        }
    }

    private func openNote(_ name: String, in folder: borrowing OpenFolder) throws(OutboxError) -> OpenFile {
        guard let note = try OpenFile(name, in: folder, flags: O_RDWR | O_APPEND | O_CREAT, mode: 0o600) else {
            preconditionFailure("a file that is created is there")
        }
        if try !note.isFile() { throw note.notAFile }
        folder.keepPrivate(note)
        return note
    }

    private func noteEntry(_ entry: Entry) -> NoteEntry {
        NoteEntry(
            id: entry.id, text: entry.text, capturedAt: entry.capturedAt, timeZone: entry.timeZone, template: template,
            heading: heading)
    }
}
