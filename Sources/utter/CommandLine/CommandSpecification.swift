/// Everything there is to say about a command: the one table that parsing, help, the man page and the shell
/// completions are made from.
struct CommandSpecification: Equatable, Sendable {
    /// The words that are typed after `utter`, such as `listen` or `models install`.
    var name: String
    /// What runs; nil for commands that share the first word, such as those of `utter models`.
    var runs: (any Command.Type)?
    /// What the command does, in a line without a full stop.
    var abstract: String
    /// Paragraphs for the help text.
    var discussion: [String] = []
    /// The keys that work while the command runs.
    var keys: [KeyMeaning] = []
    /// The subcommands. If there are any, only they can be run, and the command has no operands and options of its own.
    var subcommands: [CommandSpecification] = []
    /// Whether the first subcommand runs when none is named.
    var firstIsDefault = false
    var operands: [OperandSpecification] = []
    /// The command's own options.
    var options: [any OptionKey] = []
    var examples: [Example] = []
    /// The exit statuses, without the two that every command has.
    var exitStatuses: [ExitStatus] = []

    /// A command is known by its name.
    static func == (one: Self, other: Self) -> Bool { one.name == other.name }

    /// The subcommand that runs when none is named; nil when one must be named.
    var defaultSubcommand: CommandSpecification? { firstIsDefault ? subcommands.first : nil }

    /// The command line that starts it, without arguments.
    var invocation: String { "utter \(name)" }

    /// The last word of the name, which for a subcommand is its own.
    var word: String { name.split(separator: " ").last.map(String.init) ?? name }

    /// The commands that can be run: the subcommands, or this one when there are none.
    var runnable: [CommandSpecification] { subcommands.isEmpty ? [self] : subcommands.flatMap(\.runnable) }

    /// The command's own options, then the two that every command has.
    var allOptions: [OptionSpecification] { options.map { $0.specification } + [.help, .version] }

    func option(long: String) -> OptionSpecification? {
        allOptions.first { $0.long == long }
    }

    func option(short: Character) -> OptionSpecification? {
        allOptions.first { $0.short == short }
    }

    func usageError(_ message: String) -> UsageError {
        UsageError(message: message, helpCommand: "\(invocation) --help")
    }

    /// The exit statuses of the command, and the two that every command has, by their numbers.
    var allExitStatuses: [ExitStatus] {
        let common = [
            ExitStatus(.ok, "All is done."),
            ExitStatus(.usage, "The command line is wrong."),
        ]
        return (common + exitStatuses).sorted { $0.code.rawValue < $1.code.rawValue }
    }

    struct ExitStatus: Equatable, Sendable {
        var code: ExitCode
        var meaning: String

        init(_ code: ExitCode, _ meaning: String) { (self.code, self.meaning) = (code, meaning) }
    }

    struct KeyMeaning: Equatable, Sendable {
        /// The names of the keys, such as `Ctrl-P`.
        var keys: String
        var meaning: String

        init(_ keys: String, _ meaning: String) { (self.keys, self.meaning) = (keys, meaning) }
    }

    struct Example: Equatable, Sendable {
        var command: String
        /// What the command line does, in a sentence.
        var meaning: String

        init(_ command: String, _ meaning: String) { (self.command, self.meaning) = (command, meaning) }
    }
}

/// An argument that is identified by its position, such as `FILE`.
struct OperandSpecification: Equatable, Sendable {
    /// The name in the usage line, in capitals.
    var placeholder: String
    var kind: ValueKind
    var help: String
    var isRequired = true
    /// Whether it takes all remaining arguments, as only the last operand may.
    var isRepeatable = false
}

/// An argument that is identified by its name, such as `--format`.
struct OptionSpecification: Equatable, Sendable {
    /// The long name, without the two hyphens.
    var long: String
    var short: Character?
    /// The value that follows the option; nil for a flag.
    var value: Value?
    var help: String
    /// Whether every occurrence counts. Otherwise the last one does, so that an option in a shell's alias can be overridden.
    var isRepeatable = false

    struct Value: Equatable, Sendable {
        /// The name in the help text, in capitals.
        var placeholder: String
        var kind: ValueKind
    }

    /// The help, with whether every occurrence counts.
    var explanation: String { isRepeatable ? help + " May be given several times." : help }

    static let help = OptionSpecification(long: "help", short: "h", help: "Show this text and exit.")
    static let version = OptionSpecification(long: "version", help: "Show the version and exit.")
}
