struct ListenCommand: Command {
    let arguments: ParsedArguments

    func run() async throws -> ExitCode { try await ListenSession(ListenOptions(arguments)).run() }

    /// Listens until a signal, and puts each utterance into a queue: neither the destinations nor the command of a setting get it.
    ///
    /// - Parameters:
    ///   - guesses: whether the queue gets guesses as well.
    ///   - remark: gets what the user is to know, on any thread.
    func run(
        guesses: Bool, remark: @escaping @Sendable (ListenSession.Remark) -> Void,
        keep: @escaping UtteranceSender.Keep
    ) async throws -> ExitCode {
        var options = try ListenOptions(arguments)
        (options.command, options.longestSilence) = (nil, nil)
        return try await ListenSession(options, keep: keep, keepsGuesses: guesses, remark: remark).run()
    }
}
