import Dispatch
import Glibc
import System

@main
enum Utter {
    static let dispatcher = Dispatcher(
        entries: [
            .command(MemoCommand.self), .command(ListenCommand.self), .command(TranscribeCommand.self), .group(.type),
            .command(StatusCommand.self), .group(.notes), .group(.models), .group(.outbox),
            .command(DevicesCommand.self), .command(DoctorCommand.self), .group(.config),
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
        Task { Leaving.leave(await run()) }
        dispatchMain()
    }

    private static func run() async -> ExitCode {
        let typed = CommandLine.unsafeArgv
        do throws(UsageError) {
            // Not `CommandLine.arguments`, which repairs arguments that are not UTF-8, so that they name another file.
            var arguments: [String] = []
            for index in 1..<max(1, Int(CommandLine.argc)) {
                guard let argument = typed[index] else { break }
                let bytes = UnsafeRawBufferPointer(start: argument, count: strlen(argument))
                arguments.append(try ArgumentDecoder.decode(Array(bytes)))
            }
            return await run(arguments)
        } catch {
            return report(error)
        }
    }

    static func run(_ arguments: [String]) async -> ExitCode {
        if let listener = TypingListener.Arguments.read(arguments) {
            return await reporting { try await TypingListener.run(listener) }
        }
        // For the completions of the shells.
        if let words = CompletionWords(arguments: arguments) { return show(words.words().map { $0 + "\n" }.joined()) }
        do throws(UsageError) {
            var dispatcher = dispatcher
            // Help is easiest to read in lines of limited length, however wide the terminal is.
            if let columns = Console.size(of: STDOUT_FILENO)?.columns { dispatcher.width = min(max(columns, 40), 100) }
            if arguments.isEmpty, isatty(STDOUT_FILENO) != 0 { dispatcher.firstSteps = FirstSteps.text }
            switch try dispatcher.action(for: arguments) {
            case .print(let text): return show(text)
            case .run(let command, let parsed): return await run(command, parsed)
            }
        } catch {
            return report(error)
        }
    }

    /// Runs a command, and reports an error that it throws.
    ///
    /// - Returns: the command's exit code, or that of the error.
    private static func reporting(_ command: () async throws -> ExitCode) async -> ExitCode {
        do {
            return try await command()
        } catch let error as UsageError {
            return report(error)
        } catch {
            let error = CommandError(error)
            // A closed pipe is no failure.
            if error.exitCode != .ok { Console.tell(error.message) }
            return error.exitCode
        }
    }

    private static func report(_ error: UsageError) -> ExitCode {
        Console.say(error.description, layout: .tabsAndNewlines)
        return error.exitCode
    }

    private static func run(_ command: any Command.Type, _ parsed: ParsedArguments) async -> ExitCode {
        SystemLimits.writeNoCoreFile()
        return await reporting {
            guard command.takesSettings else { return try await command.init(arguments: parsed).run() }
            let settings = try command.worksWithoutSettings ? Settings.readable() : Settings.load()
            for failure in settings.failures { Console.tell("\(failure.message); this command goes on without it") }
            if !parsed[Flag.quiet] {
                for warning in settings.warnings { Console.tell(warning) }
            }
            return try await command.init(arguments: settings.completing(parsed)).run()
        }
    }

    private static func show(_ text: String) -> ExitCode {
        do throws(CommandError) {
            try Output.write(text)
            return .ok
        } catch {
            if error.exitCode != .ok { Console.tell(error.message) }
            return error.exitCode
        }
    }
}
