import Audio
import Dispatch
import Glibc
import Speech

/// The command `utter`: finds out which subcommand is meant and runs it.
@main
enum Utter {
    static let dispatcher = Dispatcher(
        commands: [.memo, .listen, .transcribe, .notes, .models, .outbox, .devices, .doctor, .config],
        abstract: "speech to text, on this machine",
        version: utterVersion)

    /// Not asynchronous: what makes a process ready comes before the first task, for which Dispatch opens descriptors of its own.
    static func main() {
        // Ourselves, for ourselves.
        SecondPassWorker.runIfAsked()
        Descriptor.occupyStandardOnes()
        // What we make is for its owner, whose rights no mask takes away: what is made is to be read again.
        umask(umask(0) & 0o077)
        // A reader that goes away ends us with EPIPE at the next write, which is then handled in one place.
        signal(SIGPIPE, SIG_IGN)
        // And a file that outgrows its limit with EFBIG.
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
            // Not `CommandLine.arguments`, which silently repairs what isn't UTF-8 and so names another file.
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
        // Ourselves, for ourselves.
        if let probe = ModelProbeProcess.Arguments(arguments) { return await ModelProbeProcess.run(probe) }
        // For the completions of the shells.
        if let words = CompletionWords(arguments: arguments) { return show(words.words().map { $0 + "\n" }.joined()) }
        do throws(UsageError) {
            var dispatcher = dispatcher
            // Help is read best in lines that aren't too long, however wide the terminal is.
            if let columns = Console.columns(of: STDOUT_FILENO) { dispatcher.width = min(max(columns, 40), 100) }
            if arguments.isEmpty, isatty(STDOUT_FILENO) != 0 { dispatcher.firstSteps = FirstSteps.text }
            switch try dispatcher.action(for: arguments) {
            case .print(let text): return show(text)
            case .run(let parsed): return await run(parsed)
            }
        } catch {
            return report(error)
        }
    }

    /// Runs a command; an error that it throws is told, and becomes its exit code.
    static func reporting(_ command: () async throws -> ExitCode) async -> ExitCode {
        do {
            return try await command()
        } catch let error as UsageError {
            return report(error)
        } catch {
            let error = CommandError(error)
            // A reader that has read enough is no failure.
            if error.exitCode != .ok { Console.tell(error.message) }
            return error.exitCode
        }
    }

    private static func report(_ error: UsageError) -> ExitCode {
        Console.say(error.description, layout: .tabsAndNewlines)
        return error.exitCode
    }

    private static func run(_ parsed: ParsedArguments) async -> ExitCode {
        SystemLimits.writeNoCoreFile()
        return await reporting {
            if parsed.specification.name == CommandSpecification.doctor.name { return await runDoctor(parsed) }
            // Whoever wants to mend the file can't begin with one that is whole.
            if parsed.specification.name == "config edit" { return await runConfig(parsed) }
            let settings = try Settings.load()
            if !(parsed.specification.option(long: "quiet") != nil && parsed.has("quiet")) {
                for warning in settings.warnings { Console.tell(warning) }
            }
            return await perform(settings.completing(parsed))
        }
    }

    private static func perform(_ parsed: ParsedArguments) async -> ExitCode {
        switch parsed.specification.name {
        case CommandSpecification.transcribe.name: await runTranscribe(parsed)
        case CommandSpecification.memo.name: await runMemo(parsed)
        case CommandSpecification.devices.name: await runDevices(parsed)
        case CommandSpecification.listen.name: await runListen(parsed)
        case let name where name.hasPrefix(CommandSpecification.config.name + " "): await runConfig(parsed)
        case let name where name.hasPrefix(CommandSpecification.models.name + " "): await runModels(parsed)
        case let name where name.hasPrefix(CommandSpecification.notes.name + " "): await runNotes(parsed)
        case let name where name.hasPrefix(CommandSpecification.outbox.name + " "): await runOutbox(parsed)
        case let name: preconditionFailure("\(name) has no function that runs it")
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
