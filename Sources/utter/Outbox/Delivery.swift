import Foundation
import Outbox
import System

/// Where what was said goes: into the queue for every destination, on the disk before anything else is done, and from there to
/// the notes at once, and to others in the background.
struct Delivery: Sendable {
    let store: OutboxStore
    let destinations: DestinationConfiguration
    /// The destinations that the text goes to.
    let names: [String]
    /// Where the notes are, when no destination says it.
    private let notes: MarkdownVault.Location
    /// Whether nothing can belong anywhere else: there is one destination, and the user has named none, nor a folder.
    let isOnlyPlace: Bool
    /// Whether the destinations are known. Where they can't be read, what is for others than the notes waits until they can.
    private let knowsDestinations: Bool

    /// Those that are named, or else all that are configured, or else the notes.
    ///
    /// - Throws: `CommandError` when the configuration can't be read, or knows no destination of a name.
    init(_ options: DeliveryOptions, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        let destinations = try Destinations.required(notes: options.notes, environment)
        for name in options.destinations where destinations.handlers[name] == nil { throw destinations.unknown(name) }
        self.init(
            OutboxStore(folder: OutboxStore.defaultFolder(environment)), destinations, to: options.destinations,
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
        names = chosen.isEmpty ? destinations.names : Self.unique(chosen)
    }

    /// Where a text of now belongs.
    var place: MemoPlace { MemoPlace(destinations: names, notes: notes.folderForCaptures) }

    /// To the notes only, since what is configured can't be read.
    static func toNotes(
        _ notes: MarkdownVault.Location, environment: [String: String] = ProcessInfo.processInfo.environment,
        calls: FileCalls = .system
    ) -> Delivery {
        Delivery(
            OutboxStore(folder: OutboxStore.defaultFolder(environment), calls: calls),
            DestinationConfiguration(localVault: .plain(notes, environment, calls: calls)), notes: notes, knowsDestinations: false)
    }

    /// What became of a capture.
    struct Outcome: Equatable, Sendable {
        /// The notes that hold it.
        var notes: [String] = []
        /// The destinations that it will come to, from the queue.
        var queued: [String] = []
        /// The names for which it waits in the queue until a destination has them again.
        var unknown: [String] = []
        /// What the destinations among `queued` lack to which it can't come before the user sees to that: sentences.
        var missing: [String: String] = [:]
        /// Why it is not in the notes yet: a sentence.
        var trouble: String?

        /// What the user should know of those: a sentence.
        var unknownText: String? {
            if unknown.isEmpty { return nil }
            return "it waits in the outbox: there is no destination named \(ValueKind.list(unknown))"
        }

        private var missingText: String? {
            if missing.isEmpty { return nil }
            let reasons = missing.sorted { $0.key < $1.key }.map { "\($0): \($1)" }
            return "it waits for you in the outbox, \(reasons.joined(separator: "; "))"
        }

        /// In a few words.
        var text: String {
            let queued = queued.filter { missing[$0] == nil }
            var parts: [String] = []
            if !notes.isEmpty { parts.append("kept in \(ValueKind.list(notes, word: "and"))") }
            if !queued.isEmpty { parts.append("\(parts.isEmpty ? "kept, and " : "")on its way to \(ValueKind.list(queued, word: "and"))") }
            if parts.isEmpty { parts.append("kept") }
            return ([parts.joined(separator: ", ")] + [unknownText, missingText, trouble].compactMap { $0 }).joined(separator: "; ")
        }
    }

    /// Takes a capture: when this returns it is on the disk for good. Waits for the disk, and for nobody's network.
    ///
    /// - Parameters:
    ///   - id: the capture's: handed over again with the same one, it comes nowhere twice.
    ///   - earlier: where it belongs, when that was said by an earlier process.
    /// - Throws: `OutboxError` when it could not be taken for every destination.
    func send(_ capture: Capture, id: UUID, to earlier: MemoPlace? = nil) throws(OutboxError) -> Outcome {
        var capture = capture
        let place = earlier ?? place
        capture.notesFolder = place.notes
        var outcome = Outcome()
        for name in place.destinations {
            let operation = OutboxOperation(capture, id: id, to: name)
            // By then the name may have been another's.
            let handler = earlier == nil || knowsDestinations ? destinations.handlers[name] : nil
            guard let handler else {
                try store.enqueue(operation)
                if knowsDestinations { outcome.unknown.append(name) } else { outcome.queued.append(name) }
                continue
            }
            let vault = handler as? VaultHandler
            do throws(OutboxError) {
                try store.enqueue(operation)
            } catch {
                // The notes may be on another disk.
                guard let vault else { throw error }
                try vault.append(operation)
                outcome.notes += [vault.notePath(for: operation)].compactMap { $0 }
                continue
            }
            guard let vault else {
                outcome.queued.append(name)
                outcome.missing[name] = handler.whatIsMissing
                continue
            }
            do throws(OutboxError) {
                try vault.append(operation)
                outcome.notes += [vault.notePath(for: operation)].compactMap { $0 }
            } catch {
                outcome.queued.append(name)
                outcome.trouble = vault.reason(error, for: operation)
                continue
            }
            // When it stays in the queue, it is added once more, which does nothing.
            _ = try? store.removeArrived(operation)
        }
        return outcome
    }

    /// Brings what is in the queue, in a process of its own that outlives this one, for a minute at most. What has not arrived then
    /// waits for the next, or for the service.
    static func drainInBackground() {
        // Where no process can be started, it stays in the queue too.
        try? ChildProcess.startDetached("/proc/self/exe", ["outbox", "drain", "--watch", "--for", "60"])
    }

    /// What the user should know of the queue: what waits for the user, and what has failed for an hour.
    ///
    /// - Parameter limit: only so many are looked at, the oldest.
    func warning(at now: Date = Date(), limit: Int = 1000) -> String? {
        guard let ids = try? store.index().ids else { return nil }
        let operations = ids.prefix(limit).compactMap { try? store.operation($0) }
        let heldCount = operations.count { $0.waitsForUser || knowsDestinations && destinations.handlers[$0.kind] == nil }
        let held =
            switch heldCount {
            case 0: nil as String?
            case 1: "1 memo waits for you: utter outbox"
            default: "\(heldCount) memos wait for you: utter outbox"
            }
        let sentences = [held, failure(of: operations.filter { !$0.waitsForUser }, at: now)].compactMap { $0 }
        return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
    }

    private func failure(of operations: [OutboxOperation], at now: Date) -> String? {
        let failed = operations.compactMap { operation in operation.firstFailedAt.map { (operation, since: $0) } }
        guard let (operation, since) = failed.min(by: { $0.since < $1.since }), OutboxState.deservesWarning(since: since, at: now) else {
            return nil
        }
        let time = since.formatted(Date.FormatStyle(locale: Locale(identifier: "en_GB")).day().month().hour().minute())
        return "nothing comes to \(operation.kind) since \(time): \(operation.lastError ?? "it fails"); utter outbox tells more"
    }

    private static func unique(_ names: [String]) -> [String] {
        names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
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

    /// What a capture says of it, for whoever brings it from the queue, who may work in another folder or have other notes.
    var folderForCaptures: String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}
