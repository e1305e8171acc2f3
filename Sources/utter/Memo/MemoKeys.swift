/// The keys of a memo and their meanings, as F1, the help and the manual page show them.
enum MemoKeys {
    /// The keys and their meanings, the most important first.
    static let all = [
        CommandSpecification.KeyMeaning(keys: "Enter", meaning: "keep the memo and end; so do Ctrl-C and Ctrl-D"),
        CommandSpecification.KeyMeaning(keys: "Esc Esc", meaning: "discard it, when both come within a second"),
        CommandSpecification.KeyMeaning(keys: "Ctrl-P", meaning: "turn the microphone off and on"),
        CommandSpecification.KeyMeaning(keys: "Ctrl-J, Alt-Enter", meaning: "begin a new line"),
        CommandSpecification.KeyMeaning(
            keys: "Ctrl-_, Ctrl-X Ctrl-U",
            meaning: "undo, words that were spoken too; many terminals take Ctrl-/ for it"),
        CommandSpecification.KeyMeaning(keys: "Alt-_, Ctrl-Alt-_", meaning: "redo"),
        CommandSpecification.KeyMeaning(
            keys: "Ctrl-W, Alt-D", meaning: "delete the word before the cursor, or after it"),
        CommandSpecification.KeyMeaning(keys: "Ctrl-U, Ctrl-K", meaning: "delete to the line's start, or to its end"),
        CommandSpecification.KeyMeaning(
            keys: "Ctrl-Y, Alt-Y", meaning: "bring back what those deleted, or what was deleted before that"),
        CommandSpecification.KeyMeaning(
            keys: "Ctrl-A, Ctrl-E", meaning: "go to the line's start or end, as Home and End do"),
        CommandSpecification.KeyMeaning(
            keys: "Alt-B, Alt-F", meaning: "go a word back or on, as Ctrl with an arrow does"),
        CommandSpecification.KeyMeaning(
            keys: "Ctrl-R, Ctrl-T",
            meaning: "bring a memo back that was cut off, or throw it away, when that is offered"),
        CommandSpecification.KeyMeaning(
            keys: "Ctrl-O", meaning: "keep in a file of its own what can't be kept, when that is offered"),
        CommandSpecification.KeyMeaning(
            keys: "Ctrl-L, Ctrl-Z",
            meaning: "draw all anew; go to the shell, where nothing is heard, and come back with fg"),
        CommandSpecification.KeyMeaning(keys: "F1", meaning: "show the keys; any key hides them"),
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
                let start = number == 0 ? key.keys : ""
                return start + String(repeating: " ", count: indent - start.count) + line
            }
        }
    }
}
