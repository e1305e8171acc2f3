/// Days, years and times of day, by a table.
extension TableNumbers {
    // MARK: Dates

    /// Reads a day with its month, and the year after it: `25. März 2024`, `1er mai`, `25 de marzo de 2024`.
    func date(at index: Int) -> Written? {
        guard let day = reader.number(at: index), (1...31).contains(day.value) else { return nil }
        guard table.hasOrdinalDays ? day.ending != nil : day.ending == nil || day.value == 1 else { return nil }
        if table.of.isEmpty, isArticle(day, at: index) { return nil }
        var date = Written(table.day(day.value), day.end - index)
        for joiner in table.dayJoiners where words[day.end...].starts(with: joiner) {
            guard let second = self.date(at: day.end + joiner.count) else { continue }
            for word in joiner { date.add(word, 1) }
            date.parts += second.parts
            return date
        }
        var place = day.end
        if !table.of.isEmpty {
            guard table.of.contains(word(place)) else { return nil }
            date.add(word(place), 1)
            place += 1
        }
        guard let month = table.months[word(place)] else { return numericDate(day, at: index) }
        date.add(month, 1)
        place += 1
        let hasOf = table.of.contains(word(place))
        guard let year = year(at: hasOf ? place + 1 : place) else { return date }
        if hasOf { date.add(word(place), 1) }
        date.add(String(year.value), year.end - place - (hasOf ? 1 : 0))
        return date
    }

    /// Reads `der zweiundzwanzigste erste zweitausendzwanzig`, only with a year.
    private func numericDate(_ day: Number, at index: Int) -> Written? {
        guard table.hasOrdinalDays, let month = reader.number(at: day.end), month.ending != nil,
            (1...12).contains(month.value), let year = year(at: month.end)
        else { return nil }
        return Written(table.day(day.value) + table.day(month.value) + String(year.value), year.end - index)
    }

    /// Reads a year from 1000 to 2099, in full or as a pair: `zwanzig vierundzwanzig`.
    private func year(at index: Int) -> (value: Int, end: Int)? {
        guard let number = cardinal(at: index) else { return nil }
        if (1000...2099).contains(number.value) { return (number.value, number.end) }
        guard (13...20).contains(number.value), let rest = cardinal(at: number.end), (10...99).contains(rest.value)
        else { return nil }
        return (number.value * 100 + rest.value, rest.end)
    }

    // MARK: Times of day

    /// Reads `vierzehn uhr dreißig`, `à quatorze heures trente`, `las dos y media`.
    func timeOfDay(at index: Int) -> Written? {
        let clock = table.clock
        guard let hour = cardinal(at: index), hour.value <= 24, !clock.notHours.contains(word(index)) else {
            return nil
        }
        if [5, 10, 20, 25].contains(hour.value), clock.relative.contains(word(hour.end)),
            let other = cardinal(at: hour.end + 1), (1...12).contains(other.value)
        {
            return Written(unchanged: words[index..<other.end])
        }
        var place = hour.end
        if !clock.hours.isEmpty {
            guard clock.hours.contains(word(place)) else { return nil }
            place += 1
        }
        let isTime =
            clock.before.isEmpty || clock.before.contains(word(index - 1))
            || clock.rangeWords.contains(word(place))
                && cardinal(at: place + 1).map { clock.hours.contains(word($0.end)) } == true
        if let minutes = minutes(at: place, hour: hour, isTime: isTime, from: index) {
            let isBefore = minutes.value < 0
            let hours = isBefore ? (hour.value == 1 ? 12 : hour.value - 1) : hour.value
            let value = isBefore ? 60 + minutes.value : minutes.value
            guard hours >= 0, let text = clock.written(word(index - 1), hours, value) else {
                return Written(unchanged: words[index..<minutes.end])
            }
            return Written(text, minutes.end - index)
        }
        guard clock.hasFullHours, isTime, !clock.notBefore.contains(word(place)),
            let text = clock.written(word(index - 1), hour.value, nil)
        else { return nil }
        return Written(text, place - index)
    }

    private func minutes(at place: Int, hour: Number, isTime: Bool, from index: Int) -> (value: Int, end: Int)? {
        let clock = table.clock
        if isTime {
            for (name, value) in clock.phrases where words[min(place, words.count)...].starts(with: name) {
                return (value, place + name.count)
            }
            let isMinus = clock.minus.contains(word(place))
            if isMinus || clock.plus.contains(word(place)), let number = cardinal(at: place + 1),
                (1...(isMinus ? 29 : 59)).contains(number.value), isEndOrFunctionWord(number.end)
            {
                return (isMinus ? -number.value : number.value, number.end)
            }
        }
        let hasZero = cardinal(at: place).map { $0.value == 0 && $0.end == place + 1 } == true
        guard let number = cardinal(at: hasZero ? place + 1 : place), (1...59).contains(number.value),
            !hasZero || number.value < 10, !clock.minutes.contains(word(number.end)),
            table.currencies[word(number.end)] == nil
        else { return nil }
        // Two people may be meant by `um acht uhr zwei leute`.
        let isSure = isTime && (number.value >= 10 || hasZero)
        guard isSure || isEndOrFunctionWord(number.end) else { return nil }
        // Without a word after the hour it must be one of the afternoon, or `a las`.
        if clock.hours.isEmpty {
            guard isTime, hour.value >= 13 || clock.beforeBefore.contains(word(index - 2)) else { return nil }
        }
        return (number.value, number.end)
    }
}
