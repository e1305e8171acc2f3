/// Why a program failed, in its own words, where they can be shown.
enum FailureReason {
    /// The first line that a program has said on stderr, unless it repeats a word of what was said.
    static func words(of program: Program.Finished, without text: String) -> String? {
        let errors = String(decoding: program.errors, as: UTF8.self)
        guard let line = errors.split(whereSeparator: \.isNewline).first(where: { $0.contains { !$0.isWhitespace } }) else {
            return nil
        }
        let said = Set(words(text).filter { $0.count >= 4 })
        return words(String(line)).contains(where: said.contains) ? nil : String(line.prefix(200))
    }

    private static func words(_ text: String) -> [Substring] { text.lowercased().split { !$0.isLetter && !$0.isNumber } }
}
