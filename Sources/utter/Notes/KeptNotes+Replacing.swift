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
        try tellChanged("replaced in", entry.day, new, writesJSON: false)
        Console.tell("to have the old text back: utter notes undo")
    }

    /// Prints what was done, and the memo as it is now.
    func tellChanged(_ what: String, _ day: String, _ lines: [UInt8], writesJSON: Bool) throws {
        let entry = try vault.entries(of: day)?.last(lines)
        let text =
            writesJSON
            ? entry.map(json) ?? "" : "\(what) \(vault.notePath(of: day)):\n" + (entry.map(Self.line) ?? "")
        try write(text, after: "the note is changed")
    }

    /// Restores the text that `again` replaced, if it did so after the last memo was kept or put back, and the new text is still in the note.
    ///
    /// - Parameters:
    ///   - last: the last memo.
    ///   - writesJSON: whether to print the memo as a JSON object, and nothing else.
    /// - Returns: whether a text was restored.
    func undoReplacement(after last: NoteEntries.Entry, writesJSON: Bool) throws -> Bool {
        let undone = UndoneEntries(environment)
        let timeOfLast = max(
            last.id.timeInMilliseconds ?? 0, try undone.timePutBack(last.id, in: vault.location.isFolder) ?? 0)
        var edited: NoteEntries.Entry?
        let kept = try undone.last { change, time throws(OutboxError) in
            guard change.canBeUndone, time > timeOfLast, vault.location.isFolder(change.folder) else { return false }
            let note = try vault.entries(of: change.day)
            guard change.isMissing(in: note) else { return false }
            if change.replacing(in: note) != nil { return true }
            edited = edited ?? note?.entries.last { $0.id == change.id && $0.id != last.id }
            return false
        }
        if let edited { tellEdited(edited, "it was changed after utter notes again had replaced its text") }
        guard let kept else { return false }
        guard try swap(kept) else { throw justChanged(kept.entry) }
        try tellChanged("the old text is back in", kept.entry.day, kept.entry.bytes, writesJSON: writesJSON)
        if !writesJSON { Console.tell("to have the new one again: utter notes redo") }
        return true
    }

    /// Repeats a replacement that undo reverted.
    func redoReplacement(_ kept: UndoneEntries.Kept, writesJSON: Bool) throws {
        guard try swap(kept) else { throw justChanged(kept.entry) }
        try tellChanged("replaced again in", kept.entry.day, kept.entry.bytes, writesJSON: writesJSON)
    }

    /// Says that undo or redo passes over a memo whose text was replaced, because it has other lines now.
    func tellEdited(_ entry: NoteEntries.Entry, _ reason: String) {
        Console.tell("\(named(entry)) stays as it is: \(reason)")
    }

    private func justChanged(_ change: UndoneEntry) -> CommandError {
        CommandError(
            "the memo in \(vault.notePath(of: change.day)) has just been changed; look at it and try again", .tempFail)
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
