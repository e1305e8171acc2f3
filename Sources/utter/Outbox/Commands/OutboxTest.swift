import Foundation
import Outbox

struct OutboxTest: Command {
    let arguments: ParsedArguments

    func run() async throws -> ExitCode {
        let queue = try QueueAccess(arguments)
        let name = arguments.operands[0]
        guard let handler = queue.destinations.handlers[name] else { throw queue.destinations.unknown(name) }
        return try await InterruptibleWork.run { try await test(name, handler, queue) }
    }

    private func test(_ name: String, _ handler: any OutboxHandler, _ queue: QueueAccess) async throws -> ExitCode {
        let operation = OutboxOperation(CapturedText(text: "a test of utter"), id: .timeOrdered(), to: name)
        let outcome: DeliveryOutcome
        var words: [UInt8] = []
        if let handler = handler as? any ProgramHandler {
            (outcome, words) = await handler.attempt(operation)
        } else {
            outcome = await handler.deliver(operation)
        }
        if outcome != .delivered {
            try Task.checkCancellation()
            // The program's words may be shown: it got the test text, and nothing that anybody said.
            Console.say(TerminalText.visible(bytes: words, layout: .tabsAndNewlines), layout: .tabsAndNewlines)
        }
        switch outcome {
        case .delivered:
            try Output.write(queue.isJSON ? result(name, nil) : TerminalText.visible("\(name) works") + "\n")
            return .ok
        case .failed(let reason, _, _, _): throw try failure(queue, operation, reason, .tempFail)
        case .needsUser(let reason): throw try failure(queue, operation, reason, .configuration)
        }
    }

    private func failure(
        _ queue: QueueAccess, _ operation: OutboxOperation, _ reason: String, _ code: ExitCode
    ) throws(CommandError) -> CommandError {
        let name = operation.destination
        // The test is not in the queue, from which its command could move it.
        let reason = reason.components(separatedBy: VaultHandler.move(operation))[0]
        if queue.isJSON { try Output.write(result(name, reason)) }
        return CommandError("\(name): \(reason)", code)
    }

    private func result(_ name: String, _ reason: String?) -> String {
        JSONValue.object(["destination": name, "works": reason == nil, "reason": reason]).json + "\n"
    }
}
