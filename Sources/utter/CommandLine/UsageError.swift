/// A mistake in the command line, described in one plain sentence. It ends the command with `ExitCode.usage`.
///
/// The sentence may quote what was typed, so `description` shows it in its visible form.
struct UsageError: Error, Equatable, Sendable {
    /// What is wrong and, if possible, how to correct it.
    var message: String
    /// The command line that prints the relevant help, such as `utter transcribe --help`.
    var helpCommand: String

    var exitCode: ExitCode { .usage }

    /// The two lines for stderr.
    var description: String {
        "utter: \(TerminalText.visible(message))\nTry '\(helpCommand)' for more.\n"
    }
}
