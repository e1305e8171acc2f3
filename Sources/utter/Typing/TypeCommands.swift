import Foundation
import Glibc
import Outbox
import System

/// A command of `utter type` that is no more than a request to the process that serves.
protocol TypingCommand: Command {
    static var action: TypingRequest.Action { get }
    init()
}

extension TypingCommand {
    static var takesSettings: Bool { false }

    init(arguments: ParsedArguments) { self.init() }

    func run() async throws -> ExitCode { try await TypingClient(Self.action).run() }
}

struct TypeEnd: TypingCommand {
    static let specification = CommandSpecification.typeEnd
    static let action = TypingRequest.Action.end
}

struct TypeCancel: TypingCommand {
    static let specification = CommandSpecification.typeCancel
    static let action = TypingRequest.Action.cancel
}

struct TypeScratch: TypingCommand {
    static let specification = CommandSpecification.typeScratch
    static let action = TypingRequest.Action.scratch
}

struct TypeAgain: TypingCommand {
    static let specification = CommandSpecification.typeAgain
    static let action = TypingRequest.Action.again
}

struct TypeDrop: TypingCommand {
    static let specification = CommandSpecification.typeDrop
    static let action = TypingRequest.Action.drop
}

struct TypeStop: TypingCommand {
    static let specification = CommandSpecification.typeStop
    static let action = TypingRequest.Action.stop
}

struct TypeBegin: Command {
    static let specification = CommandSpecification.typeBegin
    // The process that listens reads the settings itself.
    static let takesSettings = false
    private let options: [String]

    init(arguments: ParsedArguments) throws(UsageError) { options = try Self.checkedOptions(arguments) }

    /// The options for the process that listens. They are checked here, where the user is.
    static func checkedOptions(_ arguments: ParsedArguments) throws(UsageError) -> [String] {
        _ = try CaptureOptions(arguments)
        _ = try RecognitionOptions(arguments)
        return arguments.spelledOptions(in: FileManager.default.currentDirectoryPath)
    }

    func run() async throws -> ExitCode { try await TypingClient(.begin, options: options).run() }
}

struct TypeToggle: Command {
    static let specification = CommandSpecification.typeToggle
    static let takesSettings = false
    private let options: [String]

    init(arguments: ParsedArguments) throws(UsageError) { options = try TypeBegin.checkedOptions(arguments) }

    func run() async throws -> ExitCode { try await TypingClient(.toggle, options: options).run() }
}

struct TypeTextCommand: Command {
    static let specification = CommandSpecification.typeText
    static let takesSettings = false
    let arguments: ParsedArguments

    func run() async throws -> ExitCode {
        let text = MemoText.cleaned(try Input.text(of: arguments.operands, atMost: 1 << 20))
        if text.isEmpty { throw CommandError("there is no text to type", .dataError) }
        return try await TypingClient(.text, text: text).run()
    }
}

struct TypeServe: Command {
    static let specification = CommandSpecification.typeServe
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
