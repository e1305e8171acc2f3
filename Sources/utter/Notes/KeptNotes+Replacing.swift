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
        if new == entry.bytes { return Console.tell("the memo in \(path) has these words already") }
        // Keep the old text first: if the process is killed before the replacement, the note is unchanged.
        let undone = UndoneEntries(environment)
        let name = try undone.keep(
            UndoneEntry(entry, folder: vault.location.absolutePath, in: note, replacedBy: new))
        guard try vault.replace(entry, by: new) else {
            try undone.forget(name)
            throw CommandError("the memo in \(path) has just been changed; look at it and try again", .tempFail)
        }
        try tellChanged("replaced in", entry.day, new)
        Console.tell("to have the old text back: utter notes undo")
    }

    /// Prints what was done, and the memo as it is now.
    func tellChanged(_ what: String, _ day: String, _ lines: [UInt8], writesJSON: Bool = false) throws {
        let entry = try vault.entries(of: day)?.last(lines)
        let text =
            writesJSON
            ? entry.map(json) ?? "" : "\(what) \(vault.notePath(of: day)):\n" + (entry.map(Self.line) ?? "")
        try write(text, after: "the note is changed")
    }

    /// Restores the text that `again` replaced, if it did so after the last memo was kept, and the new text is still in the note.
    ///
    /// - Parameters:
    ///   - last: the last memo.
    ///   - writesJSON: whether to print the memo as a JSON object, and nothing else.
    /// - Returns: whether a text was restored.
    func undoReplacement(after last: NoteEntries.Entry, writesJSON: Bool) throws -> Bool {
        let kept = try UndoneEntries(environment).last { change throws(OutboxError) in
            guard change.canBeUndone, vault.location.isFolder(change.folder) else { return false }
            return change.isMissing(in: try vault.entries(of: change.day))
        }
        guard let kept, kept.time > (last.id.timeInMilliseconds ?? 0) else { return false }
        guard try swap(kept) else {
            // The user means the last memo, or a change that can't be taken back. A memo that was taken out is neither.
            let isThere = try vault.entries(of: kept.entry.day)?.entries.contains { $0.id == kept.entry.id } ?? false
            if kept.entry.id == last.id || !isThere { return false }
            throw changed(kept.entry)
        }
        try tellChanged("the old text is back in", kept.entry.day, kept.entry.bytes, writesJSON: writesJSON)
        if !writesJSON { Console.tell("to have the new one again: utter notes redo") }
        return true
    }

    /// Repeats a replacement that undo reverted.
    func redoReplacement(_ kept: UndoneEntries.Kept) throws {
        guard try swap(kept) else { throw changed(kept.entry) }
        try tellChanged("replaced again in", kept.entry.day, kept.entry.bytes)
    }

    /// The error when a memo whose text was replaced has other lines now.
    private func changed(_ change: UndoneEntry) -> CommandError {
        CommandError(
            "the memo in \(vault.notePath(of: change.day)) that utter notes again replaced was changed after that; utter notes edit opens it",
            .dataError)
    }

    /// Puts the kept lines of a change back into the note, in place of those that replaced them, and keeps those instead.
    ///
    /// - Returns: false when the note no longer has the lines that replaced them.
    private func swap(_ kept: UndoneEntries.Kept) throws -> Bool {
        let (undone, change) = (UndoneEntries(environment), kept.entry)
        guard let note = try vault.entries(of: change.day), let entry = change.replacing(in: note) else { return false }
        // At every moment both texts are kept, whenever the process is killed.
        let name = try undone.keep(change.reversed(in: note))
        let isDone = try vault.replace(entry, by: change.bytes)
        try undone.forget(isDone ? kept.name : name)
        return isDone
    }
}
