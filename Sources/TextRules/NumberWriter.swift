/// Writes numbers in digits where people write digits: in times, dates, years, amounts and telephone numbers, and from
/// ten on.
///
/// Single numbers from one to nine stay words, as do first to ninth.
struct NumberWriter: Sendable {
    /// The text for some words, from the left.
    struct Written {
        /// The parts of the text, each with the number of its spoken words.
        var parts: [(text: String, count: Int)]
        var count: Int { parts.reduce(0) { $0 + $1.count } }

        init(_ text: String, _ count: Int) { parts = [(text, count)] }

        /// Words as they were said.
        init(unchanged words: ArraySlice<String>) { parts = words.map { ($0, 1) } }

        mutating func add(_ text: String, _ count: Int) { parts.append((text, count)) }
    }

    /// Returns digits, with separators in numbers of five digits or more.
    static func digits(_ number: Int, separator: String) -> String {
        let text = String(number)
        guard text.count > 4 else { return text }
        var result = ""
        for (index, digit) in text.enumerated() {
            if index > 0, (text.count - index) % 3 == 0 { result += separator }
            result.append(digit)
        }
        return result
    }

    /// Reads consecutive words, and returns what writes the number at an index of them; nil where no rule applies.
    private let reading: @Sendable ([String]) -> (Int) -> Written?

    /// Writes English numbers.
    init() { reading = { words in SpokenNumbers(words: words).written(at:) } }

    init(_ table: NumberTable) {
        let parts = table.parts
        reading = { words in TableNumbers(table: table, parts: parts, words: words).written(at:) }
    }

    /// Returns the pieces with numbers in digits.
    ///
    /// - Parameters:
    ///   - pieces: the pieces of the utterance.
    ///   - keys: the spoken words in lower case.
    func written(_ pieces: [Piece], keys: [String]) -> [Piece] {
        var result: [Piece] = []
        var index = 0
        while index < pieces.count {
            guard pieces[index].isWord else {
                result.append(pieces[index])
                index += 1
                continue
            }
            let end = pieces[index...].firstIndex { !$0.isWord } ?? pieces.count
            result += written(pieces[index..<end], keys: keys)
            index = end
        }
        return result
    }

    /// Writes the numbers in words with no other piece between them.
    private func written(_ stretch: ArraySlice<Piece>, keys: [String]) -> [Piece] {
        let pieces = Array(stretch)
        let number = reading(pieces.map { keys[$0.heard.lowerBound] })
        var result: [Piece] = []
        var index = 0
        while index < pieces.count {
            guard let written = number(index) else {
                result.append(pieces[index])
                index += 1
                continue
            }
            for part in written.parts {
                let heard = pieces[index].heard.lowerBound..<pieces[index + part.count - 1].heard.upperBound
                result.append(Piece(text: part.text, heard: heard, kind: .number))
                index += part.count
            }
        }
        return result
    }
}

/// The numbers in consecutive words of English.
struct SpokenNumbers {
    typealias Written = NumberWriter.Written

    let words: [String]
    let parser: NumberParser

    init(words: [String]) {
        self.words = words
        parser = NumberParser(words: words)
    }

    func word(_ index: Int) -> String { words.indices.contains(index) ? words[index] : "" }

    /// Returns the longest of `names` whose words are at `index`.
    func match<Value>(_ names: [[String]: Value], at index: Int) -> (value: Value, end: Int)? {
        for count in stride(from: min(2, words.count - index), to: 0, by: -1) {
            if let value = names[Array(words[index..<index + count])] { return (value, index + count) }
        }
        return nil
    }

    /// Returns the text for the words at `index`; nil if no rule applies.
    func written(at index: Int) -> Written? {
        guard English.starts.contains(words[index]) else { return nil }
        return sharingScale(at: index) ?? timeOfDay(at: index) ?? date(at: index) ?? decade(at: index) ?? negative(
            at: index)
            ?? amount(at: index) ?? ordinal(at: index) ?? plain(at: index)
    }

    func isCounted(_ index: Int) -> Bool { English.countedUnits.contains(word(index)) }

    /// Whether the sentence ends at `index`, or continues without a counted thing.
    func isEndOrFunctionWord(_ index: Int) -> Bool {
        index >= words.count || English.functionWords.contains(words[index])
    }

    /// Reads `two or three hundred`, which is neither 2 nor 300, and stays words.
    private func sharingScale(at index: Int) -> Written? {
        guard let first = parser.small(at: index, allowsZero: false), !first.isOrdinal,
            English.rangeWords.contains(word(first.end)),
            let second = parser.small(at: first.end + 1, allowsZero: false), !second.isOrdinal,
            first.value < second.value,
            parser.isScale(second.end)
        else { return nil }
        return Written(unchanged: words[index...second.end])
    }

    // MARK: Whole numbers

    /// Writes numbers from ten on, and smaller ones if their neighbours require digits.
    private func plain(at index: Int) -> Written? {
        guard let base = base(at: index), !parser.isScale(base.end) else { return nil }
        if case .number(let number) = base.kind, number.value < 10 {
            guard !number.isOrdinal, isNumbered(index) || isInRange(index, number.end) || endsRange(index) else {
                return nil
            }
        }
        return Written(base.text, base.end - index)
    }

    /// Whether the number follows a word such as `page`.
    private func isNumbered(_ index: Int) -> Bool { English.numbered.contains(word(index - 1)) }

    /// Whether the number begins a range: `five to ten`. In `this one or ten others` it does not.
    private func isInRange(_ index: Int, _ end: Int) -> Bool {
        guard English.rangeWords.contains(word(end)), let other = parser.number(at: end + 1), !other.isOrdinal,
            other.value >= 10
        else {
            return false
        }
        return English.units[word(index)] != 1 || index == 0 || English.beforeTimes.contains(word(index - 1))
    }

    /// Whether the number ends a range: `ten to one`.
    private func endsRange(_ index: Int) -> Bool {
        guard English.rangeWords.contains(word(index - 1)) else { return false }
        let last = word(index - 2)
        if English.teens[last] != nil || English.tens[last] != nil || parser.isScale(index - 2) { return true }
        return English.units[last] != nil && (English.tens[word(index - 3)] != nil || parser.isScale(index - 3))
    }

    /// Writes `minus sixty`, but not `ten minus five`.
    private func negative(at index: Int) -> Written? {
        guard word(index) == "minus", parser.small(at: index - 1, allowsZero: true) == nil,
            !parser.isScale(index - 1)
        else {
            return nil
        }
        guard let amount = amount(at: index + 1) ?? base(at: index + 1).map({ Written($0.text, $0.end - index - 1) })
        else { return nil }
        guard let first = amount.parts.first, first.text.first?.isNumber == true else { return nil }
        var result = Written("-" + first.text, first.count + 1)
        for part in amount.parts.dropFirst() { result.add(part.text, part.count) }
        return result
    }

    // MARK: Ordinals

    /// Writes ordinals from tenth on, but not `one tenth`, a fraction.
    private func ordinal(at index: Int) -> Written? {
        guard let number = parser.number(at: index), number.isOrdinal, number.value >= 10 else { return nil }
        if number.end == index + 1, let before = parser.small(at: index - 1, allowsZero: false), before.value < 10,
            !before.isOrdinal
        {
            return nil
        }
        return Written(ordinalText(number.value), number.end - index)
    }

    func ordinalText(_ number: Int) -> String { English.digits(number) + English.ordinalEnd(number) }
}
