/// Words for a shell: in commands that are shown to be run, and in completions.
enum ShellWord {
    /// `word` so that a shell takes it for itself, quoted where it needs that.
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
