import Glibc
import Outbox

struct OutboxClear: Command {
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        let queue = try QueueAccess(arguments)
        let ids = try queue.ids(named: arguments.operands)
        let isWanted = try ids.isEmpty || isWanted(count: ids.count)
        var count = 0
        let cleared = Result {
            try queue.change(isWanted ? ids : []) { id in
                // Nil: it has arrived meanwhile.
                guard try queue.store.remove(id) else { return nil }
                count += 1
                return queue.isJSON ? JSONValue.object(["id": id.name]).json : nil
            }
        }
        if !queue.isJSON { try Output.write("\(count) thrown away\n", after: "\(count) thrown away") }
        try cleared.get()
        return .ok
    }

    /// Asks whether so many are to be thrown away.
    private func isWanted(count: Int) throws -> Bool {
        if arguments[Self.isSure] { return true }
        guard isatty(STDIN_FILENO) != 0, isatty(STDERR_FILENO) != 0 else {
            throw CommandError("clear asks on a terminal; without one add --yes", .usage)
        }
        Console.say("Throw away \(count == 1 ? "one that has" : "\(count) that have") not arrived? [y/N] ")
        return readLine()?.lowercased().hasPrefix("y") == true
    }
}
