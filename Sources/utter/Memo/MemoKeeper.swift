import Audio
import Foundation
import Glibc
import Outbox

/// Keeps a memo: in its journal while it grows, and where it belongs when it is done. On a thread of its own, since disks may take long.
actor MemoKeeper {
    private let executor = SerialDispatchExecutor(label: "utter.memo", for: .waiting)
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Of the journals.
    private let folder: String
    private let calls: FileCalls
    private let vault: MarkdownVault
    private let startedAt: Date
    /// Made when there is something to write.
    private var journal: MemoJournal?
    private var abandoned: [MemoJournal] = []

    init(
        notes: MarkdownVault.Location, folder: String = MemoJournal.defaultFolder(), startedAt: Date = Date(),
        calls: FileCalls = .system
    ) {
        self.folder = folder
        self.calls = calls
        self.startedAt = startedAt
        vault = MarkdownVault(notes, calls: calls)
    }

    /// What earlier memos have left.
    struct Found {
        /// When the one that was cut off began, as the clock on the wall said.
        var cutOffAt: String?
        /// What could not be done about the others: sentences.
        var troubles: [String] = []
    }

    /// Finds what earlier memos have left, and brings those that the user had kept to where they belong.
    func findEarlier() -> Found {
        var found = Found()
        do {
            let earlier = try MemoJournal.abandoned(in: folder, calls: calls)
            for journal in earlier.journals {
                if !journal.isKept {
                    abandoned.append(journal)
                    continue
                }
                do {
                    try vault.append(journal.entry)
                    try journal.remove()
                } catch {
                    found.troubles.append("an earlier memo is not in the notes yet: \(Self.sentence(error))")
                }
            }
            for path in earlier.unreadable { found.troubles.append("what an earlier memo left can't be read: \(path)") }
        } catch {
            found.troubles.append(Self.sentence(error))
        }
        if let first = abandoned.first {
            let time = DateFormatter()
            time.locale = Locale(identifier: "en_US_POSIX")
            time.timeZone = first.timeZone
            time.dateFormat = "HH:mm"
            found.cutOffAt = time.string(from: first.startedAt)
        }
        return found
    }

    /// Makes the memo that was cut off this one.
    ///
    /// - Returns: its text; nil when there is none.
    func restore() throws -> String? {
        guard let earlier = abandoned.first else { return nil }
        // What was typed and deleted again must not come back some day.
        try journal?.remove()
        journal = earlier
        abandoned.removeFirst()
        return earlier.text
    }

    /// Brings the memo's text to the disk.
    func record(_ text: String) throws {
        if let journal { return try journal.record(text) }
        if !text.isEmpty { try begin().record(text) }
    }

    /// Keeps the memo for good.
    ///
    /// - Parameter toOutput: whether it goes to standard output instead of a note.
    /// - Returns: what became of it, in a few words.
    func keep(_ text: String, toOutput: Bool) throws -> String {
        guard text.contains(where: { !$0.isWhitespace }) else {
            try journal?.remove()
            return "nothing was said"
        }
        do {
            // From here on a memo that is killed is finished by the next one, unless its place is a reader that is gone then.
            if toOutput { try record(text) } else { try (journal ?? begin()).keep(text) }
        } catch {
            // The user was told already. Where the text belongs may be another disk, or have just enough room.
        }
        let outcome: String
        if toOutput {
            let code = Descriptor.write(text + "\n", to: STDOUT_FILENO)
            if code != 0 { throw FileError(.write, path: "standard output", errno: code) }
            outcome = "written to standard output"
        } else {
            var entry = journal?.entry ?? MarkdownVault.Entry(id: UUID(), text: text, capturedAt: startedAt, timeZone: .current)
            entry.text = text
            try vault.append(entry)
            outcome = "kept in \(vault.notePath(for: entry))"
        }
        do {
            try journal?.remove()
        } catch {
            return "\(outcome); \(Self.sentence(error))"
        }
        return outcome
    }

    func discard() throws {
        try journal?.remove()
    }

    /// Where all of the text is while it is not where it belongs; nil when nowhere.
    func path(of text: String) -> String? { journal?.text == text ? journal?.path : nil }

    private func begin() throws -> MemoJournal {
        let new = try MemoJournal.create(in: folder, startedAt: startedAt, calls: calls)
        journal = new
        return new
    }

    private static func sentence(_ error: any Error) -> String { CommandError(error).message }
}
