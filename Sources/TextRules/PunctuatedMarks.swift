/// Finds the spoken marks in a text that has punctuation, as the stronger models write it: `Dear Anna, comma, new line. How are you?`
///
/// The punctuation around a mark's name is the model's, which has heard a pause there, and goes with the name. It also tells a mark
/// from a word: who dictates marks pauses before them, or says several. So a single word, such as `period`, stays a word where it is the
/// only name of a mark in the text and no punctuation stands before it.
struct PunctuatedMarks {
    /// A mark's name in the text.
    private struct Name {
        var mark: Mark
        var pieces: Range<Int>
        /// Whether punctuation stands before it, or nothing stands beside it.
        var isApart: Bool
    }

    private let finder: MarkFinder
    /// Whether a sentence begins with a capital after a mark.
    private let writesCapitals: Bool
    private let pieces: [Piece]
    private let keys: [String]

    /// - Parameters:
    ///   - pieces: the pieces of the text.
    ///   - keys: the words in lower case, without the punctuation around them.
    init(language: Language, writesCapitals: Bool, pieces: [Piece], keys: [String]) {
        finder = MarkFinder(language: language)
        (self.writesCapitals, self.pieces, self.keys) = (writesCapitals, pieces, keys)
    }

    /// The pieces with marks in place of their names.
    var found: [Piece] {
        let names = names
        if names.isEmpty { return pieces }
        var result: [Piece] = []
        var index = 0
        for name in names {
            result += pieces[index..<name.pieces.lowerBound]
            add(name, to: &result)
            index = name.pieces.upperBound
        }
        result += pieces[index...]
        for index in result.indices.dropFirst() {
            guard case .mark(let mark) = result[index - 1].kind, result[index].isWord else { continue }
            result[index].text = text(of: result[index], after: mark)
        }
        return result
    }

    // MARK: Which names are marks

    private var names: [Name] {
        var names: [Name] = []
        var index = 0
        while index < pieces.count {
            if let name = name(at: index, isBehindMark: names.last?.pieces.upperBound == index) {
                names.append(name)
                index = name.pieces.upperBound
            } else {
                index += 1
            }
        }
        if names.count > 1 { return names }
        return names.filter { $0.isApart || $0.pieces.count > 1 }
    }

    private func name(at start: Int, isBehindMark: Bool) -> Name? {
        guard let (mark, end) = finder.name(at: start, in: pieces, keys: keys) else { return nil }
        let words = pieces[start..<end].map(\.text)
        // Only the last word may have punctuation after it, and nothing stands before one, as a quotation mark does.
        guard !words.dropLast().contains(where: Self.hasPunctuation),
            words.allSatisfy({ TextRules.bare($0) == Self.withoutPunctuation($0).lowercased() })
        else { return nil }
        let endsClause = Self.hasPunctuation(words[words.count - 1])
        let isFirst = start == 0
        let isApart =
            isFirst
            ? endsClause || end == pieces.count : isBehindMark || Self.hasPunctuation(pieces[start - 1].text)
        let before = isFirst || isApart ? nil : finder.key(at: start - 1, in: pieces, keys)
        let after = endsClause ? nil : finder.key(at: end, in: pieces, keys)
        guard finder.isMark(mark, after: before, before: after, isFirst: isFirst) else { return nil }
        return Name(mark: mark, pieces: start..<end, isApart: isApart)
    }

    // MARK: Writing

    /// Adds a mark, and removes the model's punctuation before it.
    private func add(_ name: Name, to result: inout [Piece]) {
        let heard =
            pieces[name.pieces.lowerBound].heard.lowerBound..<pieces[name.pieces.upperBound - 1].heard.upperBound
        var marks = MarkFinder.pieces(of: name.mark, heard: heard)
        if let last = result.indices.last, !result[last].isMark {
            let text = result[last].text
            let isPunctuation = name.mark.text.last.map(Self.punctuation.contains) == true
            let rest = isPunctuation ? Self.withoutPunctuation(text) : Self.withoutComma(text)
            if !rest.isEmpty { result[last].text = rest }
            // An abbreviation that ends a sentence has one full stop.
            if name.mark.text == ".", result[last].text.last == "." { marks[0].text = "" }
        }
        result += marks
    }

    /// Returns a word with a capital where a sentence begins, and without one where the model alone has begun a sentence.
    private func text(of word: Piece, after mark: Mark) -> String {
        var text = word.text
        guard let first = text.firstIndex(where: \.isLetter),
            !text[text.index(after: first)...].contains(where: \.isUppercase)
        else { return text }
        if mark.endsSentence, writesCapitals {
            text.replaceSubrange(first...first, with: text[first].uppercased())
        } else if !mark.endsSentence, mark.place != .opening,
            finder.language.neverNames.contains(keys[word.heard.lowerBound])
        {
            text.replaceSubrange(first...first, with: text[first].lowercased())
        }
        return text
    }

    private static let punctuation: Set<Character> = [".", ",", "?", "!", ";", ":", "…", "。", "，", "、", "？", "！"]
    /// Words that have a full stop of their own, without it.
    private static let abbreviations: Set<String> = [
        "mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "vs", "etc", "inc", "ltd", "co", "mme", "mlle", "sra", "ud",
        "uds",
    ]

    /// Removes the punctuation at the end of a word, but not the full stop of an abbreviation.
    private static func withoutPunctuation(_ word: String) -> String {
        guard let last = word.lastIndex(where: { !punctuation.contains($0) }) else { return word }
        let (bare, marks) = (word[...last], word[word.index(after: last)...])
        let isAbbreviated =
            bare.contains(".") && bare.contains(where: \.isLetter) || abbreviations.contains(bare.lowercased())
        return isAbbreviated && marks.first == "." ? bare + "." : String(bare)
    }

    /// Whether punctuation stands at the end of a word, which is not the full stop of an abbreviation.
    static func hasPunctuation(_ word: String) -> Bool {
        word.last.map(punctuation.contains) == true && withoutPunctuation(word) != word
    }

    /// Removes a comma at the end of a word.
    private static func withoutComma(_ word: String) -> String { word.last == "," ? String(word.dropLast()) : word }
}
