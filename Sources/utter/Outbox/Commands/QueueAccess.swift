import Foundation
import Glibc
import Outbox

/// The queue and its destinations, as the commands of `utter outbox` look at them.
struct QueueAccess {
    let store: OutboxStore
    let destinations: DestinationConfiguration
    /// Those of `--to`, or all.
    let names: [String]
    /// Where the notes are when no destination says it.
    let notes: MarkdownVault.Location
    let isJSON: Bool

    init(_ arguments: ParsedArguments, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        let options = DeliveryOptions(arguments, environment: environment)
        let delivery = try Delivery(options, environment: environment)
        (store, destinations, names) = (delivery.store, delivery.destinations, delivery.names)
        notes = options.notes
        isJSON = arguments[Flag.json]
    }

    /// Those of the ones that are named, or all.
    func ids(named texts: [String]) throws -> [UUID] {
        texts.isEmpty ? Array(try store.index().ids) : try operations(named: texts).map(\.id)
    }

    /// Those that are named, each once. An unknown one is refused before anything is done to any.
    func operations(named texts: [String]) throws -> [OutboxOperation] {
        var ids: Set<UUID> = []
        return try texts.map { try find($0) }.filter { ids.insert($0.id).inserted }
    }

    /// The one operation whose id is, begins with or ends with this.
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
            throw CommandError("the file of \(id.name) can't be read; it was put aside in \(store.folder)/aside", .dataError)
        }
        return operation
    }

    func text(of operation: OutboxOperation) -> String {
        Capture(payload: operation.payload)?.text ?? String(decoding: operation.payload, as: UTF8.self)
    }

    func standing(_ operation: OutboxOperation) -> String {
        if destinations.handlers[operation.kind] == nil { return "no destination has this name" }
        if operation.waitsForUser { return "waits for you: \(operation.lastError ?? "")" }
        guard operation.attemptCount > 0 else { return "not tried yet" }
        let count = operation.attemptCount == 1 ? "once" : "\(operation.attemptCount) times"
        return "tried \(count): \(operation.lastError ?? "")"
    }

    func time(_ date: Date) -> String { date.formatted(.iso8601) }

    /// On a terminal in the time of here, as the notes have it.
    func shownTime(_ date: Date) -> String {
        guard isatty(STDOUT_FILENO) != 0 else { return time(date) }
        var style = Date.ISO8601FormatStyle(timeZone: .current)
        style = style.year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false)
        return date.formatted(style)
    }

    /// - Parameter text: nil where what was said is not to be told.
    func json(_ operation: OutboxOperation, text: String? = nil) -> String {
        JSONWriter.object([
            "id": JSONWriter.string(operation.id.name), "destination": JSONWriter.string(operation.kind),
            "createdAt": JSONWriter.string(time(operation.createdAt)), "attempts": String(operation.attemptCount),
            "nextAt": operation.nextEligibleAt.map { JSONWriter.string(time($0)) },
            "waitsForUser": operation.waitsForUser ? "true" : "false", "lastError": operation.lastError.map(JSONWriter.string),
            "text": text.map(JSONWriter.string),
        ])
    }
}
