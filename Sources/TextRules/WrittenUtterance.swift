/// A written word, and the recognized words for which it stands.
public struct WrittenWord: Hashable, Sendable {
    /// The text with its punctuation. It may contain a space, as in `$2 million`, or be a line break. It is empty if
    /// the recognized words are not to be written.
    public var text: String
    /// The indices of the recognized words.
    public var heard: Range<Int>

    /// Creates a written word.
    public init(text: String, heard: Range<Int>) { (self.text, self.heard) = (text, heard) }
}

/// An utterance as the rules have written it.
public struct WrittenUtterance: Hashable, Sendable {
    /// The written words. Their ranges of recognized words follow each other, from the first word to the last.
    public var words: [WrittenWord]
    /// The command to perform; nothing is written then.
    public var command: Command?
    /// Whether the first letter is a capital only because it begins a sentence.
    public var hasSentenceCapital: Bool

    init(words: [WrittenWord], command: Command? = nil, hasSentenceCapital: Bool = false) {
        (self.words, self.command, self.hasSentenceCapital) = (words, command, hasSentenceCapital)
    }

    init(unchanged words: [String]) {
        self.init(words: words.enumerated().map { WrittenWord(text: $1, heard: $0..<$0 + 1) })
    }

    /// The words with spaces between them, except at line breaks.
    public var text: String {
        var text = ""
        for word in words where !word.text.isEmpty {
            if let last = text.last, last != "\n", word.text.first != "\n" { text += " " }
            text += word.text
        }
        return text
    }

    /// The text with a small first letter, for use inside a sentence, if it is a capital only because it begins a
    /// sentence.
    public var textInsideSentence: String {
        guard hasSentenceCapital, let place = text.firstIndex(where: \.isLetter) else { return text }
        return text[..<place] + text[place].lowercased() + text[text.index(after: place)...]
    }
}
