import Foundation
import Glibc
import Outbox
import System

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
    private let begun: Moment
    /// Where it belongs, unless it is an earlier memo.
    private let place: MemoPlace
    /// The memo's: handed over twice, it is kept once.
    private let id: UUID
    /// Nil where none is kept.
    private let sound: MemoSound?
    /// Made when there is something to write.
    private var journal: MemoJournal?
    /// Where the earlier memo belongs that this one has become, if that is known.
    private var earlierPlace: MemoPlace?
    private var abandoned: [MemoJournal] = []

    /// - Parameters:
    ///   - isToOutput: whether the memo goes to standard output instead of its destinations.
    ///   - begun: when and where it begins. It belongs to that day, however long it lasts and whatever becomes of the clock.
    ///   - id: the memo's; nil for one of its beginning.
    ///   - sound: what is heard in it, of which this decides whether it is kept.
    init(
        _ delivery: Delivery, isToOutput: Bool = false, folder: String = MemoJournal.defaultFolder(), begun: Moment = .now,
        id: UUID? = nil, sound: MemoSound? = nil, calls: FileCalls = .system,
        drain: @escaping @Sendable () -> Void = { Delivery.drainInBackground() }
    ) {
        self.drain = drain
        self.folder = folder
        self.calls = calls
        self.begun = begun
        self.id = id ?? .timeOrdered(at: begun.date)
        self.sound = sound
        self.delivery = delivery
        place = isToOutput ? .standardOutput : delivery.place
    }

    /// What earlier memos have left.
    struct Found {
        /// When the one that was cut off began, as the clock on the wall said.
        var cutOffAt: String?
        /// Where that one belongs, in words, if elsewhere than this memo.
        var cutOffPlace: String?
        /// What the user should know of the others: sentences.
        var troubles: [String] = []
    }

    /// Finds what earlier memos have left, and brings those that the user had kept to where they belong.
    func findEarlier() -> Found {
        var found = Found()
        do {
            let earlier = try MemoJournal.abandoned(in: folder, calls: calls)
            for journal in earlier.journals {
                // Where it belongs is asked when that was not written and there is a choice.
                guard journal.isKept, let place = journal.place ?? (delivery.isOnlyPlace ? delivery.place : nil) else {
                    abandoned.append(journal)
                    continue
                }
                do {
                    let outcome = try deliver(journal.capture, id: journal.id, to: place)
                    try journal.remove()
                    if let trouble = outcome.unknownText { found.troubles.append("an earlier memo: \(trouble)") }
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
        offer(in: &found)
        return found
    }

    private func offer(in found: inout Found) {
        guard let first = abandoned.first else { return }
        let time = DateFormatter()
        time.locale = Locale(identifier: "en_US_POSIX")
        time.timeZone = first.timeZone
        time.dateFormat = "HH:mm"
        found.cutOffAt = time.string(from: first.startedAt)
        found.cutOffPlace = first.place.flatMap { $0 == place ? nil : text(of: $0) }
    }

    /// Removes the memo that was cut off and is offered: nobody wants it.
    ///
    /// - Returns: what is offered then.
    func dropEarlier() throws -> Found {
        var found = Found()
        guard let first = abandoned.first else { return found }
        try first.remove()
        sound?.remove(first.id, begun: first.begun)
        abandoned.removeFirst()
        offer(in: &found)
        return found
    }

    /// A memo that was cut off and is this one now.
    struct Restored: Equatable {
        var text: String
        /// Where it will go, if that is not as a matter of course: a sentence.
        var notice: String?
    }

    /// Makes the memo that was cut off this one. It still goes where it belongs; only where that is not known it goes where this one does.
    ///
    /// - Returns: nil when there is none.
    func restore() throws -> Restored? {
        guard let earlier = abandoned.first else { return nil }
        // What was typed and deleted again must not come back some day.
        try journal?.remove()
        journal = earlier
        abandoned.removeFirst()
        // Whoever read that output is gone.
        earlierPlace = earlier.place == .standardOutput ? nil : earlier.place
        sound?.join(earlier.id, begun: earlier.begun)
        return Restored(text: earlier.text, notice: notice(of: earlier))
    }

    private func notice(of earlier: MemoJournal) -> String? {
        switch earlier.place {
        case place: nil
        case .standardOutput: "Enter brings it to \(text(of: place)), though it was begun for standard output"
        case let other?: "Enter brings it to \(text(of: other)), for which it was begun"
        case nil where delivery.isOnlyPlace && place != .standardOutput: nil
        case nil: "for what it was begun is not known: Enter brings it to \(text(of: place))"
        }
    }

    /// A place for people: `work and the notes in /home/me/notes`.
    private func text(of other: MemoPlace) -> String {
        if other.destinations.isEmpty { return "standard output" }
        let names = other.destinations.map { name in
            // Of two folders of notes it would not be clear which.
            name == "notes" && other.notes != delivery.place.notes ? other.notes.map { "the notes in \($0)" } ?? name : name
        }
        return ValueKind.list(names, word: "and")
    }

    /// Brings the memo's text to the disk.
    func record(_ text: String) throws {
        if let journal { return try journal.record(text) }
        if !text.isEmpty { try begin().record(text) }
    }

    /// Keeps the memo for good.
    ///
    /// - Parameter speech: what its sound may hold.
    /// - Returns: what became of it, in a few words.
    func keep(_ text: String, speech: MemoMachine.SaidSpeech = .none) throws -> String {
        var outcome = try keep(text)
        let isEmpty = MemoText.kept(text).isEmpty
        switch speech {
        // What was said and deleted again is not wanted.
        case .words where isEmpty, .none: sound?.saver.discard()
        case .words, .unknown:
            sound?.saver.finish()
            // No note leads to it.
            if isEmpty, let path = sound?.saver.path { outcome = "nothing was understood; the sound is in \(path)" }
        }
        return [outcome, sound?.trouble].compactMap { $0 }.joined(separator: "; ")
    }

    private func keep(_ text: String) throws -> String {
        let isToOutput = (earlierPlace ?? place).destinations.isEmpty
        let text = MemoText.kept(text)
        if text.isEmpty {
            try journal?.remove()
            return "nothing was said"
        }
        do {
            // From here on a memo that is killed is finished by the next one, unless its place is a reader that is gone then.
            if isToOutput { try record(text) } else { try (journal ?? begin()).keep(text, at: earlierPlace ?? place) }
        } catch {
            // The user was told already. Where the text belongs may be another disk, or have just enough room.
        }
        let outcome: String
        if isToOutput {
            let code = Descriptor.write(text + "\n", to: STDOUT_FILENO)
            if code != 0 { throw FileError(.write, path: "standard output", errno: code) }
            outcome = "written to standard output"
        } else {
            var capture = journal?.capture ?? Capture(text: text, capturedAt: begun.date, timeZone: begun.timeZone)
            capture.text = text
            outcome = try deliver(capture, id: journal?.id ?? id, to: earlierPlace).text
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
                sound?.saver.finish()
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
        time.timeZone = begun.timeZone
        time.dateFormat = "yyyy-MM-dd-HHmmss"
        let name = "memo-" + time.string(from: begun.date)
        var number = 1
        while true {
            let file = number == 1 ? "\(name).md" : "\(name)-\(number).md"
            if try opened.write(Array((PlainText.of(MemoText.kept(text)) + "\n").utf8), to: file, .new) { return opened.path(of: file) }
            number += 1
        }
    }

    func discard() throws {
        sound?.saver.discard()
        try journal?.remove()
    }

    /// Where all of the text is while it is not where it belongs; nil when nowhere.
    func path(of text: String) -> String? {
        guard let journal, MemoText.kept(journal.text) == MemoText.kept(text) else { return nil }
        return journal.path
    }

    /// - Parameter earlier: where an earlier memo belongs; nil for this one.
    private func deliver(_ capture: Capture, id: UUID, to earlier: MemoPlace?) throws(OutboxError) -> Delivery.Outcome {
        let outcome = try delivery.send(capture, id: id, to: earlier)
        if !outcome.queued.isEmpty { drain() }
        return outcome
    }

    private func begin() throws -> MemoJournal {
        let new = try MemoJournal.create(in: folder, id: id, begun: begun, at: place, calls: calls)
        journal = new
        return new
    }

    private static func sentence(_ error: any Error) -> String { CommandError(error).message }
}
