/// A word as it is written, and the words that were heard for it.
public struct WrittenWord: Hashable, Sendable {
    /// With the punctuation that belongs to it. It may have a space in it, as in `$2 million`, or be a line break; empty when what was heard
    /// is not to be written.
    public var text: String
    /// Which of the words that were heard.
    public var heard: Range<Int>

    public init(text: String, heard: Range<Int>) { (self.text, self.heard) = (text, heard) }
}

/// An utterance as the rules write it.
public struct WrittenUtterance: Hashable, Sendable {
    /// The ranges of what was heard follow on one another, from the first word to the last.
    public var words: [WrittenWord]
    /// What is to be done, instead of writing anything.
    public var command: Command?
    /// Whether the first letter is a capital only since a sentence begins with it.
    public var hasSentenceCapital = false

    init(words: [WrittenWord], command: Command?) { (self.words, self.command) = (words, command) }

    init(unchanged words: [String]) {
        self.words = words.enumerated().map { WrittenWord(text: $1, heard: $0..<$0 + 1) }
    }

    /// The words with spaces between them, and with none at line breaks.
    public var text: String {
        var text = ""
        for word in words where !word.text.isEmpty {
            if let last = text.last, last != "\n", word.text.first != "\n" { text += " " }
            text += word.text
        }
        return text
    }

    /// The same with a small letter at the beginning, for where no sentence begins there.
    public var textInsideSentence: String {
        guard hasSentenceCapital, let place = text.firstIndex(where: \.isLetter) else { return text }
        return text[..<place] + text[place].lowercased() + text[text.index(after: place)...]
    }
}
