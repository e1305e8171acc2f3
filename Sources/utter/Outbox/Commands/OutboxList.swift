import Foundation
import Glibc
import Outbox

struct OutboxList: Command {
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        let queue = try QueueAccess(arguments)
        let index = try queue.store.index()
        if !queue.isJSON, let width = Console.size(of: STDOUT_FILENO)?.columns {
            try showTable(queue, width: width)
            return try queue.tellPutAside(since: index)
        }
        for id in index.ids {
            guard let operation = try queue.store.operation(id) else { continue }
            if queue.isJSON {
                try Output.write(queue.json(operation) + "\n")
            } else {
                let line =
                    "\(id.name)  \(queue.time(operation.createdAt))  \(operation.destination)  \(queue.standing(operation))"
                try Output.write(TerminalText.visible(line) + "\n")
            }
        }
        return try queue.tellPutAside(since: index)
    }

    /// Writes a table with the first words of each capture, which only a terminal shows: its owner reads it.
    private func showTable(_ queue: QueueAccess, width: Int) throws {
        let now = Date()
        let rows = try queue.store.operations().map { operation in
            OutboxTable.Row(
                id: operation.id, age: now.timeIntervalSince(operation.createdAt), destination: operation.destination,
                standing: queue.standing(operation), text: String(queue.text(of: operation).prefix(100)))
        }
        let table = OutboxTable(
            rows: rows, isUTF8: TerminalTraits(environment: ProcessInfo.processInfo.environment).isUTF8)
        try Output.write(table.lines(width: width).map { TerminalText.visible($0) + "\n" }.joined())
    }
}
