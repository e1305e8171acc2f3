import Foundation
import Glibc
import Outbox
import System

/// A command that asks the process that serves `utter type` for something.
struct TypingClient {
    private let request: TypingRequest

    init(
        _ action: TypingRequest.Action, options: [String] = [], text: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        request = TypingRequest(
            action: action, options: options, text: text,
            environment: environment.filter { TypingRequest.names.contains($0.key) })
    }

    /// Asks, and calls a function with each answer until it returns false or no more come.
    ///
    /// - Parameter isStarting: whether to start the process if it does not run.
    /// - Returns: false when the process does not run.
    func ask(isStarting: Bool, _ body: @escaping @Sendable (TypingAnswer) throws -> Bool) async throws -> Bool {
        try await onOwnThread { [request] in
            guard let connection = try TypingSocket.connect(isStarting: isStarting) else { return false }
            let lines = LineReader(connection)
            let code = Descriptor.write(request.line, to: connection)
            if code != 0 { throw FileError(.write, path: "the socket of utter type", errno: code) }
            var hasAnswer = false
            while let line = lines.next() {
                guard let answer = TypingAnswer(line: line) else { break }
                hasAnswer = true
                if try !body(answer) { return true }
            }
            if hasAnswer { return true }
            throw CommandError("the process that types has ended; utter type serve shows why", .software)
        }
    }

    /// Asks once, and throws the answer's error.
    func run(isStarting: Bool) async throws -> ExitCode {
        _ = try await ask(isStarting: isStarting) { answer in
            if let error = answer.error { throw error }
            return false
        }
        return .ok
    }
}

/// `utter type begin`: begins a dictation.
struct TypeBegin: Command {
    static let specification = CommandSpecification.typeBegin
    // The process that listens reads the settings itself.
    static let takesSettings = false
    private let arguments: ParsedArguments

    init(_ arguments: ParsedArguments) throws(UsageError) {
        // They are checked here, where the user is.
        _ = try CaptureOptions(arguments)
        _ = try RecognitionOptions(arguments)
        self.arguments = arguments
    }

    func run() async throws -> ExitCode {
        try await TypingClient(.begin, options: arguments.spelledOptions).run(isStarting: true)
    }
}

/// `utter type toggle`: begins a dictation, or ends the one that has begun.
struct TypeToggle: Command {
    static let specification = CommandSpecification.typeToggle
    static let takesSettings = false
    private let arguments: ParsedArguments

    init(_ arguments: ParsedArguments) throws(UsageError) {
        _ = try CaptureOptions(arguments)
        _ = try RecognitionOptions(arguments)
        self.arguments = arguments
    }

    func run() async throws -> ExitCode {
        try await TypingClient(.toggle, options: arguments.spelledOptions).run(isStarting: true)
    }
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
        let follows = follows
        let isServed = try await TypingClient(follows ? .follow : .status).ask(isStarting: follows) { answer in
            try write(answer.status)
            return follows
        }
        // Nothing serves, so nothing listens; something may wait all the same.
        if !isServed { try write(TypingService.statusUnserved(TypingQueue())) }
        return .ok
    }
}
