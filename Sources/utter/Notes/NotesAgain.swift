import Foundation
import Outbox

struct NotesAgain: Command {
    let arguments: ParsedArguments

    func run() async throws -> ExitCode {
        let recognition = try RecognitionOptions(arguments)
        let notes = try KeptNotes(arguments)
        let entry = try chosenEntry(of: notes)
        let path = try sound(of: entry)
        let hearing = try HearingAgain(recognition, WritingOptions(arguments), status: Status())
        let text = try await hearing.text(of: path)
        if text.isEmpty { throw CommandError("nothing is heard in \(path)", .nothingFound) }
        if arguments[Self.replaces] { try notes.replace(entry, with: text) } else { try notes.write(text + "\n") }
        return .ok
    }

    private func sound(of entry: NoteEntries.Entry) throws -> String {
        let memo = "the memo of " + [entry.day, entry.time].compactMap { $0 }.joined(separator: " ")
        guard let folder = try MemoOptions.soundFolder(arguments) else {
            throw CommandError(
                "nothing says where the sound of \(memo) is: name the folder with --save-audio; to keep that of all memos from now on: "
                    + "utter config set memo-save-audio DIR", .noInput)
        }
        if let path = try MemoSound.find(entry.id, in: folder) { return path }
        throw CommandError(
            "no sound of \(memo) is in \(folder); to keep that of the next: utter memo --save-audio \(ShellWord.quoted(folder))",
            .noInput)
    }

    /// The memo whose id is given, or else the last one.
    private func chosenEntry(of notes: KeptNotes) throws -> NoteEntries.Entry {
        guard let name = arguments.operands.first else {
            let entry = try notes.lastOne()
            try notes.refuseIfLaterWaits(than: entry)
            return entry
        }
        // The mark in the note, such as ^utter-ID, is accepted as well.
        let id = name.lowercased().trimmingPrefix("^").trimmingPrefix("utter-")
        let found = try notes.last(.max) { $0.id.name.hasPrefix(id) || $0.id.name.hasSuffix(id) }
        // A line that was copied has the mark of the same memo.
        let count = Set(found.map(\.id)).count
        if count > 1 { throw CommandError("\(name) stands for \(count) memos; write more of it", .usage) }
        guard let entry = found.last, !id.isEmpty else {
            throw CommandError(
                "there is no memo '\(name)' in \(notes.vault.location.path); utter notes last --json shows their ids",
                .noInput)
        }
        return entry
    }
}
