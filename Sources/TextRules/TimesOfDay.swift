/// Writes times of day: `half past two`, `six thirty five a m`.
extension SpokenNumbers {
    func timeOfDay(at index: Int) -> Written? {
        if let time = relative(at: index) { return time }
        guard let hour = parser.hour(at: index) else { return nil }
        var time = Written(String(hour), 1)
        if addHalf(to: &time, from: index) { return time }
        if let clock = match(English.clocks, at: index + 1) {
            time.add(clock.value, clock.end - index - 1)
            addHalf(to: &time, from: index)
            return time
        }
        guard let minutes = pairEnd(at: index + 1), minutes.value < 60 else { return nil }
        time = Written("\(hour):\(minutes.text)", minutes.end - index)
        return addHalf(to: &time, from: index) || isTime(hour, minutes, from: index) ? time : nil
    }

    /// Adds the half of the day to a time that begins at `index`, if it follows. In `at seven am i there`, `am` is a verb.
    @discardableResult
    private func addHalf(to time: inout Written, from index: Int) -> Bool {
        let place = index + time.count
        guard let half = match(English.halves, at: place) else { return false }
        if half.end == place + 1, word(place) == "am", word(half.end) == "i" { return false }
        time.add(half.value, half.end - place)
        return true
    }

    /// Whether an hour and minutes are a time without a word that says so: after `at` and similar words, at the
    /// quarters, and from ten on, where another number would be spoken differently.
    private func isTime(_ hour: Int, _ minutes: (text: String, value: Int, end: Int), from index: Int) -> Bool {
        let end = minutes.end
        if isDigit(index - 1) || minutes.value == hour + 1 { return false }
        if English.numbered.contains(word(index - 1)) || isCounted(end) || isUnit(end) || isStreet(end) || isDigit(end)
        {
            return false
        }
        if English.beforeTimes.contains(word(index - 1)) { return true }
        return minutes.value >= 10 && (hour >= 10 || minutes.value % 15 == 0)
    }

    private func isUnit(_ index: Int) -> Bool {
        let word = word(index)
        return match(English.percent, at: index) != nil || English.currencies[word] != nil || word == "point"
            || word == "pounds"
            || word == "miles"
    }

    /// Whether one of the next words is that of a street, as in `main street`.
    private func isStreet(_ index: Int) -> Bool { (index...index + 2).contains { English.streets.contains(word($0)) } }

    private func isDigit(_ index: Int) -> Bool { English.units[word(index)] != nil || word(index) == "oh" }

    /// Reads `half past two`, `a quarter to five`, `ten past six`; `ten to eleven` only with `minutes` or `a m`.
    private func relative(at index: Int) -> Written? {
        let start = word(index) == "a" ? index + 1 : index
        var value = 30
        var next = start + 1
        var isAfter = English.past.contains(word(next))
        var isBefore = English.to.contains(word(next))
        if word(start) == "half" {
            guard word(next) == "past" else { return nil }
        } else if word(start) == "quarter" {
            value = 15
        } else {
            guard start == index, let minutes = parser.small(at: start, allowsZero: false), !minutes.isOrdinal,
                [5, 10, 20, 25].contains(minutes.value)
            else { return nil }
            value = minutes.value
            next = minutes.end
            let hasUnit = English.minutes.contains(word(next))
            if hasUnit { next += 1 }
            isAfter = word(next) == "past"
            isBefore =
                English.to.contains(word(next))
                && (hasUnit && English.beforeTimes.contains(word(index - 1))
                    || match(English.halves, at: next + 2) != nil)
        }
        guard isAfter || isBefore, let hour = parser.hour(at: next + 1), !parser.isScale(next + 2),
            // After a further number it is not an hour.
            parser.small(at: next + 2, allowsZero: true) == nil
        else {
            return nil
        }
        let written = isAfter ? hour : hour == 1 ? 12 : hour - 1
        let minutes = isAfter ? value : 60 - value
        var time = Written("\(written):\(ClockTable.twoDigits(minutes))", next + 2 - index)
        addHalf(to: &time, from: index)
        return time
    }
}
