/// Decides what a whole command line asks for. Pure: the caller prints and runs.
struct Dispatcher {
    enum Action {
        case run(any Command.Type, ParsedArguments)
        /// Print a text to stdout, and end.
        case print(String)
    }

    var commands: [CommandSpecification]
    var abstract: String
    var version: String
    /// The width of help texts, in columns.
    var width = 80
    /// The text for `utter` without arguments; nil makes that a usage error, as it is in a script.
    var firstSteps: String?

    /// Decides what to do with what was typed after `utter`.
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
            throw usageError(complaint(aboutOption: first, "utter", "options of a command come after its name"))
        }
        return try action(of: command(named: first), for: rest)
    }

    private func action(of specification: CommandSpecification, for arguments: [String]) throws(UsageError) -> Action {
        guard let command = specification.runs else { return try action(ofGroup: specification, for: arguments) }
        return switch try ArgumentParser.parse(arguments, by: specification) {
        case .arguments(let parsed): .run(command, parsed)
        case .help: .print(help(for: specification))
        case .version: .print(versionLine)
        }
    }

    private func action(ofGroup group: CommandSpecification, for arguments: [String]) throws(UsageError) -> Action {
        let names = ValueKind.list(group.subcommands.map(\.word))
        let unnamed = group.defaultSubcommand
        guard let first = arguments.first else {
            if let unnamed { return try action(of: unnamed, for: []) }
            throw group.usageError("\(group.invocation) needs to know what to do: \(names)")
        }
        let rest = Array(arguments.dropFirst())
        switch first {
        case "--help", "-h": return .print(help(for: group))
        case "--version": return .print(versionLine)
        case "help":
            guard let name = rest.first else { return .print(help(for: group)) }
            return .print(help(for: try subcommand(named: name, of: group)))
        default: break
        }
        if first.hasPrefix("-") {
            if let unnamed {
                if let word = wordBehindOptions(arguments, of: group, otherThan: unnamed) {
                    let command = ([word] + arguments.filter { $0 != word }).map(ShellWord.quoted)
                    throw group.usageError(
                        "'\(word)' comes before its options: \(group.invocation) \(command.joined(separator: " "))")
                }
                return try action(of: unnamed, for: arguments)
            }
            throw group.usageError(
                complaint(aboutOption: first, group.invocation, "options come after one of \(names)"))
        }
        let isNamed = group.subcommands.contains { $0.word == first }
        if !isNamed, let unnamed, unnamed.operands.first?.kind.recognizes(first) == true {
            return try action(of: unnamed, for: arguments)
        }
        let hint = unnamed?.operands.first?.kind == .day ? "; a day is written as 2026-11-23, today or yesterday" : ""
        return try action(of: subcommand(named: first, of: group, hint: hint), for: rest)
    }

    /// The word of a subcommand that stands behind options; nil when there is none.
    private func wordBehindOptions(
        _ arguments: [String], of group: CommandSpecification, otherThan unnamed: CommandSpecification
    ) -> String? {
        let takingValues = group.subcommands.flatMap(\.allOptions).filter { $0.value != nil }
        var rest = arguments[...]
        while let argument = rest.popFirst(), argument != "--" {
            if argument.hasPrefix("--") {
                if takingValues.contains(where: { "--" + $0.long == argument }) { rest = rest.dropFirst() }
            } else if argument.hasPrefix("-") {
                if takingValues.contains(where: { $0.short.map { "-\($0)" } == argument }) { rest = rest.dropFirst() }
            } else {
                let isValue = unnamed.operands.first?.kind.recognizes(argument) == true
                return !isValue && group.subcommands.contains { $0.word == argument } ? argument : nil
            }
        }
        return nil
    }

    private func help(with arguments: [String]) throws(UsageError) -> Action {
        guard let name = arguments.first, !["--help", "-h", "help"].contains(name) else { return .print(overview) }
        if name == "--version" { return .print(versionLine) }
        if name == "--man" { return .print(ManPage(commands: commands, abstract: abstract, version: version).text) }
        if name == "--completions" { return .print(try completions(for: arguments.dropFirst())) }
        let command = try command(named: name)
        let words = arguments.dropFirst()
        guard let word = words.first else { return .print(help(for: command)) }
        guard command.runs == nil else { throw usageError("utter help takes one command") }
        let subcommand = try subcommand(named: word, of: command)
        if words.count > 1 { throw usageError("utter help takes one command") }
        return .print(help(for: subcommand))
    }

    private func completions(for arguments: ArraySlice<String>) throws(UsageError) -> String {
        guard arguments.count == 1, let shell = arguments.first.flatMap(Shell.init) else {
            throw usageError(
                "utter help --completions takes a shell: \(ValueKind.list(Shell.allCases.map(\.rawValue)))")
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

    /// - Parameter hint: what an error says in addition, where no word is similar.
    private func subcommand(
        named word: String, of group: CommandSpecification, hint: String = ""
    ) throws(UsageError) -> CommandSpecification {
        if let command = group.subcommands.first(where: { $0.word == word }) { return command }
        let words = group.defaultSubcommand?.operands.first?.kind.words ?? []
        throw group.usageError(complaint(about: word, group.invocation, group.subcommands.map(\.word) + words, hint))
    }

    private func complaint(
        about name: String, _ invocation: String, _ names: [String], _ hint: String = ""
    ) -> String {
        let suggestion = Suggestion.meant(by: name, among: names.filter { $0 != name }).map {
            "; did you mean '\($0)'?"
        }
        return "'\(name)' is not a command of \(invocation)" + (suggestion ?? hint)
    }

    /// The complaint about an option where only `--help` and `--version` may stand.
    private func complaint(aboutOption typed: String, _ invocation: String, _ place: String) -> String {
        let options = [OptionSpecification.help, .version].map(\.long)
        let meant = Suggestion.meant(by: String(typed.drop { $0 == "-" }), among: options)
        return "\(typed) is not an option of \(invocation); \(meant.map { "did you mean --\($0)?" } ?? place)"
    }

    private func usageError(_ message: String) -> UsageError {
        UsageError(message: message, helpCommand: "utter --help")
    }

    private func help(for command: CommandSpecification) -> String { HelpText.text(for: command, width: width) }
    private var names: String { ValueKind.list(commands.map(\.name) + ["help"]) }
    private var overview: String { HelpText.overview(of: commands, abstract: abstract, width: width) }
    private var versionLine: String { "utter \(version)\n" }
}
