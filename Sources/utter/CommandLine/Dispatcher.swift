/// Decides what a whole command line asks for. Pure: the caller prints and runs.
struct Dispatcher {
    enum Action: Equatable {
        case run(ParsedArguments)
        /// Text for stdout; then the command is done.
        case print(String)
    }

    var commands: [CommandSpecification]
    var abstract: String
    var version: String
    /// Columns that help texts may take.
    var width = 80
    /// What is shown where nothing was typed after `utter`; nil makes that a mistake, as it is in a script.
    var firstSteps: String?

    /// - Parameter arguments: What was typed after `utter`.
    func action(for arguments: [String]) throws(UsageError) -> Action {
        guard let first = arguments.first else {
            if let firstSteps { return .print(firstSteps) }
            throw usageError("a command is missing: \(names)")
        }
        let rest = Array(arguments.dropFirst())
        switch first {
        case "--help", "-h": return .print(overview)
        case "--version": return .print(versionLine)
        case "help": return try help(with: rest)
        default: break
        }
        if first.hasPrefix("-") {
            throw usageError("\(first) is not an option of utter; options of a command come after its name")
        }
        return try action(of: try command(named: first), for: rest)
    }

    private func action(of command: CommandSpecification, for arguments: [String]) throws(UsageError) -> Action {
        if command.subcommands.isEmpty {
            switch try ArgumentParser.parse(arguments, by: command) {
            case .arguments(let parsed): return .run(parsed)
            case .help: return .print(help(for: command))
            case .version: return .print(versionLine)
            }
        }
        let names = ValueKind.list(command.subcommands.map(\.word))
        let implied = command.subcommands.first { $0.word == command.defaultSubcommand }
        guard let first = arguments.first else {
            if let implied { return try action(of: implied, for: []) }
            throw command.usageError("\(command.invocation) needs to know what to do: \(names)")
        }
        let rest = Array(arguments.dropFirst())
        switch first {
        case "--help", "-h": return .print(help(for: command))
        case "--version": return .print(versionLine)
        case "help":
            guard let name = rest.first else { return .print(help(for: command)) }
            return .print(help(for: try subcommand(named: name, of: command)))
        default: break
        }
        if first.hasPrefix("-") {
            if let implied { return try action(of: implied, for: arguments) }
            throw command.usageError(
                "\(first) is not an option of \(command.invocation); options come after one of \(names)")
        }
        return try action(of: try subcommand(named: first, of: command), for: rest)
    }

    private func help(with arguments: [String]) throws(UsageError) -> Action {
        guard let name = arguments.first, !["--help", "-h", "help"].contains(name) else { return .print(overview) }
        if name == "--version" { return .print(versionLine) }
        if name == "--man" { return .print(ManPage(commands: commands, abstract: abstract, version: version).text) }
        if name == "--completions" { return .print(try completions(for: arguments.dropFirst())) }
        var command = try command(named: name)
        for word in arguments.dropFirst() {
            if command.subcommands.isEmpty { throw usageError("utter help takes one command") }
            command = try subcommand(named: word, of: command)
        }
        return .print(help(for: command))
    }

    private func completions(for arguments: ArraySlice<String>) throws(UsageError) -> String {
        guard arguments.count == 1, let shell = arguments.first.flatMap(Shell.init) else {
            throw usageError("utter help --completions takes a shell: \(ValueKind.list(Shell.allCases.map(\.rawValue)))")
        }
        return shell.completions(for: commands)
    }

    private func command(named name: String) throws(UsageError) -> CommandSpecification {
        if let command = commands.first(where: { $0.name == name }) { return command }
        if OptionSpecification.version.long == name {
            throw usageError("'version' is not a command of utter; did you mean 'utter --version'?")
        }
        throw usageError(complaint(about: name, "utter", commands.map(\.name) + ["help"]))
    }

    private func subcommand(
        named word: String, of command: CommandSpecification
    ) throws(UsageError) -> CommandSpecification {
        if let subcommand = command.subcommands.first(where: { $0.word == word }) { return subcommand }
        throw command.usageError(complaint(about: word, command.invocation, command.subcommands.map(\.word)))
    }

    private func complaint(about name: String, _ invocation: String, _ names: [String]) -> String {
        let suggestion = Suggestion.meant(by: name, among: names).map { "; did you mean '\($0)'?" }
        return "'\(name)' is not a command of \(invocation)" + (suggestion ?? "")
    }

    private func usageError(_ message: String) -> UsageError {
        UsageError(message: message, helpCommand: "utter --help")
    }

    private func help(for command: CommandSpecification) -> String { HelpText.text(for: command, width: width) }
    private var names: String { ValueKind.list(commands.map(\.name) + ["help"]) }
    private var overview: String { HelpText.overview(of: commands, abstract: abstract, width: width) }
    private var versionLine: String { "utter \(version)\n" }
}
