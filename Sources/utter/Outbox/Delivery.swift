import Audio
import Foundation
import Outbox

/// Where what was said goes: into the queue for every destination, on the disk before anything else is done, and from there to
/// the notes at once, and to others in the background.
struct Delivery: Sendable {
    let store: OutboxStore
    let destinations: DestinationConfiguration
    /// The destinations that the text goes to.
    let names: [String]
    /// Where the notes are, when no destination says it.
    private let notes: MarkdownVault.Location

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
        notes: MarkdownVault.Location
    ) {
        self.store = store
        self.destinations = destinations
        self.notes = notes
        names = chosen.isEmpty ? destinations.names : Self.unique(chosen)
    }

    /// To the notes only, whatever is configured.
    static func toNotes(
        _ notes: MarkdownVault.Location, environment: [String: String] = ProcessInfo.processInfo.environment,
        calls: FileCalls = .system
    ) -> Delivery {
        Delivery(
            OutboxStore(folder: OutboxStore.defaultFolder(environment), calls: calls),
            DestinationConfiguration(localVault: MarkdownVault(notes, calls: calls)), notes: notes)
    }

    /// What became of a capture.
    struct Outcome: Equatable, Sendable {
        /// The notes that hold it.
        var notes: [String] = []
        /// The destinations that it will come to, from the queue.
        var queued: [String] = []
        /// Why it is not in the notes yet: a sentence.
        var trouble: String?

        /// In a few words.
        var text: String {
            var parts: [String] = []
            if !notes.isEmpty { parts.append("kept in \(ValueKind.list(notes, word: "and"))") }
            if !queued.isEmpty { parts.append("\(parts.isEmpty ? "kept, and " : "")on its way to \(ValueKind.list(queued, word: "and"))") }
            return parts.joined(separator: ", ") + (trouble.map { "; \($0)" } ?? "")
        }
    }

    /// Takes a capture: when this returns it is on the disk for good. Waits for the disk, and for nobody's network.
    ///
    /// - Parameter id: the capture's: handed over again with the same one, it comes nowhere twice.
    /// - Throws: `OutboxError` when it could not be taken for every destination.
    func send(_ capture: Capture, id: UUID) throws(OutboxError) -> Outcome {
        var capture = capture
        capture.notesFolder = notes.folderForCaptures
        var outcome = Outcome()
        for name in names {
            let operation = OutboxOperation(capture, id: id, to: name)
            let vault = destinations.handlers[name] as? VaultHandler
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

    /// What the user should know of the queue: something has failed for an hour.
    ///
    /// - Parameter limit: only so many are looked at, the oldest.
    func warning(at now: Date = Date(), limit: Int = 100) -> String? {
        guard let ids = try? store.index().ids else { return nil }
        let operations = ids.prefix(limit).compactMap { try? store.operation($0) }
        let failed = operations.compactMap { operation in operation.firstFailedAt.map { (operation, since: $0) } }
        guard let (operation, since) = failed.min(by: { $0.since < $1.since }), now.timeIntervalSince(since) >= 3600 else { return nil }
        let time = since.formatted(Date.FormatStyle(locale: Locale(identifier: "en_GB")).day().month().hour().minute())
        return "nothing comes to \(operation.kind) since \(time): \(operation.lastError ?? "it fails"); utter outbox tells more"
    }

    private static func unique(_ names: [String]) -> [String] {
        names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension DestinationConfiguration {
    func unknown(_ name: String) -> CommandError {
        CommandError("'\(name)' is not a destination: there is \(ValueKind.list(names))", .configuration)
    }
}

extension MarkdownVault.Location {
    /// The folder of `--notes`, or else `utter/notes` in the XDG data folder.
    static func chosen(by arguments: ParsedArguments, _ environment: [String: String]) -> MarkdownVault.Location {
        if let folder = arguments.string("notes") { return .named(folder) }
        return .own(BaseFolder.data.utter(environment) + "/notes")
    }

    /// What a capture says of it, for whoever brings it from the queue, who may work in another folder; nil for the usual place.
    var folderForCaptures: String? {
        guard case .named(let path) = self else { return nil }
        return path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}
