import Dispatch
import Glibc
import System

@main
enum Utter {
    static let dispatcher = Dispatcher(
        commands: [
            .memo, .listen, .transcribe, .type, .status, .notes, .models, .outbox, .devices, .doctor, .config,
        ],
        abstract: "speech to text, on this machine",
        version: utterVersion)

    /// Prepares the process and runs the command. It is not asynchronous, for the first task makes Dispatch open descriptors of its own.
    static func main() {
        Descriptor.occupyStandardOnes()
        // Files must stay readable by their owner, whatever the user's mask takes away.
        umask(umask(0) & 0o077)
        // A write to a closed pipe fails with EPIPE, which is handled in one place.
        signal(SIGPIPE, SIG_IGN)
        // A write beyond the limit of a file's size fails with EFBIG.
        signal(SIGXFSZ, SIG_IGN)
        if let obstacle = SystemLimits.obstacle {
            Console.tell(obstacle)
            _exit(ExitCode.osError.rawValue)
        }
        Task { Leaving.leave(await reporting { try await answer(typed()) }) }
        dispatchMain()
    }

    /// The arguments of this process.
    private static func typed() throws(UsageError) -> [String] {
        // Not `CommandLine.arguments`, which repairs arguments that are not UTF-8, so that they name another file.
        var arguments: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index] else { break }
            let bytes = UnsafeRawBufferPointer(start: argument, count: strlen(argument))
            arguments.append(try ArgumentDecoder.decode(Array(bytes)))
        }
        return arguments
    }

    static func run(_ arguments: [String]) async -> ExitCode { await reporting { try await answer(arguments) } }

    private static func answer(_ arguments: [String]) async throws -> ExitCode {
        if let listener = TypingListener.Arguments.read(arguments) { return try await TypingListener.run(listener) }
        // For the completions of the shells.
        if let words = CompletionWords(arguments: arguments) {
            try Output.write(words.words.map { $0 + "\n" }.joined())
            return .ok
        }
        var dispatcher = dispatcher
        // Help is easiest to read in lines of limited length, however wide the terminal is.
        if let columns = Console.size(of: STDOUT_FILENO)?.columns { dispatcher.width = min(max(columns, 40), 100) }
        if arguments.isEmpty, isatty(STDOUT_FILENO) != 0 { dispatcher.firstSteps = FirstSteps.text }
        switch try dispatcher.action(for: arguments) {
        case .print(let text):
            try Output.write(text)
            return .ok
        case .run(let command, let parsed): return try await run(command, parsed)
        }
    }

    private static func run(_ command: any Command.Type, _ parsed: ParsedArguments) async throws -> ExitCode {
        SystemLimits.writeNoCoreFile()
        guard command.takesSettings else { return try await command.init(arguments: parsed).run() }
        let settings = try command.worksWithoutSettings ? Settings.readable() : Settings.load()
        for failure in settings.failures { Console.tell("\(failure.message); this command goes on without it") }
        if !parsed[Flag.quiet] {
            for warning in settings.warnings { Console.tell(warning) }
        }
        return try await command.init(arguments: settings.completing(parsed)).run()
    }

    /// Does what a command line asks for, and reports an error that it throws.
    ///
    /// - Returns: the exit code of the command, or that of the error.
    private static func reporting(_ body: @Sendable () async throws -> ExitCode) async -> ExitCode {
        do {
            return try await body()
        } catch let error as UsageError {
            Console.say(error.description, layout: .tabsAndNewlines)
            return error.exitCode
        } catch {
            let error = CommandError(error)
            // A closed pipe is no failure.
            if error.exitCode != .ok { Console.tell(error.message) }
            return error.exitCode
        }
    }
}
