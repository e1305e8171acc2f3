import Foundation
import Outbox

struct OutboxAdd: Command {
    static let worksWithoutSettings = true
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        // What was piped in can't be piped in again, so it is taken whatever the configuration holds.
        let queue = try QueueAccess(arguments, waitsForDestinations: true)
        let isMended = Settings.readable().failures.isEmpty && queue.knowsDestinations
        let text = try Input.text(of: arguments.operands, atMost: queue.store.maximumSize)
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw CommandError("there is no text to add", .dataError)
        }
        // The configuration may name another folder for the notes, so the process that brings them decides.
        let isPlaceKnown = isMended || queue.notes.isNamed
        let capture = CapturedText(text: text, notesFolder: isPlaceKnown ? queue.notes.absolutePath : nil)
        let id = UUID.timeOrdered()
        try queue.change(
            queue.names, drains: isMended && !arguments[Self.onlyQueues], done: "the text is kept in the outbox"
        ) {
            name in
            let operation = OutboxOperation(capture, id: id, to: name)
            try queue.store.enqueue(operation)
            let shown = operation.id.name
            return queue.isJSON
                ? JSONValue.object(["id": shown, "destination": name]).json
                : TerminalText.visible("\(shown)  \(name)")
        }
        if !isMended { Console.tell("the text waits in the outbox until the configuration is mended: utter doctor") }
        return .ok
    }
}
