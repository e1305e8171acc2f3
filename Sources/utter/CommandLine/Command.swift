/// A command of utter, such as `utter listen` or `utter models list`. Its `CommandSpecification` says when it runs.
protocol Command: Sendable {
    /// Whether the settings fill in options that were not given. False for a command that must work when the configuration is invalid.
    static var takesSettings: Bool { get }
    /// Whether the command goes on without settings that can't be read. True for one that keeps or shows what is kept.
    static var worksWithoutSettings: Bool { get }

    /// Takes the parsed arguments. It, or `run`, refuses what the specification can't express.
    init(arguments: ParsedArguments) throws(UsageError)

    func run() async throws -> ExitCode
}

extension Command {
    static var takesSettings: Bool { true }
    static var worksWithoutSettings: Bool { false }
}
