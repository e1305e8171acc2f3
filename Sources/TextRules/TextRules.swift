/// What is done to the words of a recognizer before they are written: numbers in digits, capitals, spoken marks and commands, and a user's
/// replacements. Pure.
///
/// ```swift
/// let rules = TextRules([.numbers, .capitals], language: .named("en-US"))
/// rules.write(["half", "past", "two", "on", "monday"]).text   // "2:30 on Monday"
/// ```
///
/// Every word that comes in belongs to exactly one word that comes out, so times and confidences survive. Where no rule fits, words come
/// out as they came in.
public struct TextRules: Sendable {
    /// A rule that can be turned on and off.
    public enum Rule: String, CaseIterable, Hashable, Sendable {
        /// Numbers in digits where people write digits.
        case numbers
        /// A capital where a sentence begins, and in names that always have one.
        case capitals
        /// `comma`, `full stop`, `new line` and so on are what they name.
        case marks
        /// `scratch that`, said alone, takes the utterance before back.
        case commands
    }

    public var rules: Set<Rule>
    public var replacements: Replacements
    /// Nil where there are no tables for what is spoken: then numbers, marks and commands stay words.
    public var language: Language?

    public init(_ rules: Set<Rule>, replacements: Replacements = Replacements(), language: Language?) {
        (self.rules, self.replacements, self.language) = (rules, replacements, language)
    }

    /// Whether they leave everything as it is.
    public var isEmpty: Bool { rules.isEmpty && replacements.isEmpty }

    /// Writes an utterance.
    ///
    /// - Parameters:
    ///   - words: as they were heard, without white space.
    ///   - beginsSentence: whether its first word begins a sentence.
    ///   - isPunctuated: whether the words come with capitals and punctuation, and with numbers as they are to be: then only replacements
    ///     are made, and marks, line breaks and commands that are said alone.
    public func write(_ words: [String], beginsSentence: Bool = true, isPunctuated: Bool = false) -> WrittenUtterance {
        guard !isEmpty, !words.isEmpty else { return WrittenUtterance(unchanged: words) }
        let keys = words.map { isPunctuated ? Self.bare($0) : $0.lowercased() }
        if rules.contains(.commands), let command = language?.commands[keys] {
            return WrittenUtterance(words: [WrittenWord(text: "", heard: 0..<words.count)], command: command)
        }
        var pieces = replacements.applied(to: words)
        if rules.contains(.marks), let language {
            pieces = MarkFinder(language: language, onlyAlone: isPunctuated).found(in: pieces, keys: keys)
        }
        if !isPunctuated {
            if rules.contains(.numbers), let numbers = language?.numbers { pieces = NumberWriter(numbers).written(pieces, keys: keys) }
            if rules.contains(.capitals) {
                return capitalized(pieces, beginsSentence: beginsSentence)
            }
        }
        return WrittenUtterance(words: Assembly.words(of: pieces), command: nil)
    }

    private func capitalized(_ pieces: [Piece], beginsSentence: Bool) -> WrittenUtterance {
        var pieces = pieces
        let names = Capitals(names: language?.capitalized ?? [:], namesAfter: language?.capitalizedAfter ?? [:])
        let hasCapital = names.apply(to: &pieces, beginsSentence: beginsSentence)
        var utterance = WrittenUtterance(words: Assembly.words(of: pieces), command: nil)
        utterance.hasSentenceCapital = hasCapital
        return utterance
    }

    /// Whether a text has capitals, punctuation or digits, as models write that do without these rules.
    public static func isPunctuated(_ text: String) -> Bool {
        text.contains { $0.isUppercase || $0.isWholeNumber && $0.isASCII || ".,?!;:…。，、？！".contains($0) }
    }

    /// In lower case, without the punctuation around it.
    static func bare(_ word: String) -> String {
        let isPart: (Character) -> Bool = { $0.isLetter || $0.isNumber }
        guard let first = word.firstIndex(where: isPart), let last = word.lastIndex(where: isPart) else { return word }
        return word[first...last].lowercased()
    }
}
