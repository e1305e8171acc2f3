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
    private let delivery: Delivery
    /// Brings what is in the queue to others than the notes.
    private let drain: @Sendable () -> Void
    private let startedAt: Date
    /// The memo's: handed over twice, it is kept once.
    private let id: UUID
    /// Made when there is something to write.
    private var journal: MemoJournal?
    private var abandoned: [MemoJournal] = []

    init(
        _ delivery: Delivery, folder: String = MemoJournal.defaultFolder(), startedAt: Date = Date(),
        calls: FileCalls = .system, drain: @escaping @Sendable () -> Void = { Delivery.drainInBackground() }
    ) {
        self.drain = drain
        self.folder = folder
        self.calls = calls
        self.startedAt = startedAt
        id = .timeOrdered(at: startedAt)
        self.delivery = delivery
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
                    try deliver(journal.capture, id: journal.id)
                    try journal.remove()
                } catch {
                    found.troubles.append("an earlier memo is not kept yet: \(Self.sentence(error))")
                }
            }
            for path in earlier.unreadable { found.troubles.append("what an earlier memo left can't be read: \(path)") }
        } catch {
            found.troubles.append(Self.sentence(error))
        }
        // What an earlier memo could not bring, this one tries again.
        if (try? delivery.store.isEmpty()) == false { drain() }
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
            var capture = journal?.capture ?? Capture(text: text, capturedAt: startedAt)
            capture.text = text
            outcome = try deliver(capture, id: journal?.id ?? id)
        }
        do {
            try journal?.remove()
        } catch {
            return "\(outcome); \(Self.sentence(error))"
        }
        return outcome
    }

    /// Where a memo may go that can't go where it belongs: the first that takes it.
    static let otherFolders = ["HOME", "TMPDIR"].compactMap { ProcessInfo.processInfo.environment[$0] } + ["/tmp"]

    /// Keeps the memo in a file of its own.
    ///
    /// - Returns: what became of it, in a few words.
    func keepElsewhere(_ text: String, in folders: [String] = otherFolders) throws -> String {
        var failure = OutboxError(.missing, path: "", "there is no place for it")
        for folder in folders where folder.hasPrefix("/") {
            do throws(OutboxError) {
                let path = try write(text, into: folder)
                // Where it stays, the next memo offers it.
                try? journal?.remove()
                return "kept in \(path)"
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// - Returns: the path of the new file.
    private func write(_ text: String, into folder: String) throws(OutboxError) -> String {
        let opened = try OpenFolder(folder, .named, calls: calls)
        let time = DateFormatter()
        time.locale = Locale(identifier: "en_US_POSIX")
        time.dateFormat = "yyyy-MM-dd-HHmmss"
        let name = "memo-" + time.string(from: startedAt)
        var number = 1
        while true {
            let file = number == 1 ? "\(name).md" : "\(name)-\(number).md"
            if try opened.write(Array((text + "\n").utf8), to: file, .new) { return opened.path(of: file) }
            number += 1
        }
    }

    func discard() throws {
        try journal?.remove()
    }

    /// Where all of the text is while it is not where it belongs; nil when nowhere.
    func path(of text: String) -> String? { journal?.text == text ? journal?.path : nil }

    /// - Returns: what became of it, in a few words.
    @discardableResult
    private func deliver(_ capture: Capture, id: UUID) throws(OutboxError) -> String {
        let outcome = try delivery.send(capture, id: id)
        if !outcome.queued.isEmpty { drain() }
        return outcome.text
    }

    private func begin() throws -> MemoJournal {
        let new = try MemoJournal.create(in: folder, id: id, startedAt: startedAt, calls: calls)
        journal = new
        return new
    }

    private static func sentence(_ error: any Error) -> String { CommandError(error).message }
}
