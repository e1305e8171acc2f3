import Audio
import Glibc
import System

/// The user's editor: that of VISUAL, or else of EDITOR, or else the first that is there of sensible-editor, nano and vi.
struct Editor {
    /// A line for sh, which gets the file as its argument.
    let command: String

    /// Those that take the line to begin at as `+7` before the file.
    private static let takesLine: Set<String> = [
        "vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "joe", "kak",
    ]
    private static let usual = ["sensible-editor", "nano", "vi"]

    /// - Returns: nil where the user has named none and none is there.
    init?(_ environment: [String: String]) {
        let named = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        guard let command = named ?? Self.usual.first(where: { BoundedProgram.isThere($0, environment) }) else {
            return nil
        }
        self.command = command
    }

    static func required(for path: String, _ environment: [String: String]) throws(CommandError) -> Editor {
        let cure = "name one in the variable EDITOR, or edit \(path)"
        guard let editor = Editor(environment) else {
            throw CommandError("there is no editor; \(cure)", .unavailable)
        }
        let name = String(editor.command.prefix { $0 != " " })
        if name.wholeMatch(of: #/[A-Za-z0-9_.\/+-]+/#) != nil,
            case .exited(1...) = try? ChildProcess("sh", ["-c", "command -v \"$0\" >/dev/null", name]).wait()
        {
            throw CommandError("there is no editor \(name); \(cure)", .unavailable)
        }
        return editor
    }

    /// What sh is run with. The editor begins at a line, if it can.
    func arguments(_ path: String, line: Int?) -> [String] {
        let name = command.split(separator: " ").first?.split(separator: "/").last.map(String.init) ?? ""
        let place = line.flatMap { Self.takesLine.contains(name) ? "+\($0)" : nil }
        return ["-c", command + #" "$@""#, "sh"] + [place, path].compactMap { $0 }
    }

    /// Becomes the editor: the terminal, its keys and its end are the editor's. execvp(3)
    func open(_ path: String, line: Int) throws(CommandError) {
        // It would inherit what we ignore, and what Dispatch blocks on this thread: it could neither be stopped nor resized.
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_DFL) }
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var words: [UnsafeMutablePointer<CChar>?] = (["sh"] + arguments(path, line: line)).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        execvp("sh", &words)
        throw CommandError("can't start sh, which would start the editor: \(errno.systemErrorText)", .unavailable)
    }

    /// Returns when the user is done.
    ///
    /// - Throws: `CommandError` when it ends with an error; `FileError` when sh can't be started.
    func edit(_ path: String) throws {
        switch try ChildProcess("sh", arguments(path, line: nil), input: .inherited, output: .inherited).wait() {
        case .exited(0): break
        case .exited(let code): throw CommandError("the editor ended with status \(code)", .unavailable)
        case .killed(let signal): throw CommandError("the editor was ended by signal \(signal)", .unavailable)
        }
    }
}
