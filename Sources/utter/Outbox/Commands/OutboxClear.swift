import Glibc
import Outbox

/// `utter outbox clear`: throws away captures that have not arrived.
struct OutboxClear: Command {
    static let specification = CommandSpecification.outboxClear
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        let queue = try QueueAccess(arguments)
        let ids = try queue.ids(named: arguments.operands)
        if ids.isEmpty {
            if !queue.isJSON { try Output.write(QueueReview.emptyText + "\n") }
            return .ok
        }
        if !arguments[Self.isSure] {
            guard isatty(STDIN_FILENO) != 0, isatty(STDERR_FILENO) != 0 else {
                throw CommandError("clear asks on a terminal; without one add --yes", .usage)
            }
            Console.say("Throw away \(ids.count == 1 ? "one that has" : "\(ids.count) that have") not arrived? [y/N] ")
            guard readLine()?.lowercased().hasPrefix("y") == true else { return .ok }
        }
        try queue.change(ids) { id in
            try queue.store.remove(id)
            return queue.isJSON ? JSONWriter.object(["id": JSONWriter.string(id.name)]) : nil
        }
        if !queue.isJSON { try Output.write("\(ids.count) thrown away\n") }
        return .ok
    }
}
