import Foundation
import Glibc
import Outbox

/// The notes that the commands of `utter notes` read and change.
struct KeptNotes {
    let environment = ProcessInfo.processInfo.environment
    private(set) var vault: MarkdownVault
    /// The name, in the queue, of the destination that the notes belong to; nil when the folder is that of no destination.
    private let destination: String?
    private var queue: OutboxStore { OutboxStore(folder: OutboxStore.defaultFolder(environment)) }

    /// Finds the notes.
    ///
    /// - Parameter onlyReads: whether destinations that can't be read are no error, because nothing is changed.
    init(_ arguments: ParsedArguments, onlyReads: Bool = false) throws {
        let location = MarkdownVault.Location.chosen(by: arguments, environment)
        let destinations: DestinationConfiguration
        do throws(CommandError) {
            destinations = try Destinations.required(notes: location, environment)
        } catch {
            if !onlyReads { throw error }
            Console.tell("\(error.message); this command reads \(location.path)")
            (destination, vault) = (nil, .plain(location, environment))
            return
        }
        let vaults = destinations.names.compactMap { name in
            (destinations.handlers[name] as? VaultHandler).map { (name, $0.vault) }
        }
        let isTyped =
            arguments[DeliveryOptions.notes].map { [environment] in
                $0 != Settings.readable(environment).values["notes"]?.text
            } ?? false
        let chosen =
            isTyped
            ? vaults.first { $0.1.location.isFolder(location.absolutePath) }
            : vaults.first { $0.0 == DestinationConfiguration.notes } ?? vaults.first
        (destination, vault) = (chosen?.0, chosen?.1 ?? .plain(location, environment))
    }

    /// Prints the note of a day; if there is none, says which is the last before it.
    ///
    /// - Returns: whether there is one.
    func showNote(of day: String, isJSON: Bool) throws -> Bool {
        if let note = try note(of: day) {
            try write(isJSON ? note.entries.map(json).joined() : note.readableText)
            return true
        }
        let words =
            day == Moment.now.day
            ? "nothing was kept today; the last note" : "nothing was kept on \(day); the last note before that"
        let days = try vault.days()
        if let latest = days.first(where: { $0 < day && mayHaveText($0) }) {
            Console.tell("\(words) is of \(latest): utter notes \(latest)")
        } else {
            let first = days.last(where: mayHaveText)
            Console.tell(
                first.map { "nothing was kept on \(day); the first note is of \($0): utter notes \($0)" } ?? noneYet)
        }
        return false
    }

    /// The note of a day; nil when there is none, or nothing in it, as after the undo of its only memo.
    private func note(of day: String) throws -> NoteEntries? {
        let note = try vault.entries(of: day)
        return note?.readableText.isEmpty == false ? note : nil
    }

    /// Whether a day has a note with text, or one that can't be read. A file may have the name of a day that is not in the calendar.
    private func mayHaveText(_ day: String) -> Bool {
        if NoteDay.named(day) == nil { return false }
        do { return try note(of: day) != nil } catch { return true }
    }

    /// Shows the last `count` memos, or says that there is none.
    ///
    /// - Returns: the exit code.
    func showLast(_ count: Int, isJSON: Bool) throws -> ExitCode {
        let (entries, failure) = try lastReadable(count)
        if entries.isEmpty, failure == nil, !isJSON { Console.tell(noneYet) }
        for entry in entries { try write(isJSON ? json(entry) : Self.line(entry)) }
        return failure ?? .ok
    }

    func undo(writesJSON: Bool) throws {
        let entry = try lastOne()
        let path = vault.notePath(of: entry.day)
        try refuseIfLaterWaits(than: entry)
        if try undoReplacement(after: entry, writesJSON: writesJSON) { return }
        guard let note = try vault.entries(of: entry.day), note.isAsWritten(entry) else {
            throw CommandError(
                "the last memo in \(path) is not as memos are written any more; utter notes edit opens it", .dataError)
        }
        // If the process is killed before the removal, the memo is in both places, and redo finds it in the note.
        try UndoneEntries(environment).keep(UndoneEntry(entry, folder: vault.location.absolutePath, in: note))
        guard try vault.remove(entry) else {
            throw CommandError("the last memo in \(path) has just been changed; look at it and try again", .tempFail)
        }
        defer { tellWhereItGoes(entry) }
        try write(
            writesJSON ? json(entry) : "taken out of \(path):\n\(Self.line(entry))", after: "the memo is taken out")
        if writesJSON { return }
        Console.tell("to put it back: utter notes redo")
    }

    /// Says where a memo is still brought from the queue, though it was taken out of its note.
    private func tellWhereItGoes(_ entry: NoteEntries.Entry) {
        let waiting = ((try? queue.operations()) ?? []).filter { $0.id.isOfCapture(of: entry.id) }
        if waiting.isEmpty { return }
        let names = waiting.map { String($0.id.name.suffix(OutboxTable.idLength)) }.joined(separator: " ")
        Console.tell(
            "it is still on its way to \(ValueKind.list(waiting.map(\.destination), word: "and")); to stop that: utter outbox clear \(names)"
        )
    }

    func redo(writesJSON: Bool) throws {
        let undone = UndoneEntries(environment)
        var edited: (notes: KeptNotes, entry: NoteEntries.Entry)?
        let last = try undone.last { entry, _ throws(OutboxError) in
            guard entry.canBeRedone else { return false }
            let notes = holding(entry)
            let note = try notes.vault.entries(of: entry.day)
            guard entry.isMissing(in: note) else { return false }
            if !entry.isReplaced || entry.replacing(in: note) != nil { return true }
            edited = edited ?? note?.entries.last { $0.id == entry.id }.map { (notes, $0) }
            return false
        }
        let reason = "it was changed after undo had brought its old text back"
        if let edited, last == nil {
            throw CommandError("\(edited.notes.named(edited.entry)) stays as it is: \(reason)", .dataError)
        }
        if let edited { edited.notes.tellEdited(edited.entry, reason) }
        guard let last else {
            throw CommandError(
                "there is nothing to put back: no memo that was taken out is missing in its note", .noInput)
        }
        let notes = holding(last.entry)
        if last.entry.isReplaced { return try notes.redoReplacement(last, writesJSON: writesJSON) }
        try notes.vault.putBack(last.entry)
        try undone.markPutBack(last)
        try notes.tellChanged("put back into", last.entry.day, last.entry.bytes, writesJSON: writesJSON)
    }

    /// The notes of the folder from which an entry was taken.
    private func holding(_ entry: UndoneEntry) -> KeptNotes {
        var notes = self
        if !vault.location.isFolder(entry.folder) {
            let usual = MarkdownVault.Location.usual(environment)
            notes.vault = .plain(usual.isFolder(entry.folder) ? usual : .named(entry.folder), environment)
        }
        return notes
    }

    /// Throws if a memo later than this one is still in the queue, for that is what the user means by the last memo.
    func refuseIfLaterWaits(than entry: NoteEntries.Entry) throws {
        guard let destination else { return }
        let waiting = try queue.index().ids.last { id in
            guard (id.timeInMilliseconds ?? 0) > (entry.id.timeInMilliseconds ?? 0),
                let operation = try? queue.operation(id), operation.destination == destination
            else { return false }
            let folder = CapturedText(payload: operation.payload)?.notesFolder
            return folder.map { vault.location.isFolder($0) } ?? true
        }
        guard let waiting else { return }
        throw CommandError(
            "a later memo still waits in the outbox; to throw that away: utter outbox clear \(waiting.name.suffix(OutboxTable.idLength))",
            .tempFail)
    }

    func lastOne() throws -> NoteEntries.Entry {
        guard let entry = try last(1).first else { throw CommandError(noneYet, .noInput) }
        return entry
    }

    private var noneYet: String { "there is no memo in \(vault.location.path) yet; utter memo makes one" }

    /// The last `count` memos that meet a condition, the oldest of them first, in the notes that can be read. Says which can't.
    ///
    /// - Returns: the memos, and the exit code for the first note that can't be read.
    func lastReadable(
        _ count: Int, where isWanted: (NoteEntries.Entry) -> Bool = { _ in true }
    ) throws -> (entries: [NoteEntries.Entry], failure: ExitCode?) {
        var failure: ExitCode?
        let entries = try last(count, where: isWanted) { error in
            let error = CommandError(error)
            Console.tell(error.message)
            failure = failure ?? error.exitCode
        }
        return (entries, failure)
    }

    /// The last `count` memos that meet a condition, the oldest of them first.
    ///
    /// - Parameter pass: called with the error of a note that can't be read, which is passed over unless this throws.
    func last(
        _ count: Int, where isWanted: (NoteEntries.Entry) -> Bool = { _ in true },
        passing pass: (OutboxError) throws -> Void = { throw $0 }
    ) throws -> [NoteEntries.Entry] {
        var found: [NoteEntries.Entry] = []
        for day in try vault.days() {
            var note: NoteEntries?
            do throws(OutboxError) { note = try vault.entries(of: day) } catch { try pass(error) }
            for entry in note?.entries.reversed() ?? [] where isWanted(entry) {
                found.append(entry)
                if found.count == count { return found.reversed() }
            }
        }
        return found.reversed()
    }

    /// A memo as an error or a remark names it: without its words.
    func named(_ entry: NoteEntries.Entry) -> String {
        "the memo of \([entry.day, entry.time].compactMap { $0 }.joined(separator: " "))"
    }

    /// A memo as `2025-03-01 14:22  text`, with further lines indented below the first.
    static func line(_ entry: NoteEntries.Entry) -> String {
        let head = [entry.day, entry.time].compactMap { $0 }.joined(separator: " ") + "  "
        let lines = entry.text.split(separator: "\n", omittingEmptySubsequences: false)
        let indentation = String(repeating: " ", count: head.count)
        let rest = lines.dropFirst().map { $0.isEmpty ? "\n" : indentation + $0 + "\n" }
        return head + (lines.first ?? "") + "\n" + rest.joined()
    }

    func json(_ entry: NoteEntries.Entry) -> String {
        JSONValue.object([
            "id": entry.id.name, "note": vault.notePath(of: entry.day), "day": entry.day, "time": entry.time,
            "text": entry.text,
        ]).json + "\n"
    }

    func write(_ text: String, after change: String? = nil) throws {
        try Output.write(
            isatty(STDOUT_FILENO) != 0 ? TerminalText.visible(text, layout: .tabsAndNewlines) : text, after: change)
    }
}
