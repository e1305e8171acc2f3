/// The commands in a text that a stronger model has written, which hears whole sentences: `We meet at five, scratch that, at six.`
extension TextRules {
    /// Divides the words of a text that has punctuation into utterances, of which each command is one. A command has punctuation before it or a
    /// capital, or begins the text, and after it comes punctuation, or a word that can't follow where the same words are no command: `Scratch
    /// that the meeting is at six.` What follows a command begins a sentence.
    ///
    /// - Parameter words: the recognized words, without white space.
    public func utterances(in words: [String]) -> [[String]] {
        guard rules.contains(.commands), let language, !language.commands.isEmpty, !words.isEmpty else {
            return [words]
        }
        let keys = words.map(Self.bare)
        var utterances: [[String]] = []
        var start = 0
        for index in words.indices where index >= start {
            guard let end = endOfCommand(at: index, words, keys, language) else { continue }
            // What it takes back is the sentence before it.
            let last = words[start..<index].dropLast().lastIndex(where: Self.endsSentence)
            let sentence = last.map { $0 + 1 } ?? start
            utterances += [start..<sentence, sentence..<index, index..<end].filter { !$0.isEmpty }.map {
                Array(words[$0])
            }
            start = end
        }
        guard start < words.count else { return utterances }
        var rest = Array(words[start...])
        if start > 0, rules.contains(.capitals) { rest[0] = rest[0].prefix(1).uppercased() + rest[0].dropFirst() }
        return utterances + [rest]
    }

    private static func endsSentence(_ word: String) -> Bool {
        PunctuatedMarks.hasPunctuation(word) && word.last.map(".?!…".contains) == true
    }

    /// The index behind the command that begins at a word; nil if none does.
    private func endOfCommand(at start: Int, _ words: [String], _ keys: [String], _ language: Language) -> Int? {
        guard start == 0 || words[start - 1].last?.isPunctuation == true || words[start].first?.isUppercase == true,
            let name = language.commands.keys.first(where: { keys[start...].starts(with: $0) })
        else { return nil }
        let end = start + name.count
        // Only the last word has punctuation after it.
        guard !words[start..<end - 1].contains(where: { $0.last?.isPunctuation == true }) else { return nil }
        let isApart = end == words.count || words[end - 1].last?.isPunctuation == true
        return isApart || language.wordsAfterCommands.contains(keys[end]) ? end : nil
    }
}
