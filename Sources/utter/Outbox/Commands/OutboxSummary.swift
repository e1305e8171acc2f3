import Outbox

struct OutboxSummary: Command {
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        let queue = try QueueAccess(arguments)
        let index = try queue.store.index()
        let operations = try queue.store.operations()
        let destinations = QueueSummary(operations) { queue.destinations.handlers[$0] != nil }.destinations
        let isBrought = try QueueBringer.isThere(for: queue.store)
        // The queue has just put aside the files that it could not read, unless they had arrived.
        let aside = operations.count == index.ids.count ? index.aside : try queue.store.index().aside
        if queue.isJSON {
            let counts = destinations.map { destination in
                JSONValue.object([
                    "destination": destination.name, "pending": destination.pending,
                    "failing": destination.failing.count, "held": destination.held.count,
                    "reason": destination.reason.isEmpty ? nil : destination.reason,
                    "nextInSeconds": destination.delay.map(JSONValue.seconds),
                ])
            }
            let summary = JSONValue.object([
                "pending": operations.count, "aside": aside.count, "foreign": index.foreign.count,
                "brought": isBrought, "destinations": counts,
            ])
            try Output.write(summary.json + "\n")
            return try queue.tellPutAside(aside, since: index)
        }
        var lines = destinations.isEmpty && aside.isEmpty ? [QueueSummary.emptyText] : []
        lines += destinations.map { $0.line(isBrought: isBrought) }
        if !isBrought, destinations.contains(where: { $0.pending > $0.held.count }) {
            lines.append(QueueBringer.remedy)
        }
        if !aside.isEmpty { lines.append("unreadable and put aside: \(aside.count) in \(queue.store.folder)/aside") }
        if !index.foreign.isEmpty { lines.append("not ours: \(index.foreign.joined(separator: ", "))") }
        try Output.write(lines.map { TerminalText.visible($0) + "\n" }.joined())
        return try queue.tellPutAside(aside, since: index)
    }
}
