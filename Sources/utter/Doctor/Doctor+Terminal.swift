import Glibc

// Whether the terminal and its locale can show a memo.
extension Doctor {
    func locale() -> Finding {
        let (subject, environment) = ("locale", surroundings.environment)
        if TerminalTraits(environment: environment).isUTF8 { return .fine(subject, "UTF-8") }
        // The variable that decides.
        let variable = ["LC_ALL", "LC_CTYPE"].first { environment[$0]?.isEmpty == false } ?? "LANG"
        return .lacking(
            subject, "not UTF-8: the level meter is plain, and other scripts may not show",
            Surroundings.export(variable, "C.UTF-8"))
    }

    /// The finding about the terminal that controls this process. open(2)
    func terminal() -> Finding {
        let (subject, environment) = ("terminal", surroundings.environment)
        let descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else {
            return .lacking(
                subject, "there is none here: a memo needs one, listen and transcribe do not",
                [.act("run memos in a terminal")])
        }
        close(descriptor)
        if !TerminalTraits(environment: environment).isDumb { return .fine(subject, environment["TERM"] ?? "") }
        return .lacking(
            subject, "TERM says that it can't move its cursor: a memo comes as lines",
            [.run("export TERM=xterm-256color"), .act("or what the terminal really is")])
    }
}
