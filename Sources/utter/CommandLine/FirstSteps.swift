/// The text that `utter` without arguments shows on a terminal, for new users.
enum FirstSteps {
    static var text: String {
        // A user who has installed a model needs no advice to install one.
        let hasModel = (try? ModelChoice(model: nil, locale: nil).isBuiltInByDefault) == false
        return text(installing: hasModel ? nil : ModelAdvice().command)
    }

    /// The text of the first steps.
    ///
    /// - Parameter installation: the command line that installs a model for the user's language; nil when there is one.
    static func text(installing installation: String?) -> String {
        let steps: [(String, String)] =
            [installation.map { ($0, "a model for your language") }].compactMap { $0 } + [
                ("utter doctor", "what is missing here, and the lines that mend it"),
                ("utter memo", "speak or type; Enter keeps it in today's note"),
                ("utter transcribe FILE", "a recording as text"),
            ]
        let width = steps.map(\.0.count).max() ?? 0
        let lines = steps.map { "  \(padded($0.0, to: width))  \($0.1)\n" }
        return "utter - \(Utter.dispatcher.abstract)\n\nFirst steps:\n\(lines.joined())"
            + "\n'utter --help' shows all commands, and 'utter COMMAND --help' what each can do.\n"
    }
}
