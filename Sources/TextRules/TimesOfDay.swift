/// Writes times of day: `half past two`, `six thirty five a m`.
extension SpokenNumbers {
    func timeOfDay(at index: Int) -> Written? {
        if let time = relative(at: index) { return time }
        guard let hour = parser.hour(at: index) else { return nil }
        if let half = match(English.halves, at: index + 1), !isVerb(index + 1, half.end) {
            var time = Written(String(hour), 1)
            time.add(half.value, half.end - index - 1)
            return time
        }
        if let clock = match(English.clocks, at: index + 1) {
            var time = Written(String(hour), 1)
            time.add(clock.value, clock.end - index - 1)
            if let half = match(English.halves, at: clock.end), !isVerb(clock.end, half.end) {
                time.add(half.value, half.end - clock.end)
            }
            return time
        }
        guard let minutes = minutes(at: index + 1) else { return nil }
        var time = Written("\(hour):\(minutes.text)", minutes.end - index)
        if let half = match(English.halves, at: minutes.end), !isVerb(minutes.end, half.end) {
            time.add(half.value, half.end - minutes.end)
            return time
        }
        return isTime(hour, minutes, from: index) ? time : nil
    }

    /// Whether `am` is a verb, as in `at seven am i there`.
    private func isVerb(_ index: Int, _ end: Int) -> Bool {
        end == index + 1 && word(index) == "am" && word(end) == "i"
    }

    /// Returns minutes in two digits.
    private func minutes(at index: Int) -> (text: String, value: Int, end: Int)? {
        if word(index) == "oh" || word(index) == "o", let digit = English.units[word(index + 1)],
            digit > 0,
            !parser.isScale(index + 2)
        {
            return ("0\(digit)", digit, index + 2)
        }
        guard let number = parser.small(at: index, allowsZero: false), !number.isOrdinal,
            (10...59).contains(number.value),
            !parser.isScale(number.end)
        else { return nil }
        return (String(number.value), number.value, number.end)
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
                && (hasUnit && English.beforeTimes.contains(word(index - 1)) || hasHalf(next + 2))
        }
        guard isAfter || isBefore, let hour = parser.hour(at: next + 1), !parser.isScale(next + 2),
            pairedEnd(next + 2) == nil
        else {
            return nil
        }
        let written = isAfter ? hour : hour == 1 ? 12 : hour - 1
        let minutes = isAfter ? value : 60 - value
        var time = Written("\(written):\(minutes < 10 ? "0" : "")\(minutes)", next + 2 - index)
        if let half = match(English.halves, at: next + 2), !isVerb(next + 2, half.end) {
            time.add(half.value, half.end - next - 2)
        }
        return time
    }

    private func hasHalf(_ index: Int) -> Bool { index < words.count && match(English.halves, at: index) != nil }

    /// Returns the end of a further number, after which the previous one is not an hour.
    private func pairedEnd(_ index: Int) -> Int? { parser.small(at: index, allowsZero: true)?.end }
}
