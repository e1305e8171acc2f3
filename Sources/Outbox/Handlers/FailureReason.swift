/// Why a program failed, in its own words, where they can be shown.
enum FailureReason {
    /// The first line that a program has said on stderr, unless it may repeat something of what was said: it goes into files
    /// and logs. Rather no reason than that.
    static func words(of program: Program.Finished, without text: String) -> String? {
        let errors = String(decoding: program.errors, as: UTF8.self)
        guard let line = errors.split(whereSeparator: \.isNewline).first(where: { $0.contains { !$0.isWhitespace } }) else {
            return nil
        }
        return repeats(line.lowercased(), text.lowercased()) ? nil : String(line.prefix(200))
    }

    /// Whether a word of the text stands in the line. A longer one counts inside another word as well; of a text in a script
    /// without spaces, or with short words, two letters in a row count.
    private static func repeats(_ line: String, _ text: String) -> Bool {
        let lineWords = Set(words(line))
        for word in words(text) {
            if lineWords.contains(word), !sayingNothing.contains(word) { return true }
            if word.count >= 4, line.contains(word) { return true }
            let letters = Array(word)
            for (one, other) in zip(letters, letters.dropFirst())
            where isBeyondAlphabets(one) && isBeyondAlphabets(other) && line.contains(String([one, other])) {
                return true
            }
        }
        return false
    }

    private static func words(_ text: String) -> [Substring] { text.split { !$0.isLetter && !$0.isNumber } }

    /// From Thai on: syllables, ideographs.
    private static func isBeyondAlphabets(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy { $0.value >= 0x0E00 }
    }

    /// Words that nearly every line of a program has.
    private static let sayingNothing: Set<Substring> = [
        "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "has", "in", "is", "it", "no", "not", "of", "on", "or", "the",
        "this", "to", "was", "with",
    ]
}
