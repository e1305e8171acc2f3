import Foundation
import Glibc
import Outbox
import Synchronization
import System

/// The text of one memo on the disk while the memo is open. If the process is killed at any moment, the next memo finds it.
///
///     let journal = try MemoJournal.create(in: MemoJournal.defaultFolder(), begun: .now, at: place)
///     try journal.record("buy milk")          // on the disk when it returns
///     try journal.keep("buy milk and bread", at: place)  // records the user's decision before it is carried out
///     try delivery.keep(journal.capture, id: journal.id)  // repeats nothing that a killed process has done
///     try journal.remove()
///
/// The file is locked while the memo runs, so that another memo does not take it for abandoned. The journal's id is also that of the
/// operation in the outbox that keeps the text, so that nothing is kept twice.
final class MemoJournal: Sendable {
    private struct State: ~Copyable {
        var file: OpenFile
        var history: MemoHistory
        var sound: String?
        /// Whether the next write must replace the file instead of appending to it: the file is damaged, or a write has failed.
        var mustRewrite: Bool
    }

    let id: UUID
    let begun: Moment
    let path: String
    private let folder: String
    private let calls: FileCalls
    private let state: Mutex<State>

    /// Creates a journal for an open and locked file.
    private init(
        folder: String, id: UUID, moment: Moment, file: consuming OpenFile, history: MemoHistory, calls: FileCalls
    ) {
        self.id = id
        if let beginning = history.beginning {
            let offset = TimeZone(untrustedSecondsFromGMT: beginning.secondsFromGMT)
            begun = Moment(
                date: Date(timeIntervalSince1970: beginning.startedAt),
                timeZone: TimeZone(identifier: beginning.timeZone) ?? offset ?? .gmt)
        } else {
            begun = moment
        }
        self.folder = folder
        path = "\(folder)/\(Self.name(of: id))"
        self.calls = calls
        state = Mutex(
            State(
                file: file, history: history, sound: history.beginning?.sound,
                mustRewrite: history.isTorn || history.isDamaged || history.beginning == nil))
    }

    /// The default folder of the journals: `$XDG_STATE_HOME/utter/memos`.
    static func defaultFolder(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        BaseFolder.state.utter(environment) + "/memos"
    }

    /// Creates a journal without text on the disk.
    static func create(
        in folder: String, id: UUID = .timeOrdered(), begun moment: Moment, at place: MemoPlace, sound: String? = nil,
        calls: FileCalls = .system
    ) throws -> MemoJournal {
        let record = MemoRecord.begin(MemoRecord.Beginning(id: id, moment, place, sound: sound))
        var history = MemoHistory()
        _ = history.apply(record)
        let file = try write([record], to: name(of: id), .new, in: OpenFolder(folder, .own, calls: calls))
        return MemoJournal(folder: folder, id: id, moment: moment, file: file, history: history, calls: calls)
    }

    /// The text that is known to be on the disk.
    var text: String { state.withLock { $0.history.text } }

    /// The memo's place; nil when an older version wrote the journal, or the lines that name the place are damaged.
    var place: MemoPlace? { state.withLock { $0.history.place } }

    /// The absolute path of the memo's sound; nil when it is not saved, or an older version wrote the journal.
    var sound: String? { state.withLock { $0.sound } }

    /// Writes to the disk where the memo's sound is from now on.
    func setSound(_ path: String) throws {
        try state.withLock { state in
            if state.sound == path { return }
            (state.sound, state.mustRewrite) = (path, true)
            try add(Self.whole(state.history), to: &state)
        }
    }

    /// Whether there may be a guess in the text.
    var mayHaveGuess: Bool { state.withLock { $0.history.hasGuess ?? true } }

    /// Whether the user has decided to keep the memo.
    var isKept: Bool { state.withLock { $0.history.isKept } }

    /// The text with the time of the memo, for a delivery.
    var capture: CapturedText { CapturedText(text: text, capturedAt: begun.date, timeZone: begun.timeZone) }

    /// Writes the memo's text to the disk. If this throws, the text recorded before is still there, and the next call tries again.
    func record(_ text: String, hasGuess: Bool = false) throws {
        try state.withLock { state in
            let history = state.history
            if history.holds(text), history.hasGuess == hasGuess, !history.isKept, !state.mustRewrite { return }
            try add(history.record(of: text, hasGuess: hasGuess), to: &state)
        }
    }

    /// Writes the memo's text to the disk, with the user's decision to keep it at `place`.
    func keep(_ text: String, at place: MemoPlace) throws {
        try state.withLock { try add(.keep(text, at: place), to: &$0) }
    }

    /// Removes the journal from the disk, when the text is kept elsewhere or not wanted.
    func remove() throws {
        try OpenFolder(folder, .own, calls: calls).remove(Self.name(of: id))
    }

    private func add(_ record: MemoRecord, to state: inout State) throws {
        var after = state.history
        guard after.apply(record) else { preconditionFailure("a record of another text") }
        let folder = try OpenFolder(folder, .own, calls: calls)
        let name = Self.name(of: id)
        // If the file was removed or replaced, what is appended to it would be lost.
        if try state.file.hasName(name, in: folder), !state.mustRewrite {
            // If the write fails, the end of the file is unknown.
            state.mustRewrite = true
            try state.file.write(record.line())
            try state.file.flush()
        } else {
            state.mustRewrite = true
            let beginning = MemoRecord.Beginning(id: id, begun, after.place, sound: state.sound)
            state.file = try Self.write([.begin(beginning), Self.whole(after)], to: name, .replacing, in: folder)
        }
        state.mustRewrite = false
        state.history = after
    }

    /// The record of all that a history says of the text.
    private static func whole(_ history: MemoHistory) -> MemoRecord {
        history.isKept
            ? .keep(history.text, at: history.place) : .text(history.text, hasGuess: history.hasGuess)
    }

    /// Writes a whole journal.
    ///
    /// - Returns: the file, open for appending, and locked since before it had its name.
    private static func write(
        _ records: [MemoRecord], to name: String, _ placing: OpenFolder.Placing, in folder: borrowing OpenFolder
    ) throws -> OpenFile {
        let bytes = try records.flatMap { try $0.line() }
        guard let file = try folder.writeAndHold(bytes, to: name, placing) else {
            throw OutboxError("create", path: folder.path(of: name), errno: EEXIST)
        }
        return file
    }

    private static let suffix = ".journal"
    private static func name(of id: UUID) -> String { id.name + suffix }
}

extension MemoJournal {
    /// Finds the journals of processes that have ended, and removes those without text.
    ///
    /// - Returns: the journals that have text, the oldest first, locked so that no other memo offers them: if the user had decided to keep the
    ///   memo, its text may already be in the note. And the paths of those that can't be opened, or in which nothing can be read, which are
    ///   not changed.
    /// - Throws: `OutboxError` when the folder can't be read.
    static func abandoned(
        in folder: String, calls: FileCalls = .system
    ) throws -> (journals: [MemoJournal], unreadable: [String]) {
        var found: (journals: [MemoJournal], unreadable: [String]) = ([], [])
        var status = stat()
        if calls.statusOf(AT_FDCWD, folder, &status) != 0, errno == ENOENT { return found }
        let open = try OpenFolder(folder, .own, calls: calls)
        for name in try open.names(where: { _ in true }) {
            if OpenFolder.isTemporary(name, in: .own) {
                // What can't be removed must not hide a memo.
                try? open.removeIfLitter(name)
            } else if name.hasSuffix(suffix) {
                do {
                    if let journal = try takeOver(name, in: open) { found.journals.append(journal) }
                } catch {
                    found.unreadable.append(open.path(of: name))
                }
            }
        }
        found.journals.sort { ($0.begun.date, $0.path) < ($1.begun.date, $1.path) }
        return found
    }

    /// Locks and reads the journal of an ended process, and removes it if it has no text.
    ///
    /// - Returns: the journal; nil when it belongs to a running memo, is gone, or has no text.
    private static func takeOver(_ name: String, in folder: borrowing OpenFolder) throws -> MemoJournal? {
        guard let file = try OpenFile(name, in: folder, flags: O_RDWR | O_APPEND) else { return nil }
        guard try file.tryLock(), try file.hasName(name, in: folder) else { return nil }
        let history = MemoHistory(journal: try file.readAll())
        guard let id = UUID(uuidString: String(name.dropLast(suffix.count))), Self.name(of: id) == name,
            history.beginning.map({ $0.id == id }) ?? !history.bytes.isEmpty,
            !(history.isDamaged && history.bytes.isEmpty)
        else { throw OutboxError("read", path: file.path, errno: EBADMSG) }
        if history.bytes.isEmpty {
            try folder.remove(name)
            return nil
        }
        // If the first line is damaged, the time of the memo is that in its id, or else that of the last write to the file.
        let written = Double(try file.status().st_mtim.tv_sec)
        let date =
            id.timeInMilliseconds.map { Date(timeIntervalSince1970: Double($0) / 1000) }
            ?? Date(timeIntervalSince1970: written)
        return MemoJournal(
            folder: folder.path, id: id, moment: Moment(date: date), file: file, history: history, calls: folder.calls)
    }
}

extension MemoRecord.Beginning {
    fileprivate init(id: UUID, _ moment: Moment, _ place: MemoPlace?, sound: String?) {
        self.init(
            id: id, startedAt: moment.date.timeIntervalSince1970, timeZone: moment.timeZone.identifier,
            secondsFromGMT: moment.timeZone.secondsFromGMT(for: moment.date), to: place?.destinations,
            notes: place?.notes, sound: sound)
    }
}
