import Foundation
import Glibc
import Outbox
import System

/// The queue, its destinations and the options that the commands of `utter outbox` share.
struct QueueAccess {
    let store: OutboxStore
    let destinations: DestinationConfiguration
    /// The names of the destinations: those of `--to`, or all.
    let names: [String]
    /// The place of the notes, for captures whose destination does not name one.
    let notes: MarkdownVault.Location
    let isJSON: Bool
    let knowsDestinations: Bool

    /// Opens the queue.
    ///
    /// - Parameter waitsForDestinations: whether destinations that can't be read are no error, because the command only queues.
    init(_ arguments: ParsedArguments, waitsForDestinations: Bool = false) throws {
        let options = DeliveryOptions(arguments)
        let delivery = try waitsForDestinations ? Delivery.orWaiting(options) : Delivery(options)
        knowsDestinations = delivery.knowsDestinations
        (store, destinations, names) = (delivery.store, delivery.destinations, delivery.names)
        notes = options.notes
        isJSON = arguments[Flag.json]
    }

    /// Makes all changes, and then writes a line for each: a reader that leaves early prevents none of them.
    ///
    /// - Parameters:
    ///   - drains: whether to bring what waits, in the background.
    ///   - done: what is done, for the error when the lines can't be written.
    ///   - change: changes an item, and returns the line about it, or nil for none.
    func change<Item>(
        _ items: [Item], drains: Bool = false, done: String = "the outbox is changed",
        _ change: (Item) throws -> String?
    ) throws {
        var lines = ""
        let changed = Result { for item in items { if let line = try change(item) { lines += line + "\n" } } }
        if drains, !items.isEmpty { Delivery.drainInBackground() }
        let written = Result { if !lines.isEmpty { try Output.write(lines, after: done) } }
        try changed.get()
        try written.get()
    }

    /// Says which files were put aside since the queue was listed, for they can't be read.
    ///
    /// - Parameter names: the files that are aside now; nil to look.
    /// - Returns: the exit code.
    func tellPutAside(_ names: [String]? = nil, since earlier: OutboxIndex) throws -> ExitCode {
        let new = try (names ?? store.index().aside).filter { !earlier.aside.contains($0) }
        for name in new { Console.tell(putAside(name.prefix(36))) }
        return new.isEmpty ? .ok : .dataError
    }

    private func putAside(_ id: some StringProtocol) -> String {
        "the file of \(id) can't be read; it was put aside in \(store.folder)/aside"
    }

    /// The ids that the user named, or all.
    func ids(named texts: [String]) throws -> [UUID] {
        texts.isEmpty ? Array(try store.index().ids) : try operations(named: texts).map(\.id)
    }

    /// The operations that the user named, each once. An unknown name is refused before any operation is changed.
    func operations(named texts: [String]) throws -> [OutboxOperation] {
        try texts.map { try find($0) }.unique(by: \.id)
    }

    /// Finds the only operation whose id begins or ends with `text`.
    private func find(_ text: String) throws -> OutboxOperation {
        let text = text.lowercased()
        let ids = try store.index().ids.filter { id in
            id.name.hasPrefix(text) || id.name.hasSuffix(text)
        }
        if ids.count > 1 { throw CommandError("\(text) stands for \(ids.count) operations; write more of it", .usage) }
        guard let id = ids.first else {
            throw CommandError("there is no operation '\(text)' in the queue; utter outbox list shows them", .noInput)
        }
        guard let operation = try store.operation(id) else {
            throw CommandError(putAside(id.name), .dataError)
        }
        return operation
    }

    func text(of operation: OutboxOperation) -> String {
        CapturedText(payload: operation.payload)?.text ?? String(decoding: operation.payload, as: UTF8.self)
    }

    func standing(_ operation: OutboxOperation) -> String {
        if destinations.handlers[operation.destination] == nil { return "no destination has this name" }
        if operation.waitsForUser { return "waits for you: \(operation.lastError ?? "")" }
        guard operation.attemptCount > 0 else { return "not tried yet" }
        let count = operation.attemptCount == 1 ? "once" : "\(operation.attemptCount) times"
        return "tried \(count): \(operation.lastError ?? "")"
    }

    func time(_ date: Date) -> String { date.formatted(.iso8601) }

    /// A time for people: on a terminal the local time, as in the notes.
    func shownTime(_ date: Date) -> String {
        guard isatty(STDOUT_FILENO) != 0 else { return time(date) }
        var style = Date.ISO8601FormatStyle(timeZone: .current)
        style = style.year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false)
        return date.formatted(style)
    }

    /// An operation as a JSON object.
    ///
    /// - Parameter text: the text that was said; nil to leave it out.
    func json(_ operation: OutboxOperation, text: String? = nil) -> String {
        // The clock may have been set back since the last attempt.
        let (now, next) = (Date(), operation.nextEligibleAt)
        let nextAt = next.map { min($0, now + operation.delay(at: now)) }
        return JSONValue.object([
            "id": operation.id.name, "destination": operation.destination, "createdAt": time(operation.createdAt),
            "attempts": operation.attemptCount, "nextAt": nextAt.map(time), "waitsForUser": operation.waitsForUser,
            "lastError": operation.lastError, "text": text,
        ]).json
    }
}

extension OutboxStore {
    /// The operations that can be read, the oldest first.
    func operations() throws(OutboxError) -> [OutboxOperation] {
        var operations: [OutboxOperation] = []
        for id in try index().ids { if let next = try operation(id) { operations.append(next) } }
        return operations
    }
}
