import Foundation
import Glibc
import System

/// A command of `utter type` that is no more than a request to the process that serves: the one that its last word names.
struct TypeRequest: Command {
    // The process that listens reads the settings itself.
    static let takesSettings = false
    let arguments: ParsedArguments

    func run() async throws -> ExitCode {
        guard let action = TypingRequest.Action(rawValue: arguments.specification.word) else {
            preconditionFailure("a command that is no request")
        }
        // The options are for the process that listens. They are checked here, where the user is.
        _ = try CaptureOptions(arguments)
        _ = try RecognitionOptions(arguments)
        let options = arguments.spelledOptions(in: FileManager.default.currentDirectoryPath)
        var text: String?
        if action == .text {
            let typed = MemoText.cleaned(try Input.text(of: arguments.operands, atMost: 1 << 20))
            if typed.isEmpty { throw CommandError("there is no text to type", .dataError) }
            text = typed
        }
        return try await TypingClient(action, options: options, text: text).run()
    }
}

struct TypeServe: Command {
    static let takesSettings = false

    init(arguments: ParsedArguments) {}

    func run() async throws -> ExitCode {
        // systemd, and the command that starts this process, hand over the socket as the standard input.
        let given = LocalSocket.isListening(STDIN_FILENO) ? STDIN_FILENO : nil
        guard let socket = try given ?? TypingSocket.listen() else {
            throw CommandError("another process serves utter type", .tempFail)
        }
        return try await TypingServer(socket).run()
    }
}
