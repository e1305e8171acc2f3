/// A command of utter, such as `utter listen` or `utter models list`.
protocol Command: Sendable {
    /// The table that parsing, help, the man page and the completions are made from.
    static var specification: CommandSpecification { get }
    /// Whether the settings fill in options that were not given. False for a command that must work when the configuration is invalid.
    static var takesSettings: Bool { get }
    /// Whether the command goes on without settings that can't be read. True for one that keeps or shows what is kept.
    static var worksWithoutSettings: Bool { get }

    /// Takes the parsed arguments, and checks what the specification can't express.
    init(arguments: ParsedArguments) throws(UsageError)

    func run() async throws -> ExitCode
}

extension Command {
    static var takesSettings: Bool { true }
    static var worksWithoutSettings: Bool { false }
}

/// Commands that share the first word, such as those of `utter models`.
struct CommandGroup: Sendable {
    let specification: CommandSpecification
    let commands: [any Command.Type]
    /// The command that runs when none is named; nil when one must be named.
    let unnamed: (any Command.Type)?

    init(_ specification: CommandSpecification, _ commands: [any Command.Type], unnamed: (any Command.Type)? = nil) {
        var specification = specification
        specification.subcommands = commands.map { $0.specification }
        specification.defaultSubcommand = unnamed?.specification.word
        (self.specification, self.commands, self.unnamed) = (specification, commands, unnamed)
    }
}

/// A command or a group of commands that may follow `utter`.
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
