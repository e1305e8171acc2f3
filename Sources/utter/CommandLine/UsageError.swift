/// A command line that can't be carried out, in one plain sentence. Ends the command with `ExitCode.usage`.
///
/// The sentence may quote what was typed, so `description` shows it in its visible form.
struct UsageError: Error, Equatable, Sendable {
    /// What is wrong and, where there is one, the way to put it right.
    var message: String
    /// The words that get the help that fits, such as `utter transcribe --help`.
    var helpCommand: String

    var exitCode: ExitCode { .usage }

    /// The two lines for stderr.
    var description: String {
        "utter: \(TerminalText.visible(message))\nTry '\(helpCommand)' for more.\n"
    }
}
