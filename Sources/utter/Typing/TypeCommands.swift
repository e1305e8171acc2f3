import Foundation
import Glibc
import Outbox
import System

/// `utter type begin`: begins a dictation.
struct TypeBegin: Command {
    static let specification = CommandSpecification.typeBegin
    // The process that listens reads the settings itself.
    static let takesSettings = false
    private let options: [String]

    init(_ arguments: ParsedArguments) throws(UsageError) { options = try Self.checkedOptions(arguments) }

    /// The options for the process that listens. They are checked here, where the user is.
    static func checkedOptions(_ arguments: ParsedArguments) throws(UsageError) -> [String] {
        _ = try CaptureOptions(arguments)
        _ = try RecognitionOptions(arguments)
        return arguments.spelledOptions(in: FileManager.default.currentDirectoryPath)
    }

    func run() async throws -> ExitCode { try await TypingClient(.begin, options: options).run(isStarting: true) }
}

/// `utter type toggle`: begins a dictation, or ends the one that has begun.
struct TypeToggle: Command {
    static let specification = CommandSpecification.typeToggle
    static let takesSettings = false
    private let options: [String]

    init(_ arguments: ParsedArguments) throws(UsageError) { options = try TypeBegin.checkedOptions(arguments) }

    func run() async throws -> ExitCode { try await TypingClient(.toggle, options: options).run(isStarting: true) }
}

/// `utter type end`: ends a dictation, and waits until its text is typed.
struct TypeEnd: Command {
    static let specification = CommandSpecification.typeEnd
    static let takesSettings = false

    init(_ arguments: ParsedArguments) {}

    func run() async throws -> ExitCode { try await TypingClient(.end).run(isStarting: false) }
}

/// `utter type cancel`: ends a dictation, and throws away what is not typed.
struct TypeCancel: Command {
    static let specification = CommandSpecification.typeCancel
    static let takesSettings = false

    init(_ arguments: ParsedArguments) {}

    func run() async throws -> ExitCode { try await TypingClient(.cancel).run(isStarting: false) }
}

/// `utter type text`: types a text.
struct TypeTextCommand: Command {
    static let specification = CommandSpecification.typeText
    static let takesSettings = false
    private let operands: [String]

    init(_ arguments: ParsedArguments) { operands = arguments.operands }

    func run() async throws -> ExitCode {
        let text: String
        if operands.isEmpty || operands == ["-"] {
            let data = try Input.read(atMost: 1 << 16)
            guard let input = String(validating: data, as: UTF8.self) else {
                throw CommandError("standard input holds no text in UTF-8", .dataError)
            }
            text = input.hasSuffix("\n") ? String(input.dropLast()) : input
        } else {
            text = operands.joined(separator: " ")
        }
        let cleaned = MemoText.cleaned(text)
        if cleaned.isEmpty { throw CommandError("there is no text to type", .dataError) }
        return try await TypingClient(.text, text: cleaned).run(isStarting: true)
    }
}

/// `utter type again`: types what waits for the user.
struct TypeAgain: Command {
    static let specification = CommandSpecification.typeAgain
    static let takesSettings = false

    init(_ arguments: ParsedArguments) {}

    func run() async throws -> ExitCode { try await TypingClient(.again).run(isStarting: true) }
}

/// `utter type drop`: throws away what waits for the user.
struct TypeDrop: Command {
    static let specification = CommandSpecification.typeDrop
    static let takesSettings = false

    init(_ arguments: ParsedArguments) {}

    func run() async throws -> ExitCode { try await TypingClient(.drop).run(isStarting: true) }
}

/// `utter type stop`: ends the process that serves.
struct TypeStop: Command {
    static let specification = CommandSpecification.typeStop
    static let takesSettings = false

    init(_ arguments: ParsedArguments) {}

    func run() async throws -> ExitCode { try await TypingClient(.stop).run(isStarting: false) }
}

/// `utter type serve`: serves the other commands.
struct TypeServe: Command {
    static let specification = CommandSpecification.typeServe
    static let takesSettings = false

    init(_ arguments: ParsedArguments) {}

    func run() async throws -> ExitCode {
        // systemd, and the command that starts this process, hand over the socket as the standard input.
        let given = LocalSocket.isListening(STDIN_FILENO) ? STDIN_FILENO : nil
        guard let socket = try given ?? TypingSocket.listen() else {
            throw CommandError("another process serves utter type", .tempFail)
        }
        return try await TypingServer(socket).run()
    }
}
