import Glibc

/// Checks whether the terminal and its locale can show a memo.
struct TerminalCheck {
    private let environment: [String: String]
    private let traits: TerminalTraits

    init(_ surroundings: Surroundings) {
        environment = surroundings.environment
        traits = TerminalTraits(environment: environment)
    }

    /// The finding about the locale's encoding.
    func locale() -> Finding {
        let subject = "locale"
        if traits.isUTF8 { return .fine(subject, "UTF-8") }
        // The variable that decides.
        let variable = ["LC_ALL", "LC_CTYPE"].first { environment[$0]?.isEmpty == false } ?? "LANG"
        return .lacking(
            subject, "not UTF-8: the level meter is plain, and other scripts may not show",
            Surroundings.export(variable, "C.UTF-8"))
    }

    /// The finding about the terminal. open(2)
    ///
    /// - Parameter path: the path of the terminal; the default is the controlling terminal.
    func terminal(path: String = "/dev/tty") -> Finding {
        let subject = "terminal"
        let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else {
            return .lacking(
                subject, "there is none here: a memo needs one, listen and transcribe do not",
                [.act("run memos in a terminal")])
        }
        close(descriptor)
        if !traits.isDumb { return .fine(subject, environment["TERM"] ?? "") }
        return .lacking(
            subject, "TERM says that it can't move its cursor: a memo comes as lines",
            [.run("export TERM=xterm-256color"), .act("or what the terminal really is")])
    }
}
