import Outbox

struct OutboxRetry: Command {
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        let isNamed = !arguments.operands.isEmpty
        if isNamed == arguments[Self.all] {
            throw arguments.specification.usageError(
                isNamed ? "an ID and --all can't go together" : "retry needs an ID, or --all")
        }
        let queue = try QueueAccess(arguments)
        let index = try queue.store.index()
        try queue.change(queue.ids(named: arguments.operands), drains: !arguments[Self.onlyMarks]) { id in
            let operation = try queue.store.change(id) { $0.retry() }
            return queue.isJSON ? operation.map { queue.json($0) } : nil
        }
        return try queue.tellPutAside(since: index)
    }
}
