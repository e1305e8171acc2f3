import Outbox

/// `utter outbox summary`: counts the captures that wait, by destination.
struct OutboxSummary: Command {
    static let specification = CommandSpecification.outboxSummary
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        let queue = try QueueAccess(arguments)
        let index = try queue.store.index()
        var counts: [String: (pending: Int, failing: Int, held: Int)] = [:]
        var unreadCount = 0
        for id in index.ids {
            guard let operation = try queue.store.operation(id) else {
                unreadCount += 1
                continue
            }
            let isHeld = operation.waitsForUser || queue.destinations.handlers[operation.destination] == nil
            counts[operation.destination, default: (0, 0, 0)].pending += 1
            if isHeld { counts[operation.destination, default: (0, 0, 0)].held += 1 }
            if operation.attemptCount > 0, !isHeld { counts[operation.destination, default: (0, 0, 0)].failing += 1 }
        }
        // The queue has just put aside the files that it could not read, unless they had arrived.
        let aside = unreadCount == 0 ? index.aside : try queue.store.index().aside
        let kinds = counts.sorted { $0.key < $1.key }
        if queue.isJSON {
            let destinations = kinds.map { destination, count in
                JSONWriter.object([
                    "destination": JSONWriter.string(destination), "pending": String(count.pending),
                    "failing": String(count.failing), "held": String(count.held),
                ])
            }
            try Output.write(
                JSONWriter.object([
                    "pending": String(index.ids.count - unreadCount), "aside": String(aside.count),
                    "foreign": String(index.foreign.count), "destinations": JSONWriter.array(destinations),
                ]) + "\n")
            return .ok
        }
        var lines = kinds.isEmpty && aside.isEmpty ? [QueueReview.emptyText] : []
        for (destination, count) in kinds {
            var line = "\(destination): \(count.pending) pending"
            if count.failing > 0 { line += ", \(count.failing) of them failing" }
            if count.held > 0 { line += ", \(count.held) of them waiting for you" }
            lines.append(line)
        }
        if !aside.isEmpty { lines.append("unreadable and put aside: \(aside.count) in \(queue.store.folder)/aside") }
        if !index.foreign.isEmpty { lines.append("not ours: \(index.foreign.joined(separator: ", "))") }
        try Output.write(lines.map { TerminalText.visible($0) + "\n" }.joined())
        return .ok
    }
}
