import Foundation
import Outbox

struct OutboxShow: Command {
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        let queue = try QueueAccess(arguments)
        for (number, operation) in try queue.operations(named: arguments.operands).enumerated() {
            if number > 0, !queue.isJSON { try Output.write("\n") }
            try show(operation, of: queue)
        }
        return .ok
    }

    private func show(_ operation: OutboxOperation, of queue: QueueAccess) throws {
        let text = queue.text(of: operation)
        let isProgram = queue.destinations.handlers[operation.destination] is any ProgramHandler
        if queue.isJSON { return try Output.write(queue.json(operation, text: text) + "\n") }
        var lines = [
            "id: \(operation.id.name)", "destination: \(operation.destination)",
            "since: \(queue.shownTime(operation.createdAt))",
            "attempts: \(operation.attemptCount)", "state: \(queue.standing(operation))",
        ]
        let delay = operation.delay(at: Date())
        if delay > 0 { lines.append("next attempt: in \(OutboxTable.age(delay.rounded(.up)))") }
        if isProgram, operation.lastError != nil {
            lines.append("to see what it says: utter outbox test \(ShellWord.quoted(operation.destination))")
        }
        let head = lines.map { TerminalText.visible($0) + "\n" }.joined()
        try Output.write(head + "\n" + TerminalText.visible(text, layout: .tabsAndNewlines) + "\n")
    }
}
