/// Parses English numbers that are spoken in full: `two hundred and five thousand`, `twenty first`.
struct NumberParser {
    struct Number {
        var value: Int
        var end: Int
        var isOrdinal = false
        /// The parts `2` and `million` of two million, if no smaller number follows.
        var round: (count: Int, scale: String)?
    }

    let words: [String]

    func word(_ index: Int) -> String { words.indices.contains(index) ? words[index] : "" }

    /// Returns the number at `start`, from zero to quadrillions.
    func number(at start: Int) -> Number? {
        guard var group = group(at: start, isFirst: true) else { return nil }
        var total = 0
        var limit = Int.max
        while true {
            if group.isOrdinal { return Number(value: total + group.value, end: group.end, isOrdinal: true) }
            if let scale = English.ordinalScales[word(group.end)], scale > 100, scale < limit,
                (1..<1000).contains(group.value)
            {
                return Number(value: total + group.value * scale, end: group.end + 1, isOrdinal: true)
            }
            guard let scale = English.scales[word(group.end)], scale < limit, (1..<1000).contains(group.value) else {
                return Number(value: total + group.value, end: group.end)
            }
            let isRound = total == 0
            total += group.value * scale
            limit = scale
            let end = group.end + 1
            let next = end < words.count && words[end] == "and" ? end + 1 : end
            guard let following = self.group(at: next, isFirst: false), following.value < limit, following.value < 1000,
                English.scales[word(following.end)].map({ $0 < limit }) ?? true
            else {
                return Number(
                    value: total, end: end, round: isRound && scale >= 1_000_000 ? (group.value, words[group.end]) : nil
                )
            }
            group = following
        }
    }

    /// Returns a number below ten thousand without a scale.
    private func group(at start: Int, isFirst: Bool) -> Number? {
        if isFirst, word(start) == "a" { return afterArticle(start) }
        guard var number = small(at: start, allowsZero: isFirst) else { return nil }
        guard !number.isOrdinal, number.value > 0, number.value % 10 != 0 else { return number }
        if English.ordinalScales[word(number.end)] == 100 {
            return Number(value: number.value * 100, end: number.end + 1, isOrdinal: true)
        }
        guard word(number.end) == "hundred" else { return number }
        number = Number(value: number.value * 100, end: number.end + 1)
        guard let rest = rest(at: number.end) else { return number }
        return Number(value: number.value + rest.value, end: rest.end, isOrdinal: rest.isOrdinal)
    }

    /// Returns `a hundred and five`, but not `a hundred` alone.
    private func afterArticle(_ start: Int) -> Number? {
        if word(start + 1) == "hundred" {
            return rest(at: start + 2).map { Number(value: 100 + $0.value, end: $0.end, isOrdinal: $0.isOrdinal) }
        }
        return nil
    }

    /// Returns the number up to 99 after `hundred`.
    private func rest(at start: Int) -> Number? {
        let next = word(start) == "and" ? start + 1 : start
        guard let small = small(at: next, allowsZero: false), word(small.end) != "hundred" else { return nil }
        return small
    }

    /// Returns a number from 0 to 99.
    func small(at index: Int, allowsZero: Bool) -> Number? {
        let word = word(index)
        if let tens = English.tens[word] {
            let next = self.word(index + 1)
            if let unit = English.units[next], unit > 0 { return Number(value: tens + unit, end: index + 2) }
            if let unit = English.ordinals[next], unit < 10 {
                return Number(value: tens + unit, end: index + 2, isOrdinal: true)
            }
            return Number(value: tens, end: index + 1)
        }
        if let teen = English.teens[word] { return Number(value: teen, end: index + 1) }
        if let unit = English.units[word], unit > 0 || allowsZero { return Number(value: unit, end: index + 1) }
        return English.ordinals[word].map { Number(value: $0, end: index + 1, isOrdinal: true) }
    }

    /// Returns a number from one to twelve in one word.
    func hour(at index: Int) -> Int? {
        guard let hour = English.units[word(index)] ?? English.teens[word(index)], (1...12).contains(hour) else {
            return nil
        }
        return hour
    }

    /// Whether the word at `index` is `hundred`, `thousand` or another scale.
    func isScale(_ index: Int) -> Bool {
        let word = word(index)
        return word == "hundred" || English.scales[word] != nil || English.ordinalScales[word] != nil
    }
}
