/// Numbers with a unit or a fraction, by a table: decimals, percentages, money.
extension TableNumbers {
    /// A number without its unit.
    private struct Quantity {
        var text: String
        var end: Int
        /// Whether cents may follow.
        var isWhole: Bool
    }

    /// Returns the amount at `index`; nil for a number alone.
    func amount(at index: Int) -> Written? {
        guard let number = cardinal(at: index) else { return nil }
        let decimal = decimal(number, at: index)
        let quantity =
            decimal ?? Quantity(text: text(number), end: number.end, isWhole: number.round == nil)
        for name in table.percent where words[quantity.end...].starts(with: name) {
            let end = quantity.end + name.count
            // `pour cent euros` is no percentage.
            if table.currencies[word(end)] == nil, !reader.isNumeral(end) {
                return Written(quantity.text + table.unitSpace + "%", end - index)
            }
        }
        if number.round == nil, let sign = table.currencies[word(quantity.end)] {
            let isArticle = decimal == nil && isArticle(number, at: index)
            if let money = money(quantity, sign, isArticle: isArticle, from: index) { return money }
        }
        return decimal.map { Written($0.text, $0.end - index) }
    }

    // MARK: Decimals

    /// Reads `drei komma eins vier`, `zwei komma fünf millionen`, `version eins punkt zwei punkt drei`. Not `eins komma
    /// zwei komma drei`, a list.
    private func decimal(_ whole: Number, at index: Int) -> Quantity? {
        guard whole.round == nil, let point = point(at: whole.end, after: index), !isAfterPoint(index),
            !table.onlyArticles.contains(word(index)), let fraction = fraction(at: whole.end + 1)
        else { return nil }
        if table.saysFractionDigits, cardinal(at: whole.end + 1).map({ $0.value >= 10 }) == true,
            !isUnit(fraction.end), !isEndOrFunctionWord(fraction.end)
        {
            return nil
        }
        var result = Quantity(text: digits(whole.value) + point + fraction.text, end: fraction.end, isWhole: false)
        while point == ".", isNumbered(index), word(result.end) == word(whole.end),
            let next = self.fraction(at: result.end + 1)
        {
            result.text += point + next.text
            result.end = next.end
        }
        if table.points[word(result.end)] == point, reader.isNumeral(result.end + 1) { return nil }
        if let scale = table.roundScales[word(result.end)] {
            result.text += " " + scale
            result.end += 1
        }
        return result
    }

    private func isUnit(_ index: Int) -> Bool {
        table.currencies[word(index)] != nil || table.roundScales[word(index)] != nil
            || table.percent.contains { words[min(index, words.count)...].starts(with: $0) }
    }

    private func point(at place: Int, after index: Int) -> String? {
        table.points[word(place)] ?? (isNumbered(index) ? table.numberedPoints[word(place)] : nil)
    }

    private func isAfterPoint(_ index: Int) -> Bool {
        table.points[word(index - 1)] != nil && reader.isNumeral(index - 2)
    }

    /// Reads zeros, and then digits one by one or a number below a thousand.
    private func fraction(at start: Int) -> (text: String, end: Int)? {
        var text = ""
        var index = start
        while let (value, end) = count(at: index), value < 10, end == index + 1 {
            text += String(value)
            index = end
        }
        if text.allSatisfy({ $0 == "0" }), let (value, end) = count(at: index), (10..<1000).contains(value) {
            return (text + String(value), end)
        }
        return text.isEmpty ? nil : (text, index)
    }

    /// Returns a number without the scale after a round one: the `2` of `zwei millionen`.
    private func count(at index: Int) -> (value: Int, end: Int)? {
        cardinal(at: index).map { number in
            number.round.map { ($0.count, number.end - 1) } ?? (number.value, number.end)
        }
    }

    // MARK: Money

    /// Reads `zwei euro fünfzig`, `deux euros et vingt centimes`. `Ein euro` alone stays words.
    private func money(_ quantity: Quantity, _ sign: String, isArticle: Bool, from start: Int) -> Written? {
        let end = quantity.end + 1
        let whole = isArticle ? nil : Written(quantity.text + table.unitSpace + sign, end - start)
        guard quantity.isWhole else { return whole }
        let next = table.centJoiners.contains(word(end)) ? end + 1 : end
        guard let small = cardinal(at: next), (1..<100).contains(small.value) else { return whole }
        let hasUnit = table.cents.contains(word(small.end))
        let isPlain = small.value >= 10 && word(end) != table.and && isEndOrFunctionWord(small.end)
        guard hasUnit || isPlain, table.currencies[word(small.end)] == nil else { return whole }
        let text = quantity.text + "," + ClockTable.twoDigits(small.value) + table.unitSpace + sign
        return Written(text, small.end + (hasUnit ? 1 : 0) - start)
    }
}
