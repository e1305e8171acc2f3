import Outbox

struct OutboxRetry: Command {
    static let specification = CommandSpecification.outboxRetry
    private let arguments: ParsedArguments

    init(arguments: ParsedArguments) throws(UsageError) {
        self.arguments = arguments
        let isNamed = !arguments.operands.isEmpty
        if isNamed == arguments[Self.all] {
            throw Self.specification.usageError(
                isNamed ? "an ID and --all can't go together" : "retry needs an ID, or --all")
        }
    }

    func run() throws -> ExitCode {
        let queue = try QueueAccess(arguments)
        try queue.change(queue.ids(named: arguments.operands), drains: !arguments[Self.onlyMarks]) { id in
            let operation = try queue.store.change(id) { $0.retry() }
            return queue.isJSON ? operation.map { queue.json($0) } : nil
        }
        return .ok
    }
}
