import Foundation
import Outbox

/// `utter outbox add`: queues a text.
struct OutboxAdd: Command {
    static let specification = CommandSpecification.outboxAdd
    private let arguments: ParsedArguments

    init(_ arguments: ParsedArguments) {
        self.arguments = arguments
    }

    func run() throws -> ExitCode {
        let queue = try QueueAccess(arguments)
        let text: String
        if arguments.operands.isEmpty || arguments.operands == ["-"] {
            let data = try Input.read(atMost: queue.store.maximumSize)
            guard let input = String(validating: data, as: UTF8.self) else {
                throw CommandError("standard input holds no text in UTF-8", .dataError)
            }
            text = input.hasSuffix("\n") ? String(input.dropLast()) : input
        } else {
            text = arguments.operands.joined(separator: " ")
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw CommandError("there is no text to add", .dataError)
        }
        let capture = CapturedText(text: text, notesFolder: queue.notes.absolutePath)
        let id = UUID.timeOrdered()
        try queue.change(queue.names, drains: !arguments[Self.onlyQueues]) { name in
            let operation = OutboxOperation(capture, id: id, to: name)
            try queue.store.enqueue(operation)
            let shown = operation.id.name
            return queue.isJSON
                ? JSONWriter.object(["id": JSONWriter.string(shown), "destination": JSONWriter.string(name)])
                : TerminalText.visible("\(shown)  \(name)")
        }
        return .ok
    }
}
