/// Quotes words for a shell, in commands that are shown to the user and in completions.
enum ShellWord {
    /// The word as a shell must be given it, quoted only if needed.
    static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "/:._-+,@%=".utf8.contains(byte)
                }
            }
        return isPlain ? word : inQuotes(word)
    }

    /// `word` in quotes, whether it needs them or not.
    static func inQuotes(_ word: String) -> String { "'" + word.replacing("'", with: "'\\''") + "'" }
}
