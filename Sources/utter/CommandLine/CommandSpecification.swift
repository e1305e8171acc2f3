/// Everything there is to say about a command: the one table that parsing, help, the man page and the shell
/// completions are made from.
struct CommandSpecification: Equatable, Sendable {
    /// As it is typed after `utter`; a subcommand's is all its words, as in `models install`.
    var name: String
    /// What it does, in a line without a full stop.
    var abstract: String
    /// Paragraphs for the help text.
    var discussion: [String] = []
    /// What keys do while it runs.
    var keys: [KeyMeaning] = []
    /// Where it has any, one of them is what runs, and it has no operands and options of its own.
    var subcommands: [CommandSpecification] = []
    /// The word of the one that runs where none is named.
    var defaultSubcommand: String?
    var operands: [OperandSpecification] = []
    private(set) var options: [OptionSpecification]
    var examples: [Example] = []
    /// The ways it ends, beside those that every command has.
    var exitStatuses: [ExitStatus] = []

    init(
        name: String, abstract: String, discussion: [String] = [], keys: [KeyMeaning] = [], operands: [OperandSpecification] = [],
        options: [any OptionKey] = [], examples: [Example] = [], exitStatuses: [ExitStatus] = []
    ) {
        (self.name, self.abstract, self.discussion, self.keys) = (name, abstract, discussion, keys)
        (self.operands, self.examples, self.exitStatuses) = (operands, examples, exitStatuses)
        self.options = options.map { $0.specification }
    }

    /// The words that start it.
    var invocation: String { "utter \(name)" }

    /// The last of them.
    var word: String { name.split(separator: " ").last.map(String.init) ?? name }

    /// What can be run: itself, or its subcommands.
    var runnable: [CommandSpecification] { subcommands.isEmpty ? [self] : subcommands.flatMap(\.runnable) }

    /// Its own options, then the two that every command has.
    var allOptions: [OptionSpecification] { options + [.help, .version] }

    func option(long: String) -> OptionSpecification? {
        allOptions.first { $0.long == long }
    }

    func option(short: Character) -> OptionSpecification? {
        allOptions.first { $0.short == short }
    }

    func usageError(_ message: String) -> UsageError {
        UsageError(message: message, helpCommand: "\(invocation) --help")
    }

    /// The exit statuses of the command, and the two that every command has.
    var allExitStatuses: [ExitStatus] {
        let common = [
            ExitStatus(code: .ok, meaning: "All is done."),
            ExitStatus(code: .usage, meaning: "The command line is wrong."),
        ]
        return common + exitStatuses
    }

    struct ExitStatus: Equatable, Sendable {
        var code: ExitCode
        var meaning: String
    }

    struct KeyMeaning: Equatable, Sendable {
        /// By their names, such as `Ctrl-P`.
        var keys: String
        var meaning: String
    }

    struct Example: Equatable, Sendable {
        var command: String
        /// What it does, in a sentence.
        var meaning: String
    }
}

/// An argument that is known by its place, such as `FILE`.
struct OperandSpecification: Equatable, Sendable {
    /// In capitals, as in the usage line.
    var placeholder: String
    var kind: ValueKind
    var help: String
    var isRequired = true
    /// Takes all that are left; only the last operand may.
    var isRepeatable = false
}

/// An argument that is known by its name, such as `--format`.
struct OptionSpecification: Equatable, Sendable {
    /// Without the two hyphens.
    var long: String
    var short: Character?
    /// What stands after it; nil for a flag.
    var value: Value?
    var help: String
    /// Every occurrence counts. Otherwise the last one wins, so that an alias can be overruled.
    var isRepeatable = false

    struct Value: Equatable, Sendable {
        /// In capitals, as in the help text.
        var placeholder: String
        var kind: ValueKind
    }
    static let help = OptionSpecification(long: "help", short: "h", help: "Show this text and exit.")
    static let version = OptionSpecification(long: "version", help: "Show the version and exit.")
}
