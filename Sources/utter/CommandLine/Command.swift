/// A command of utter, such as `utter listen` or `utter models list`.
protocol Command: Sendable {
    /// What parsing, help, the man page and the completions are made from.
    static var specification: CommandSpecification { get }
    /// Whether what is set in the configuration completes its arguments. Not for a command that mends the configuration.
    static var takesSettings: Bool { get }

    /// Reads what was typed, and checks what the specification alone can't say.
    init(_ arguments: ParsedArguments) throws(UsageError)

    func run() async throws -> ExitCode
}

extension Command {
    static var takesSettings: Bool { true }
}

/// Commands that share the first word, such as those of `utter models`.
struct CommandGroup: Sendable {
    let specification: CommandSpecification
    let commands: [any Command.Type]
    /// The one that runs where none is named.
    let unnamed: (any Command.Type)?

    /// - Parameter specification: without subcommands: they are those of `commands`.
    init(_ specification: CommandSpecification, _ commands: [any Command.Type], unnamed: (any Command.Type)? = nil) {
        var specification = specification
        specification.subcommands = commands.map { $0.specification }
        specification.defaultSubcommand = unnamed?.specification.word
        (self.specification, self.commands, self.unnamed) = (specification, commands, unnamed)
    }
}

/// What may follow `utter`.
enum CommandEntry: Sendable {
    case command(any Command.Type)
    case group(CommandGroup)

    var specification: CommandSpecification {
        switch self {
        case .command(let command): command.specification
        case .group(let group): group.specification
        }
    }
}
