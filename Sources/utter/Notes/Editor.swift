import Glibc

/// The user's editor.
struct Editor {
    /// A line for sh, which gets the file as its argument.
    let command: String

    /// Those that take the line to begin at as `+7` before the file.
    private static let takesLine: Set<String> = ["vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "joe", "kak"]
    private static let standard = #"$(command -v sensible-editor || echo vi)"#

    init(_ environment: [String: String]) {
        command = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? Self.standard
    }

    /// What sh is run with.
    func arguments(_ path: String, line: Int) -> [String] {
        let name = command.split(separator: " ").first?.split(separator: "/").last.map(String.init) ?? ""
        return ["sh", "-c", command + #" "$@""#, "sh"] + (Self.takesLine.contains(name) ? ["+\(line)"] : []) + [path]
    }

    /// Becomes the editor: the terminal, its keys and its end are the editor's. execvp(3)
    func open(_ path: String, line: Int) throws(CommandError) {
        // It would inherit what we ignore.
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_DFL) }
        var words: [UnsafeMutablePointer<CChar>?] = arguments(path, line: line).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        execvp("sh", &words)
        throw CommandError("can't start sh, which would start the editor: \(errno.systemErrorText)", .unavailable)
    }
}
