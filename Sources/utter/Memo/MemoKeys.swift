/// The keys of a memo and their meanings, as F1, the help and the manual page show them.
enum MemoKeys {
    /// The keys and their meanings, the most important first.
    static let all: [CommandSpecification.KeyMeaning] = [
        .init("Enter", "keep the memo and end; so do Ctrl-C and Ctrl-D"),
        .init("Esc Esc", "discard it, when both come within a second"),
        .init("Ctrl-P", "turn the microphone off and on"),
        .init("Ctrl-J, Alt-Enter", "begin a new line"),
        .init("Ctrl-_, Ctrl-X Ctrl-U", "undo, words that were spoken too; many terminals take Ctrl-/ for it"),
        .init("Alt-_, Ctrl-Alt-_", "redo"),
        .init("Ctrl-W, Alt-D", "delete the word before the cursor, or after it"),
        .init("Ctrl-U, Ctrl-K", "delete to the line's start, or to its end"),
        .init("Ctrl-Y, Alt-Y", "bring back what those deleted, or what was deleted before that"),
        .init("Ctrl-A, Ctrl-E", "go to the line's start or end, as Home and End do"),
        .init("Alt-B, Alt-F", "go a word back or on, as Ctrl with an arrow does"),
        .init("Ctrl-R, Ctrl-T", "bring a memo back that was cut off, or throw it away, when that is offered"),
        .init("Ctrl-O", "keep in a file of its own what can't be kept, when that is offered"),
        .init("Ctrl-L, Ctrl-Z", "draw all anew; go to the shell, where nothing is heard, and come back with fg"),
        .init("F1", "show the keys; any key hides them"),
    ]

    /// The hint about keys that an empty memo shows.
    static func hint(isUTF8: Bool) -> String {
        ["F1 shows the keys", "Enter keeps", "Esc Esc discards"].joined(separator: isUTF8 ? " · " : ", ")
    }

    /// The keys and their meanings, as rows for a terminal.
    ///
    /// - Parameter columns: the greatest width of a row. Below 48, a meaning follows its keys directly, not in a column of its own.
    static func lines(columns: Int) -> [String] {
        let indent = 24
        return all.flatMap { key -> [String] in
            if columns < 2 * indent {
                return TextWrapper.lines(of: "\(key.keys): \(key.meaning)", width: max(1, columns))
            }
            let lines = TextWrapper.lines(of: key.meaning, width: columns - indent)
            return lines.enumerated().map { number, line in
                padded(number == 0 ? key.keys : "", to: indent) + line
            }
        }
    }
}
