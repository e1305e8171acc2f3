struct ListenCommand: Command {
    static let specification = CommandSpecification.listen
    private let options: ListenOptions

    init(arguments: ParsedArguments) throws(UsageError) {
        options = try ListenOptions(arguments)
    }

    func run() async throws -> ExitCode { try await ListenSession(options).run() }

    /// Listens, and puts each utterance into a queue instead of the destinations.
    ///
    /// - Parameter guesses: whether the queue gets guesses as well.
    func run(guesses: Bool, keep: @escaping UtteranceSender.Keep) async throws -> ExitCode {
        try await ListenSession(options, keep: keep, keepsGuesses: guesses).run()
    }
}
