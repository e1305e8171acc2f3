/// Numbers that are spoken as digits or as pairs: telephone numbers, years, house numbers.
extension SpokenNumbers {
    enum Kind {
        case number(NumberParser.Number)
        /// A number spoken digit by digit.
        case run
        /// Two numbers that form one.
        case pair
        case year(Int)
    }

    /// A number without its unit.
    struct Base {
        var kind: Kind
        var text: String
        var end: Int
    }

    /// Returns the number at `index` in any form, except an ordinal.
    func base(at index: Int) -> Base? {
        if let run = run(at: index) { return run }
        if let year = year(at: index) { return Base(kind: .year(year.value), text: String(year.value), end: year.end) }
        if let pair = pair(at: index) { return pair }
        guard let number = parser.number(at: index), !number.isOrdinal else { return nil }
        let text = number.round.map { "\(English.digits($0.count)) \($0.scale)" } ?? English.digits(number.value)
        return Base(kind: .number(number), text: text, end: number.end)
    }

    // MARK: Digit by digit

    /// Reads three or more digits, or two if the first is zero: `five five five one two`, `double oh seven`.
    private func run(at start: Int) -> Base? {
        var digits = ""
        var index = start
        while let (text, end) = digit(at: index, after: digits) {
            digits += text
            index = end
        }
        // In `one two five oh well` the last word is not a zero.
        while index > start, word(index - 1) == "oh", index < words.count {
            digits.removeLast()
            index -= 1
        }
        // `two three and five` is a list.
        if English.listWords.contains(word(index)), English.units[word(index + 1)] != nil { return nil }
        let isLong = digits.count >= 3 || digits.count == 2 && English.units[word(start)] == 0
        return isLong ? Base(kind: .run, text: digits, end: index) : nil
    }

    private func digit(at index: Int, after digits: String) -> (text: String, end: Int)? {
        let here = word(index)
        if let count = English.repeaters[here], let digit = repeated(index + 1), !parser.isScale(index + 2) {
            return (String(repeating: String(digit), count: count), index + 2)
        }
        if here == "o" {
            let next = word(index + 1)
            guard !digits.isEmpty, English.units[next] != nil || next == "o" && index + 2 < words.count
            else { return nil }
            return ("0", index + 1)
        }
        guard let digit = singleDigit(index) else { return nil }
        guard parser.isScale(index + 1) else { return (String(digit), index + 1) }
        // `one eight hundred five five five`
        guard !digits.isEmpty, word(index + 1) == "hundred", singleDigit(index + 2) != nil,
            !parser.isScale(index + 3)
        else {
            return nil
        }
        return ("\(digit)00", index + 2)
    }

    private func repeated(_ index: Int) -> Int? { word(index) == "o" ? 0 : singleDigit(index) }

    private func singleDigit(_ index: Int) -> Int? {
        let word = word(index)
        return word == "oh" ? 0 : English.units[word]
    }

    // MARK: Pairs

    /// Reads 10 to 99, or `oh five`, if the number ends there.
    func pairEnd(at index: Int) -> (text: String, value: Int, end: Int)? {
        if word(index) == "oh" || word(index) == "o", let digit = English.units[word(index + 1)],
            digit > 0,
            !parser.isScale(index + 2)
        {
            return ("0\(digit)", digit, index + 2)
        }
        guard let number = parser.small(at: index, allowsZero: false), !number.isOrdinal, number.value >= 10,
            !parser.isScale(number.end)
        else { return nil }
        return (String(number.value), number.value, number.end)
    }

    /// Reads `nineteen seventy one` or `twenty oh five`, and `ten sixty six`, which can't be a time. Not `fifteen
    /// twenty minutes`.
    func year(at index: Int) -> (value: Int, end: Int)? {
        let head = word(index)
        guard let century = English.teens[head] ?? (English.tens[head] == 20 ? 20 : nil),
            let years = pairEnd(at: index + 1),
            century > 12 || years.value > 59, !isCounted(years.end), years.value > 19 || years.value != century + 1
        else { return nil }
        return (century * 100 + years.value, years.end)
    }

    /// Reads `six thirty five` as 635 if it is not a time. Not `nine ten eleven`.
    private func pair(at index: Int) -> Base? {
        guard let head = English.units[word(index)] ?? English.teens[word(index)], (1...12).contains(head),
            let rest = pairEnd(at: index + 1), rest.value >= 10 || head > 9, rest.value != head + 1,
            !isCounted(rest.end)
        else { return nil }
        return Base(kind: .pair, text: "\(head)\(rest.text)", end: rest.end)
    }

    /// Reads `nineteen eighties`, `nineteen hundreds`.
    func decade(at index: Int) -> Written? {
        guard let century = English.teens[word(index)] ?? (English.tens[word(index)] == 20 ? 20 : nil), century > 12,
            let decade = English.decades[word(index + 1)]
        else { return nil }
        return Written("\(century * 100 + decade)s", 2)
    }
}
