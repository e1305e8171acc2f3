import Foundation
import Glibc
import Outbox
import System

/// Delivers texts to destinations. A text is first written durably to the queue, for every destination; then it is added to notes
/// at once, and delivered to other destinations in the background.
struct Delivery: Sendable {
    let store: OutboxStore
    let destinations: DestinationConfiguration
    /// The names of the destinations that texts go to.
    let names: [String]
    /// The folder of the notes, unless a destination has its own.
    private let notes: MarkdownVault.Location
    /// Whether texts can belong to one place only: one destination is configured, and the user chose neither one nor a folder.
    let isOnlyPlace: Bool
    /// Whether the configuration could be read. If not, texts for destinations other than the notes wait in the queue.
    let knowsDestinations: Bool

    /// Delivers to the destinations that are chosen, or else to all that are configured, or else to the notes.
    ///
    /// - Throws: `CommandError` when the configuration can't be read, or has no destination of a chosen name.
    init(_ options: DeliveryOptions) throws {
        let destinations = try Destinations.required(notes: options.notes)
        for name in options.destinations where destinations.handlers[name] == nil { throw destinations.unknown(name) }
        self.init(
            OutboxStore(folder: OutboxStore.defaultFolder()), destinations, to: options.destinations,
            notes: options.notes)
    }

    init(
        _ store: OutboxStore, _ destinations: DestinationConfiguration, to chosen: [String] = [],
        notes: MarkdownVault.Location, knowsDestinations: Bool = true
    ) {
        self.store = store
        self.destinations = destinations
        self.notes = notes
        self.knowsDestinations = knowsDestinations
        isOnlyPlace = knowsDestinations && chosen.isEmpty && destinations.names.count == 1 && !notes.isNamed
        names = chosen.isEmpty ? destinations.names : chosen.unique
    }

    /// Delivers as `init` does. When the destinations can't be read, texts for the chosen ones, or else for the notes, wait in the queue.
    static func orWaiting(_ options: DeliveryOptions) throws -> Delivery {
        do throws(OutboxError) { _ = try Destinations.load(notes: options.notes) } catch {
            Console.tell(error.description)
            return .toNotes(options.notes, or: options.destinations)
        }
        return try Delivery(options)
    }

    /// Refuses a file in the place of the folder of the notes, which is a slip in `--notes`, before anything is said for it.
    ///
    /// - Throws: `CommandError` when the notes are a destination, and a file is there.
    func refuseFile() throws(CommandError) {
        let isForNotes = names.contains { (destinations.handlers[$0] as? VaultHandler)?.location == notes }
        guard isForNotes, access(notes.path, F_OK) == 0, !FolderTools.isFolder(notes.path) else { return }
        throw CommandError(
            "the notes can't go into \(notes.path), which is a file: give a folder, as --notes DIR", .cannotCreate)
    }

    /// Where texts of this process belong.
    var place: MemoPlace { MemoPlace(destinations: names, notes: notes.absolutePath) }

    /// Delivers to the notes only, or to the queue for chosen destinations, since the configuration can't be read.
    static func toNotes(
        _ notes: MarkdownVault.Location, or chosen: [String] = [],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Delivery {
        Delivery(
            OutboxStore(folder: OutboxStore.defaultFolder(environment)),
            DestinationConfiguration(localVault: .plain(notes, environment)), to: chosen, notes: notes,
            knowsDestinations: false)
    }

    /// The places that a capture has reached, and those where it waits.
    struct Outcome: Equatable, Sendable {
        /// The paths of the notes that the capture is in.
        var notes: [String] = []
        /// The destinations to which the capture is delivered from the queue.
        var queued: [String] = []
        /// The names of destinations that are not configured, for which the capture waits in the queue.
        var unknown: [String] = []
        /// What some of the destinations in `queued` lack, in a sentence for each name. Delivery waits until the user has provided it.
        var missing: [String: String] = [:]
        /// A sentence that says why the capture is not in the notes yet.
        var trouble: String?

        /// A sentence about the names in `unknown`; nil when there are none.
        var unknownText: String? {
            if unknown.isEmpty { return nil }
            return "it waits in the outbox: there is no destination named \(ValueKind.list(unknown))"
        }

        private var missingText: String? {
            if missing.isEmpty { return nil }
            let reasons = missing.sorted { $0.key < $1.key }.map { "\($0): \($1)" }
            return "it waits for you in the outbox, \(reasons.joined(separator: "; "))"
        }

        /// The outcome in a few words, for the user.
        var text: String {
            let queued = queued.filter { missing[$0] == nil }
            var parts: [String] = []
            if !notes.isEmpty { parts.append("kept in \(ValueKind.list(notes, word: "and"))") }
            if !queued.isEmpty {
                parts.append("\(parts.isEmpty ? "kept, and " : "")on its way to \(ValueKind.list(queued, word: "and"))")
            }
            if parts.isEmpty { parts.append("kept") }
            return ([parts.joined(separator: ", ")] + [unknownText, missingText, trouble].compactMap { $0 }).joined(
                separator: "; ")
        }
    }

    /// Accepts a capture. When this returns, it is durably on the disk. This waits for the disk, but for no network.
    ///
    /// - Parameters:
    ///   - id: the capture's id. A capture that is sent again with the same id arrives nowhere twice.
    ///   - earlier: where the capture belongs, if an earlier process made it; nil for `place`.
    ///   - failed: the other texts of the capture with which this has failed before. They may have reached some of the destinations, where
    ///     the text of now takes their place.
    /// - Throws: `OutboxError` when it could not be accepted for every destination.
    func keep(
        _ capture: CapturedText, id: UUID, to earlier: MemoPlace? = nil, inPlaceOf failed: [String] = []
    ) throws(OutboxError) -> Outcome {
        var capture = capture
        let place = earlier ?? place
        capture.notesFolder = place.notes
        var outcome = Outcome()
        var failure: OutboxError?
        for name in place.destinations {
            let operation = OutboxOperation(capture, id: id, to: name)
            // When the configuration can't be read, the name may not mean here what it meant to the earlier process.
            let handler = earlier == nil || knowsDestinations ? destinations.handlers[name] : nil
            // One that can't be kept for its destination holds up no other.
            do throws(OutboxError) { try keep(operation, by: handler, inPlaceOf: failed, &outcome) } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return outcome
    }

    private func keep(
        _ operation: OutboxOperation, by handler: (any OutboxHandler)?, inPlaceOf failed: [String],
        _ outcome: inout Outcome
    ) throws(OutboxError) {
        let name = operation.destination
        guard let handler else {
            try enqueue(operation, inPlaceOf: failed)
            if knowsDestinations { outcome.unknown.append(name) } else { outcome.queued.append(name) }
            return
        }
        let vault = handler as? VaultHandler
        do throws(OutboxError) {
            try enqueue(operation, inPlaceOf: failed)
        } catch {
            // The notes may be on another disk than the queue, and writable.
            guard let vault else { throw error }
            try vault.append(operation, inPlaceOf: failed)
            outcome.notes += [vault.notePath(for: operation)].compactMap { $0 }
            return
        }
        guard let vault else {
            outcome.queued.append(name)
            outcome.missing[name] = handler.whatIsMissing
            return
        }
        do throws(OutboxError) {
            try vault.append(operation, inPlaceOf: failed)
            outcome.notes += [vault.notePath(for: operation)].compactMap { $0 }
        } catch {
            let reason = vault.reason(error, for: operation)
            outcome.queued.append(name)
            outcome.trouble = [outcome.trouble, reason].compactMap { $0 }.joined(separator: "; ")
            // So that the queue says why it is there.
            _ = try? store.change(operation.id) { $0.noteFailure(reason, at: Date()) }
            return
        }
        // If the removal fails, the next drain adds the text again, which has no effect.
        _ = try? store.removeArrived(operation)
    }

    /// Takes back what `keep` has left of a capture where it failed with these texts: in the queue, and in notes.
    ///
    /// - Parameter earlier: where the capture belongs, if an earlier process made it; nil for `place`.
    func takeBack(_ texts: [String], of capture: CapturedText, id: UUID, to earlier: MemoPlace? = nil)
        throws(OutboxError)
    {
        var capture = capture
        let place = earlier ?? place
        capture.notesFolder = place.notes
        for name in place.destinations {
            for text in texts {
                capture.text = text
                let operation = OutboxOperation(capture, id: id, to: name)
                try store.remove(operation.id)
                try (destinations.handlers[name] as? VaultHandler)?.remove(operation)
            }
        }
    }

    /// Puts an operation into the queue, in place of one with its id and a text of `failed`.
    private func enqueue(_ operation: OutboxOperation, inPlaceOf failed: [String]) throws(OutboxError) {
        while try !store.enqueue(operation), !failed.isEmpty {
            // It may have been brought to its destination meanwhile.
            if try store.change(operation.id, { $0.replace(payload: operation.payload) }) != nil { return }
        }
    }

    /// Starts a process that drains the queue for a minute at most, and may outlive this one. What has not arrived by then waits for
    /// the next such process, or for the service.
    static func drainInBackground() {
        // If the process can't be started, everything stays in the queue as well.
        try? ChildProcess.startDetached("/proc/self/exe", ["outbox", "drain", "--watch", "--for", "60"])
    }

    /// A sentence about operations that wait for the user or have failed for an hour; nil when there are none.
    var warning: String? {
        let operations = operations
        let heldCount = operations.count {
            $0.waitsForUser || knowsDestinations && destinations.handlers[$0.destination] == nil
        }
        let held =
            switch heldCount {
            case 0: nil as String?
            case 1: "1 memo waits for you: utter outbox"
            default: "\(heldCount) memos wait for you: utter outbox"
            }
        let sentences = [held, failure(of: operations.filter { !$0.waitsForUser })].compactMap { $0 }
        return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
    }

    /// A sentence about what could not be brought so far to the destinations of this process; nil when all has arrived or is on its way.
    var remark: String? {
        let own = operations.filter { names.contains($0.destination) }
        let parts = QueueSummary(own) { destinations.handlers[$0] != nil }.destinations.compactMap { destination in
            let count = destination.failing.count + destination.held.count
            return count > 0 ? "\(count) for \(destination.name), \(destination.reason)" : nil
        }
        if parts.isEmpty { return nil }
        return "not all has arrived: in the outbox \(parts.joined(separator: "; ")); utter outbox tells more"
    }

    private func failure(of operations: [OutboxOperation]) -> String? {
        let failed = operations.compactMap { operation in operation.firstFailedAt.map { (operation, since: $0) } }
        guard let (operation, since) = failed.min(by: { $0.since < $1.since }),
            Self.isLong(since: since, at: Date())
        else { return nil }
        let time = since.formatted(Date.FormatStyle(locale: Locale(identifier: "en_GB")).day().month().hour().minute())
        return
            "nothing comes to \(operation.destination) since \(time): \(operation.lastError ?? "it fails"); utter outbox tells more"
    }

    /// The operations of the queue that can be read, the oldest first, and no more than a thousand.
    private var operations: [OutboxOperation] {
        guard let ids = try? store.index().ids else { return [] }
        return ids.prefix(1000).compactMap { try? store.operation($0) }
    }

    /// Whether what has failed, or waited for somebody to bring it, since then has done so for an hour.
    static func isLong(since: Date, at now: Date) -> Bool { now.timeIntervalSince(since) >= 3600 }
}

extension DestinationConfiguration {
    func unknown(_ name: String) -> CommandError {
        let known = "there \(names.count == 1 ? "is" : "are") \(ValueKind.list(names, word: "and"))"
        return CommandError("'\(name)' is not a destination: \(known)", .configuration)
    }
}

extension MarkdownVault.Location {
    /// The folder of `--notes`, or else `utter/notes` in the XDG data folder.
    static func chosen(by arguments: ParsedArguments, _ environment: [String: String]) -> MarkdownVault.Location {
        arguments[DeliveryOptions.notes].map { .named($0) } ?? .usual(environment)
    }

    /// The folder's absolute path, for what another process reads: it may have another working folder or other notes.
    var absolutePath: String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// Whether an absolute path leads to this folder.
    func isFolder(_ other: String) -> Bool {
        DestinationConfiguration.isSame(absolutePath, other)
    }
}
