/// The rules that turn recognized words into written text: numbers in digits, capitals, spoken marks and commands, and
/// a user's replacements. They are pure.
///
/// ```swift
/// let rules = TextRules([.numbers, .capitals], language: .named("en-US"))
/// rules.write(["half", "past", "two", "on", "monday"]).text   // "2:30 on Monday"
/// ```
///
/// Every recognized word belongs to exactly one written word, so times and confidences are kept. Words to which no rule
/// applies do not change.
public struct TextRules: Sendable {
    /// A rule that can be turned on or off.
    public enum Rule: String, CaseIterable, Hashable, Sendable {
        /// Numbers are written in digits where people write digits.
        case numbers
        /// The first word of a sentence, and names that always have one, get a capital.
        case capitals
        /// The words `comma`, `full stop`, `new line` and so on become what they name.
        case marks
        /// The words `scratch that`, said alone, take back the previous utterance.
        case commands
    }

    /// The rules that are applied.
    public var rules: Set<Rule>
    /// The user's replacements.
    public var replacements: Replacements
    /// The language; nil if it has no tables, and then numbers, marks and commands stay words.
    public var language: Language?

    /// Creates rules for a language.
    public init(_ rules: Set<Rule>, replacements: Replacements = Replacements(), language: Language?) {
        (self.rules, self.replacements, self.language) = (rules, replacements, language)
    }

    /// Whether the rules change nothing.
    public var isEmpty: Bool { rules.isEmpty && replacements.isEmpty }

    /// Applies the rules to an utterance.
    ///
    /// - Parameters:
    ///   - words: the recognized words, without white space.
    ///   - beginsSentence: whether the first word begins a sentence.
    ///   - isPunctuated: whether the words already have capitals, punctuation and digits. If so, numbers
    ///     and capitals stay as they are, but for times of day such as `6.45 pm`, and spoken marks take the place of the punctuation beside them.
    public func write(_ words: [String], beginsSentence: Bool = true, isPunctuated: Bool = false) -> WrittenUtterance {
        guard !isEmpty, !words.isEmpty else { return WrittenUtterance(unchanged: words) }
        let keys = words.map { isPunctuated ? Self.bare($0) : $0.lowercased() }
        if rules.contains(.commands), let command = language?.commands[keys] {
            return WrittenUtterance(words: [WrittenWord(text: "", heard: 0..<words.count)], command: command)
        }
        var pieces = replacements.applied(to: words)
        let numbers = rules.contains(.numbers) && !isPunctuated ? language?.numbers : nil
        if let numbers, language?.hasNumbersFirst == true { pieces = numbers.written(pieces, keys: keys) }
        if isPunctuated, rules.contains(.numbers), language?.hasTimesWithColon == true {
            pieces = PunctuatedTimes().written(pieces, keys: keys)
        }
        if rules.contains(.marks), let language {
            pieces =
                isPunctuated
                ? PunctuatedMarks(
                    language: language, writesCapitals: rules.contains(.capitals), pieces: pieces, keys: keys
                ).found : MarkFinder(language: language).found(in: pieces, keys: keys)
        }
        if let numbers, language?.hasNumbersFirst == false { pieces = numbers.written(pieces, keys: keys) }
        var hasSentenceCapital = false
        if rules.contains(.capitals), !isPunctuated {
            let names = Capitals(names: language?.capitalized ?? [:], namesAfter: language?.capitalizedAfter ?? [:])
            hasSentenceCapital = names.apply(to: &pieces, beginsSentence: beginsSentence)
        } else if rules.contains(.capitals) {
            // A model writes a capital at the beginning of all that it hears, also in the middle of a sentence.
            hasSentenceCapital =
                pieces.first?.kind == .word && words[0].filter(\.isUppercase).count == 1
                && language?.neverNames.contains(keys[0]) == true
        }
        return WrittenUtterance(words: Assembly.words(of: pieces), hasSentenceCapital: hasSentenceCapital)
    }

    /// Whether a text has capitals, punctuation or digits, as the text of some models has without these rules.
    public static func isPunctuated(_ text: String) -> Bool {
        text.contains { $0.isUppercase || $0.isWholeNumber && $0.isASCII || ".,?!;:…。，、？！".contains($0) }
    }

    /// Returns a word in lower case, without punctuation around it.
    static func bare(_ word: String) -> String {
        let isPart: (Character) -> Bool = { $0.isLetter || $0.isNumber }
        guard let first = word.firstIndex(where: isPart), let last = word.lastIndex(where: isPart) else { return word }
        return word[first...last].lowercased()
    }
}
