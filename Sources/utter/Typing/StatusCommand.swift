import Foundation

/// `utter status`: what `utter type` is doing.
struct StatusCommand: Command {
    static let specification = CommandSpecification.status
    static let takesSettings = false
    private let isJSON: Bool
    private let follows: Bool

    init(_ arguments: ParsedArguments) {
        (isJSON, follows) = (arguments[Flag.json], arguments[Self.follows])
    }

    func run() async throws -> ExitCode {
        let write: @Sendable (TypingStatus) throws -> Void = { [isJSON] status in
            try Output.write((isJSON ? status.json : TerminalText.visible(status.line)) + "\n")
        }
        var isFirst = true
        repeat {
            let isServed = try await TypingClient(follows ? .follow : .status).ask(isStarting: follows && isFirst) {
                [follows] answer in
                try write(answer.status)
                return follows
            }
            // Nothing serves, so nothing listens; something may wait all the same.
            if !isServed && isFirst || isServed && follows { try write(TypingService.statusUnserved(TypingQueue())) }
            isFirst = false
            // No event says that another process serves.
            if follows { try await Task.sleep(for: .seconds(1)) }
        } while follows
        return .ok
    }
}
