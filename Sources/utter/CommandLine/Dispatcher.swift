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

    /// - Parameter arguments: What was typed after `utter`.
    func action(for arguments: [String]) throws(UsageError) -> Action {
        guard let first = arguments.first else { throw usageError("a command is missing: \(names)") }
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
        let command = try command(named: first)
        switch try ArgumentParser.parse(rest, by: command) {
        case .arguments(let parsed): return .run(parsed)
        case .help: return .print(HelpText.text(for: command, width: width))
        case .version: return .print(versionLine)
        }
    }

    private func help(with arguments: [String]) throws(UsageError) -> Action {
        guard let name = arguments.first, !["--help", "-h", "help"].contains(name) else { return .print(overview) }
        if arguments.count > 1 { throw usageError("utter help takes one command") }
        if name == "--version" { return .print(versionLine) }
        return .print(HelpText.text(for: try command(named: name), width: width))
    }

    private func command(named name: String) throws(UsageError) -> CommandSpecification {
        if let command = commands.first(where: { $0.name == name }) { return command }
        var message = "'\(name)' is not a command of utter"
        if let suggestion = Suggestion.nearest(to: name, among: commands.map(\.name) + ["help"]) {
            message += "; did you mean '\(suggestion)'?"
        }
        throw usageError(message)
    }

    private func usageError(_ message: String) -> UsageError {
        UsageError(message: message, helpCommand: "utter --help")
    }

    private var names: String { ValueKind.list(commands.map(\.name) + ["help"]) }
    private var overview: String { HelpText.overview(of: commands, abstract: abstract, width: width) }
    private var versionLine: String { "utter \(version)\n" }
}
