/// Numbers with a unit or a fraction: decimals, percentages, money.
extension SpokenNumbers {
    /// Returns the amount at `index`; nil for a number alone.
    func amount(at index: Int) -> Written? {
        if let small = oneAndCents(at: index) { return small }
        guard let number = decimal(at: index) ?? base(at: index) else { return nil }
        if let percent = match(English.percent, at: number.end) {
            return Written(number.text + percent.value, percent.end - index)
        }
        if let currency = English.currencies[word(number.end)] { return money(number, currency, from: index) }
        // Without a unit the other rules apply, except to a number with a point.
        return word(index) != "a" && isDecimal(number) ? Written(number.text, number.end - index) : nil
    }

    private func isDecimal(_ number: Base) -> Bool { number.text.contains(".") }

    // MARK: Decimals

    /// Reads `three point one four`, `two point five million`, `one point two point three`. Not `at one point two
    /// people`.
    private func decimal(at index: Int) -> Base? {
        guard let whole = parser.number(at: index), !whole.isOrdinal, whole.round == nil,
            word(index) != "a",
            !(whole.value == 1 && English.beforeTimes.contains(word(index - 1)))
        else { return nil }
        var text = English.digits(whole.value)
        var end = whole.end
        while word(end) == "point", let fraction = fraction(at: end + 1) {
            text += "." + fraction.text
            end = fraction.end
        }
        guard end > whole.end else { return nil }
        if let scale = English.scales[word(end)], scale >= 1000 {
            text += " " + word(end)
            end += 1
        }
        return Base(kind: .pair, text: text, end: end)
    }

    private func fraction(at start: Int) -> (text: String, end: Int)? {
        var text = ""
        var index = start
        while index < words.count, let digit = fractionDigit(index) {
            text += String(digit)
            index += 1
        }
        if !text.isEmpty { return (text, index) }
        guard let number = parser.small(at: start, allowsZero: false), !number.isOrdinal, number.value >= 10 else {
            return nil
        }
        return (String(number.value), number.end)
    }

    private func fractionDigit(_ index: Int) -> Int? {
        if word(index) == "oh" || word(index) == "o" { return 0 }
        return word(index + 1) == "hundred" ? nil : English.units[word(index)]
    }

    // MARK: Money

    /// Reads `a dollar fifty`.
    private func oneAndCents(at index: Int) -> Written? {
        guard word(index) == "a", let currency = English.currencies[word(index + 1)],
            let cents = parser.small(at: index + 2, allowsZero: false), !cents.isOrdinal, cents.value >= 10,
            isEndOrFunctionWord(cents.end)
        else { return nil }
        return Written("\(currency)1.\(cents.value)", cents.end - index)
    }

    /// Reads `two dollars and seventy cents`, `seventy five dollars sixty three`.
    private func money(_ number: Base, _ currency: String, from start: Int) -> Written {
        let end = number.end + 1
        let whole = Written(currency + number.text, end - start)
        guard !number.text.contains(" "), !isDecimal(number) else { return whole }
        let next = word(end) == "and" ? end + 1 : end
        guard let small = parser.small(at: next, allowsZero: false), !small.isOrdinal, small.value < 100 else {
            return whole
        }
        let hundredths = ClockTable.twoDigits(small.value)
        if English.cents.contains(word(small.end)) {
            return Written("\(currency)\(number.text).\(hundredths)", small.end + 1 - start)
        }
        guard next == end, small.value >= 10, isEndOrFunctionWord(small.end) else { return whole }
        return Written("\(currency)\(number.text).\(hundredths)", small.end - start)
    }
}
