import Foundation
import Outbox

/// `utter notes again`.
extension NotesCommand {
    func again() async throws -> ExitCode {
        let entry = try chosenEntry()
        let path = try sound(of: entry)
        let hearing = try HearingAgain(arguments, status: Status(isQuiet: false, isVerbose: false))
        let text = try await hearing.text(of: path)
        if text.isEmpty { throw CommandError("nothing is heard in \(path)", .nothingFound) }
        if arguments.has("replace") { try replace(entry, with: text) } else { try write(text + "\n") }
        return .ok
    }

    private func sound(of entry: NoteEntries.Entry) throws -> String {
        let memo = "the memo of " + [entry.day, entry.time].compactMap { $0 }.joined(separator: " ")
        guard let folder = MemoOptions.soundFolder(arguments) else {
            throw CommandError(
                "nothing says where the sound of \(memo) is: name the folder with --save-audio; to keep that of all memos from now on: "
                    + "utter config set memo-save-audio DIR", .noInput)
        }
        if let path = try MemoSound.find(entry.id, in: folder) { return path }
        throw CommandError(
            "no sound of \(memo) is in \(folder); to keep that of the next: utter memo --save-audio \(ShellWord.quoted(folder))", .noInput)
    }

    private func replace(_ entry: NoteEntries.Entry, with text: String) throws {
        let path = vault.notePath(of: entry.day)
        guard let note = try vault.entries(of: entry.day), note.isAsWritten(entry) else {
            throw CommandError("the memo in \(path) is not as memos are written any more; utter notes edit opens it", .dataError)
        }
        let new = vault.bytes(of: entry, with: text)
        // A kill in between leaves the note as it was.
        try UndoneEntries(environment).keep(UndoneEntry(entry, folder: vault.location.path, replacedBy: new))
        guard try vault.replace(entry, by: new) else {
            throw CommandError("the memo in \(path) has just been changed; look at it and try again", .tempFail)
        }
        try tellChanged("replaced in", entry.day, entry.id)
        Console.tell("to have the old text back: utter notes undo")
    }

    /// - Parameter what: what has been done there.
    private func tellChanged(_ what: String, _ day: String, _ id: UUID) throws {
        let entry = try vault.entries(of: day)?.entries.last { $0.id == id }
        try write("\(what) \(vault.notePath(of: day)):\n" + (entry.map(Self.line) ?? ""))
    }

    /// Brings back the text that `again` has replaced, where that was done after the last memo and stands there still.
    ///
    /// - Returns: whether there was one.
    func undoReplacement(after last: NoteEntries.Entry) throws -> Bool {
        let undone = UndoneEntries(environment)
        guard
            let (name, change) = try undone.last(where: { $0.canBeUndone && $0.folder == vault.location.path }),
            (UndoneEntries.time(of: name) ?? 0) > (last.id.timeInMilliseconds ?? 0), try swap(change)
        else { return false }
        try undone.forget(name)
        try undone.keep(change.reversed)
        try tellChanged("the old text is back in", change.day, change.id)
        Console.tell("to have the new one again: utter notes redo")
        return true
    }

    /// Makes a replacement again that undo has taken back.
    func redoReplacement(_ change: UndoneEntry, _ name: String) throws {
        guard change.folder == vault.location.path, try swap(change) else {
            throw CommandError(
                "the memo in \(vault.notePath(of: change.day)) was changed after that; utter notes edit opens it", .dataError)
        }
        try UndoneEntries(environment).forget(name)
        try UndoneEntries(environment).keep(change.reversed)
        try tellChanged("replaced again in", change.day, change.id)
    }

    /// - Returns: false where the note does not hold what is to be replaced.
    private func swap(_ change: UndoneEntry) throws -> Bool {
        guard let entry = try vault.entries(of: change.day)?.entries.last(where: { $0.id == change.id }), change.isReplaced(in: entry)
        else {
            return false
        }
        return try vault.replace(entry, by: change.bytes)
    }

    /// The one that is named, or the last.
    private func chosenEntry() throws -> NoteEntries.Entry {
        guard let name = arguments.operands.first else {
            let entry = try lastOne()
            try refuseIfLaterWaits(than: entry)
            return entry
        }
        // As its mark has it, too.
        let id = name.lowercased().trimmingPrefix("^").trimmingPrefix("utter-")
        let found = try last(.max) { $0.id.name.hasPrefix(id) || $0.id.name.hasSuffix(id) }
        if found.count > 1 { throw CommandError("\(name) stands for \(found.count) memos; write more of it", .usage) }
        guard let entry = found.first, !id.isEmpty else {
            throw CommandError("there is no memo '\(name)' in \(vault.location.path); utter notes last --json shows their ids", .noInput)
        }
        return entry
    }
}
