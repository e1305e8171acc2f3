/// Writes days, months and years: `january eleventh nineteen seventy one`, `the second of may`.
extension SpokenNumbers {
    func date(at index: Int) -> Written? {
        if let month = English.months[word(index)] { return afterMonth(month, at: index) }
        return beforeMonth(at: index)
    }

    private func isMonthWord(_ index: Int) -> Bool {
        !English.ambiguousMonths.contains(word(index)) || !English.beforeVerbs.contains(word(index - 1))
    }

    /// Writes the day and the year after a month: `January 11, 1971`.
    private func afterMonth(_ month: String, at index: Int) -> Written? {
        guard isMonthWord(index) else { return nil }
        var date = Written(month, 1)
        if let year = fullYear(at: index + 1) {
            date.add(String(year.value), year.end - index - 1)
            return date
        }
        guard let day = day(at: index + 1) else { return nil }
        if let year = fullYear(at: day.end) {
            date.add("\(day.value),", day.end - index - 1)
            date.add(String(year.value), year.end - day.end)
            return date
        }
        if !day.isOrdinal {
            // `in june two people came`
            if English.ambiguousMonths.contains(word(index)) || !isEndOrFunctionWord(day.end) { return nil }
        }
        date.add(String(day.value), day.end - index - 1)
        return date
    }

    private func day(at index: Int) -> NumberParser.Number? {
        guard let day = parser.small(at: index, allowsZero: false), day.value <= 31, !parser.isScale(day.end) else {
            return nil
        }
        return day
    }

    /// Reads `second of may`, `twenty fifth of july twenty twelve`.
    private func beforeMonth(at index: Int) -> Written? {
        guard let day = day(at: index), day.isOrdinal, word(day.end) == "of",
            let month = English.months[word(day.end + 1)]
        else {
            return nil
        }
        var date = Written(ordinalText(day.value), day.end - index)
        date.add("of", 1)
        date.add(month, 1)
        if let year = fullYear(at: day.end + 2) { date.add(String(year.value), year.end - day.end - 2) }
        return date
    }

    /// Reads a year from 1000 to 2099 in any form.
    private func fullYear(at index: Int) -> (value: Int, end: Int)? {
        if let year = year(at: index) { return year }
        guard let number = parser.number(at: index), !number.isOrdinal, (1000...2099).contains(number.value) else {
            return nil
        }
        return (number.value, number.end)
    }
}
