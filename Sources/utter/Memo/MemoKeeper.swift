import Foundation
import Glibc
import Outbox
import System

/// Keeps a memo's text: in a journal while the memo is open, and in its place at the end. It has its own thread, since disks may be slow.
actor MemoKeeper {
    private let executor = SerialDispatchExecutor(label: "utter.memo", for: .waiting)
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let folder: String
    private let calls: FileCalls
    private let delivery: Delivery
    /// Starts to deliver the queue to destinations other than the notes.
    private let drain: @Sendable () -> Void
    private let begun: Moment
    /// The place of this memo, unless it has become an earlier one.
    private let place: MemoPlace
    /// The memo's id. A text that is delivered twice with the same id is kept once.
    private let id: UUID
    /// The memo's sound; nil when it is not saved.
    private let sound: MemoSound?
    /// The memo's journal; nil until there is text to write.
    private var journal: MemoJournal?
    /// The place of the earlier memo that this one has become; nil when there is none, or its place is unknown or was standard output.
    private var earlierPlace: MemoPlace?
    private var abandoned: [MemoJournal] = []
    /// The texts that could not be kept, and may have reached some of their destinations.
    private var failedTexts: [String] = []

    /// Creates the keeper of a memo, which belongs to the day on which it began, even if it lasts longer or the clock is changed.
    init(
        _ delivery: Delivery, isToOutput: Bool = false, folder: String = MemoJournal.defaultFolder(),
        begun: Moment = .now,
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

    /// Whether the memo goes to standard output: one that was restored goes where it was begun for.
    var isToOutput: Bool { (earlierPlace ?? place).destinations.isEmpty }

    struct Found {
        /// When the memo that was cut off began, in its local time, such as `14:22`; nil when there is none.
        var cutOffAt: String?
        /// The place of the memo that was cut off, in words; nil when it is that of this memo, or unknown.
        var cutOffPlace: String?
        /// What the user should know of other earlier memos, each a sentence.
        var troubles: [String] = []
    }

    /// Finds the journals of earlier memos, and delivers those that the user had decided to keep.
    func findEarlier() -> Found {
        var found = Found()
        do {
            let earlier = try MemoJournal.abandoned(in: folder, calls: calls)
            for journal in earlier.journals {
                // If the place is unknown and there are several, the memo is offered to the user instead.
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
        // The queue may hold what earlier memos could not deliver.
        if (try? delivery.store.isEmpty()) == false { drain() }
        (found.cutOffAt, found.cutOffPlace) = (offer.cutOffAt, offer.cutOffPlace)
        return found
    }

    /// The cut-off memo that is offered, if there is one.
    var offer: Found {
        guard let first = abandoned.first else { return Found() }
        return Found(
            cutOffAt: first.begun.text("HH:mm") + (abandoned.count > 1 ? " (one of \(abandoned.count))" : ""),
            cutOffPlace: first.place.flatMap { $0 == place ? nil : text(of: $0) })
    }

    /// Removes the cut-off memo that is offered, and its sound, because the user does not want it. The next one is
    /// offered then.
    func dropEarlier() throws {
        guard let first = abandoned.first else { return }
        // The sound first: if the process is killed in between, the memo is offered again.
        MemoSound.remove(of: first, sound)
        try first.remove()
        abandoned.removeFirst()
    }

    /// Restores the memo that was cut off as this one. It goes to its own place, or to this memo's if its own is unknown or was standard
    /// output.
    ///
    /// - Returns: its text, whether there may be a guess in it, and a sentence that says where the memo will go, or nil when that is the place
    ///   of this memo anyway; nil when no memo is offered.
    func restore() throws -> (text: String, mayHaveGuess: Bool, notice: String?)? {
        guard let earlier = abandoned.first else { return nil }
        // What was deleted again must neither stay where it has come already, nor be offered later.
        try takeBackFailed()
        try journal?.remove()
        journal = earlier
        abandoned.removeFirst()
        // The program that read that output is gone.
        earlierPlace = earlier.place == .standardOutput ? nil : earlier.place
        // If that can't be written, the user hears of it with the next word.
        if let path = sound?.join(earlier) { try? earlier.setSound(path) }
        return (earlier.text, earlier.mayHaveGuess, notice(of: earlier))
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

    /// A place in words, such as `work and the notes in /home/me/notes`.
    private func text(of other: MemoPlace) -> String {
        if other.destinations.isEmpty { return "standard output" }
        let names = other.destinations.map { name in
            // Another folder of notes than this memo's is named, for "notes" alone would mean this memo's.
            name == "notes" && other.notes != delivery.place.notes
                ? other.notes.map { "the notes in \($0)" } ?? name : name
        }
        return ValueKind.list(names, word: "and")
    }

    /// Writes the memo's text to its journal, which is created when there is text.
    func record(_ text: String, hasGuess: Bool = false) throws {
        if let journal { return try journal.record(text, hasGuess: hasGuess) }
        if !text.isEmpty { try begin().record(text, hasGuess: hasGuess) }
    }

    /// Keeps the memo in its place, and finishes or discards its sound.
    ///
    /// - Parameter speech: whether words may have been said, and so be in the sound.
    /// - Returns: what became of it, in a few words, with all that it lacks.
    func keep(_ text: String, speech: MemoMachine.SaidSpeech = .none, losses: [String] = []) throws -> String {
        var outcome = try keep(text)
        let isEmpty = MemoText.kept(text).isEmpty
        switch speech {
        // The user has deleted all that was said, or no word was said.
        case .words where isEmpty, .none: discardSound()
        case .words, .unknown, .unawaited:
            sound?.saver.finish()
            if isEmpty { outcome = emptyOutcome(speech) }
        }
        // Where nothing is kept of what was not waited for, that is said already.
        return sentence(outcome, speech: isEmpty && speech == .unawaited ? .words : speech, losses)
    }

    /// What became of a memo without text in which something may have been said. No note leads to its sound, so its path is named.
    private func emptyOutcome(_ speech: MemoMachine.SaidSpeech) -> String {
        let place = sound?.saver.path.map { "; the sound is in \($0)" } ?? ""
        if speech != .unawaited { return "nothing was understood\(place)" }
        return "nothing is kept: the text was not waited for" + place
            + (place.isEmpty ? "" : ", and utter transcribe gives its text")
    }

    /// What became of the memo, with all that it lacks.
    private func sentence(_ outcome: String, speech: MemoMachine.SaidSpeech, _ losses: [String]) -> String {
        let doubt = speech.isDoubtful ? "words may be missing, for not all sound was recognized" : nil
        return ([outcome, doubt].compactMap { $0 } + losses + [sound?.trouble].compactMap { $0 }).joined(
            separator: "; ")
    }

    private func keep(_ text: String) throws -> String {
        let text = MemoText.kept(text)
        if text.isEmpty {
            try takeBackFailed()
            try journal?.remove()
            return "nothing was said"
        }
        do {
            // If this process is killed after this, the next memo delivers the text, but not to standard output, whose reader is gone then.
            if isToOutput { try record(text) } else { try (journal ?? begin()).keep(text, at: earlierPlace ?? place) }
        } catch {
            // The user was warned already. The text's place may be on another disk, or still have room for it.
        }
        let outcome: String
        if isToOutput {
            let code = Descriptor.write(text + "\n", to: STDOUT_FILENO)
            if code != 0 { throw FileError(.write, path: "standard output", errno: code) }
            outcome = "written to standard output"
        } else {
            var capture = capture
            capture.text = text
            do throws(OutboxError) {
                outcome = try deliver(
                    capture, id: journal?.id ?? id, to: earlierPlace, inPlaceOf: failedTexts.filter { $0 != text }
                ).text
            } catch {
                failedTexts.append(text)
                throw error
            }
        }
        do {
            try journal?.remove()
        } catch {
            return "\(outcome); \(Self.sentence(error))"
        }
        return outcome
    }

    /// The memo with its time, for a delivery.
    private var capture: CapturedText {
        journal?.capture ?? CapturedText(text: "", capturedAt: begun.date, timeZone: begun.timeZone)
    }

    /// Takes back what attempts that failed have brought to some of the destinations.
    private func takeBackFailed() throws(OutboxError) {
        if failedTexts.isEmpty { return }
        try delivery.takeBack(failedTexts, of: capture, id: journal?.id ?? id, to: earlierPlace)
        failedTexts = []
    }

    /// The folders, in the order in which they are tried, for a memo that can't be kept in its place.
    static let otherFolders = ["HOME", "TMPDIR"].compactMap { ProcessInfo.processInfo.environment[$0] } + ["/tmp"]

    /// Keeps the memo in a new file, in the first folder where that is possible.
    ///
    /// - Returns: what became of the memo, in a few words, with all that it lacks.
    /// - Throws: the last error, when no folder could be used.
    func keepElsewhere(
        _ text: String, in folders: [String] = otherFolders, speech: MemoMachine.SaidSpeech = .none,
        losses: [String] = []
    ) throws -> String {
        var failure = OutboxError(.missing, path: "", "there is no place for it")
        for folder in folders where folder.hasPrefix("/") {
            do throws(OutboxError) {
                let path = try write(text, into: folder)
                // What can't be taken back is kept in both places.
                try? takeBackFailed()
                // If the journal can't be removed, the next memo offers it.
                try? journal?.remove()
                sound?.saver.finish()
                return sentence("kept in \(path)", speech: speech, losses)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// - Returns: the path of the new file.
    private func write(_ text: String, into folder: String) throws(OutboxError) -> String {
        let opened = try OpenFolder(folder, .named, calls: calls)
        let name = "memo-" + begun.text("yyyy-MM-dd-HHmmss")
        var number = 1
        while true {
            let file = number == 1 ? "\(name).md" : "\(name)-\(number).md"
            if try opened.write(Array((PlainText.of(MemoText.kept(text)) + "\n").utf8), to: file, .new) {
                return opened.path(of: file)
            }
            number += 1
        }
    }

    /// Whether the memo's sound is saved.
    nonisolated var savesSound: Bool { sound != nil }

    /// Whether all sound that was to be saved is in its file.
    var isSoundWhole: Bool { sound?.trouble == nil }

    func discard() throws {
        try takeBackFailed()
        discardSound()
        try journal?.remove()
    }

    /// Removes the memo's sound, also that which an earlier memo had left that this one has become.
    private func discardSound() {
        sound?.saver.discard()
        if let journal { MemoSound.remove(of: journal, sound) }
    }

    /// Completes the memo's sound, for the memo is left without being kept.
    func leaveSound() { sound?.saver.finish() }

    /// The path of the journal if it holds all of `text`; otherwise nil.
    func path(of text: String) -> String? {
        guard let journal, MemoText.kept(journal.text) == MemoText.kept(text) else { return nil }
        return journal.path
    }

    /// Delivers a text, and starts to deliver the queue if something is waiting in it.
    private func deliver(
        _ capture: CapturedText, id: UUID, to earlier: MemoPlace?, inPlaceOf failed: [String] = []
    ) throws(OutboxError) -> Delivery.Outcome {
        let outcome = try delivery.keep(capture, id: id, to: earlier, inPlaceOf: failed)
        if !outcome.queued.isEmpty { drain() }
        return outcome
    }

    private func begin() throws -> MemoJournal {
        let new = try MemoJournal.create(
            in: folder, id: id, begun: begun, at: place, sound: sound?.path, calls: calls)
        journal = new
        return new
    }

    private static func sentence(_ error: any Error) -> String { CommandError(error).message }
}
