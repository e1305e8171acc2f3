struct ListenCommand: Command {
    let arguments: ParsedArguments

    func run() async throws -> ExitCode { try await ListenSession(ListenOptions(arguments)).run() }

    /// Listens until a signal, and puts each utterance into a queue: neither the destinations nor the command of a setting get it.
    ///
    /// - Parameter guesses: whether the queue gets guesses as well.
    func run(guesses: Bool, keep: @escaping UtteranceSender.Keep) async throws -> ExitCode {
        var options = try ListenOptions(arguments)
        (options.command, options.longestSilence) = (nil, nil)
        return try await ListenSession(options, keep: keep, keepsGuesses: guesses).run()
    }
}
