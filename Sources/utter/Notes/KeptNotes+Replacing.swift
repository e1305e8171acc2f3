import Foundation
import Outbox

/// The replacement of a memo's text by `utter notes again`, and its undo and redo.
extension KeptNotes {
    func replace(_ entry: NoteEntries.Entry, with text: String) throws {
        let path = vault.notePath(of: entry.day)
        guard let note = try vault.entries(of: entry.day), note.isAsWritten(entry) else {
            throw CommandError(
                "the memo in \(path) is not as memos are written any more; utter notes edit opens it", .dataError)
        }
        let new = vault.bytes(of: entry, with: text)
        // Keep the old text first: if the process is killed before the replacement, the note is unchanged.
        try UndoneEntries(environment).keep(UndoneEntry(entry, folder: vault.location.absolutePath, replacedBy: new))
        guard try vault.replace(entry, by: new) else {
            throw CommandError("the memo in \(path) has just been changed; look at it and try again", .tempFail)
        }
        try tellChanged("replaced in", entry.day, entry.id)
        Console.tell("to have the old text back: utter notes undo")
    }

    /// Prints what was done, and the memo as it is now.
    ///
    /// - Parameters:
    ///   - what: the words before the note's path, such as `replaced in`.
    ///   - day: the day of the note.
    ///   - id: the memo's id.
    ///   - writesJSON: whether to print the memo as a JSON object, and nothing else.
    private func tellChanged(_ what: String, _ day: String, _ id: UUID, writesJSON: Bool = false) throws {
        let entry = try vault.entries(of: day)?.entries.last { $0.id == id }
        if writesJSON { return try write(entry.map(json) ?? "") }
        try write("\(what) \(vault.notePath(of: day)):\n" + (entry.map(Self.line) ?? ""))
    }

    /// Restores the text that `again` replaced, if it did so after the last memo was kept, and the new text is still in the note.
    ///
    /// - Parameters:
    ///   - last: the last memo.
    ///   - writesJSON: whether to print the memo as a JSON object, and nothing else.
    /// - Returns: whether a text was restored.
    func undoReplacement(after last: NoteEntries.Entry, writesJSON: Bool) throws -> Bool {
        let undone = UndoneEntries(environment)
        guard
            let (name, change) = try undone.last(where: { $0.canBeUndone && vault.location.isFolder($0.folder) }),
            (UndoneEntries.time(of: name) ?? 0) > (last.id.timeInMilliseconds ?? 0)
        else { return false }
        guard try swap(change) else {
            // The user means the last memo, or a change that can't be taken back.
            if change.id == last.id { return false }
            throw changed(change)
        }
        try undone.forget(name)
        try undone.keep(change.reversed)
        try tellChanged("the old text is back in", change.day, change.id, writesJSON: writesJSON)
        if !writesJSON { Console.tell("to have the new one again: utter notes redo") }
        return true
    }

    /// Repeats a replacement that undo reverted.
    func redoReplacement(_ change: UndoneEntry, _ name: String) throws {
        guard try swap(change) else { throw changed(change) }
        try UndoneEntries(environment).forget(name)
        try UndoneEntries(environment).keep(change.reversed)
        try tellChanged("replaced again in", change.day, change.id)
    }

    /// The error when a memo whose text was replaced has other lines now.
    private func changed(_ change: UndoneEntry) -> CommandError {
        CommandError(
            "the memo in \(vault.notePath(of: change.day)) that utter notes again replaced was changed after that; utter notes edit opens it",
            .dataError)
    }

    /// Puts the kept lines of a change back into the note, in place of those that replaced them.
    ///
    /// - Returns: false when the note no longer has the lines that replaced them.
    private func swap(_ change: UndoneEntry) throws -> Bool {
        guard let entry = try vault.entries(of: change.day)?.entries.last(where: { $0.id == change.id }),
            change.isReplaced(in: entry)
        else {
            return false
        }
        return try vault.replace(entry, by: change.bytes)
    }
}
