import Foundation
import Outbox

struct OutboxMove: Command {
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        guard let target = arguments[Self.target] else {
            throw arguments.specification.usageError("move needs --to DESTINATION")
        }
        let choices = [!arguments.operands.isEmpty, arguments[Self.all], arguments.has(Self.origin)]
        if choices.count(where: { $0 }) != 1 {
            throw arguments.specification.usageError("move needs an ID, or several, or --all, or --from DESTINATION")
        }
        let queue = try QueueAccess(arguments)
        let index = try queue.store.index()
        let operations = try chosen(of: queue)
        if operations.isEmpty {
            Console.tell(arguments[Self.origin].map { "nothing waits for \($0)" } ?? QueueSummary.emptyText)
        }
        try queue.change(operations, drains: !arguments[Self.onlyMoves]) { operation in
            let moved = try queue.store.move(
                operation.id, to: target, notesFolder: queue.notes.absolutePath)
            // Nil: it has arrived meanwhile.
            guard let moved else { return nil }
            return queue.isJSON
                ? queue.json(moved)
                : TerminalText.visible("\(moved.id.name)  from \(operation.destination) to \(target)")
        }
        return try queue.tellPutAside(since: index)
    }

    /// The operations to move: those that the user named, else all of `--from`, else all.
    private func chosen(of queue: QueueAccess) throws -> [OutboxOperation] {
        if !arguments.operands.isEmpty { return try queue.operations(named: arguments.operands) }
        let destination = arguments[Self.origin]
        return try queue.store.operations().filter { destination == nil || $0.destination == destination }
    }
}
