/// Reads whole numbers by a table.
struct NumberReader {
    struct Number {
        var value: Int
        /// The index of the first word, or inside the reader the first atom, after the number.
        var end: Int
        /// What is written after the digits of an ordinal; nil for other numbers.
        var ending: String?
        /// The parts `2` and `Millionen` of a round number.
        var round: (count: Int, scale: String)?
    }

    /// A word, or the part of a word that is put together of numbers.
    private struct Atom {
        var name: String
        var word: Int
    }

    let table: NumberTable
    private var atoms: [Atom] = []
    /// The first atom of each word.
    private var starts: [Int] = []

    /// - Parameter parts: those of the table, which take a while to collect.
    init(table: NumberTable, parts: Set<String>, words: [String]) {
        self.table = table
        for (index, word) in words.enumerated() {
            starts.append(atoms.count)
            for name in Self.split(word, into: parts) { atoms.append(Atom(name: name, word: index)) }
        }
    }

    /// Returns the parts of a word; the word itself if it does not consist of them alone.
    private static func split(_ word: String, into parts: Set<String>) -> [String] {
        if parts.contains(word) { return [word] }
        var result: [String] = []
        var rest = word[...]
        while !rest.isEmpty {
            var part = rest
            while !part.isEmpty, !parts.contains(String(part)) { part = part.dropLast() }
            if part.isEmpty { return [word] }
            result.append(String(part))
            rest = rest.dropFirst(part.count)
            if rest.first == "-" { rest = rest.dropFirst() }
        }
        return result
    }

    /// Returns the number at a word, if it ends with a word.
    func number(at index: Int) -> Number? {
        guard starts.indices.contains(index), var number = whole(at: starts[index]) else { return nil }
        guard number.end == atoms.count || atoms[number.end].word != atoms[number.end - 1].word else { return nil }
        number.end = number.end == atoms.count ? starts.count : atoms[number.end].word
        return number
    }

    /// Whether a number's word is at `index`.
    func isNumeral(_ index: Int) -> Bool {
        guard starts.indices.contains(index) else { return false }
        return numeral(at: starts[index]) != nil || scale(at: starts[index]) != nil
    }

    // MARK: The grammar

    private func name(_ index: Int) -> String { atoms.indices.contains(index) ? atoms[index].name : "" }

    private func scale(at index: Int) -> NumberTable.Numeral? { table.scales[name(index)] }

    private func numeral(at index: Int) -> Number? {
        for count in [2, 1] where index + count <= atoms.count {
            if let numeral = table.numerals[atoms[index..<index + count].map(\.name)] {
                return Number(value: numeral.value, end: index + count, ending: numeral.ending)
            }
        }
        return nil
    }

    /// Reads millions and more, each with a smaller scale than the one before, and the rest.
    private func whole(at start: Int) -> Number? {
        var total: Number?
        var limit = Int.max
        while let part = thousands(at: total?.end ?? start) {
            let scale = scale(at: part.end).flatMap { $0.value >= 1_000_000 ? $0 : nil }
            guard let scale, part.ending == nil else {
                // Nothing is added that is no part of a number: `zwei millionen ein drittel`, `dos millones cero`.
                if total != nil, part.value == 0 || table.neverLast.contains(name(part.end - 1)) { break }
                return Number(value: (total?.value ?? 0) + part.value, end: part.end, ending: part.ending)
            }
            let (product, overflows) = part.value.multipliedReportingOverflow(by: scale.value)
            guard scale.value < limit, part.value > 0, !overflows, product < 1_000_000_000_000_000_000 else { break }
            let round = total == nil ? table.roundScales[name(part.end)].map { (part.value, $0) } : nil
            total = Number(
                value: (total?.value ?? 0) + product, end: part.end + 1, ending: scale.ending, round: round)
            if scale.ending != nil { break }
            limit = scale.value
        }
        return total
    }

    /// Reads a number below a million.
    private func thousands(at start: Int) -> Number? {
        scaled(by: 1000, hundreds(at: start), at: start, hundreds)
    }

    /// Reads a number below a thousand, or as many hundreds as there are in a year.
    private func hundreds(at start: Int) -> Number? {
        let count = small(at: start)
        if let count, count.value > 19 || count.value % 10 == 0 { return count }
        return scaled(by: 100, count, at: start, small)
    }

    /// Returns the number before a scale, times that, and with what is added to it; without the scale, the number.
    private func scaled(by value: Int, _ count: Number?, at start: Int, _ read: (Int) -> Number?) -> Number? {
        guard let product = multiple(of: value, count, at: start) else { return count }
        guard product.ending == nil, let rest = read(restStart(product.end)), rest.value > 0, rest.value < value,
            scale(at: rest.end)?.value != value, !table.neverLast.contains(name(rest.end - 1))
        else { return product }
        return Number(value: product.value + rest.value, end: rest.end, ending: rest.ending)
    }

    /// Returns the number before a scale, times that.
    private func multiple(of value: Int, _ count: Number?, at start: Int) -> Number? {
        let place = count?.end ?? start
        guard let scale = scale(at: place), scale.value == value, count?.ending == nil, count?.value != 0,
            count.map({ $0.value < 1000 || value < 1000 }) ?? true, count?.value != 1 || table.countsOne
        else { return nil }
        return Number(value: (count?.value ?? 1) * value, end: place + 1, ending: scale.ending)
    }

    /// Skips `and` inside a word. Between words, as in `hundert und zwei`, it may join two things.
    private func restStart(_ index: Int) -> Int {
        let isInside =
            name(index) == table.and && index + 1 < atoms.count && atoms[index - 1].word == atoms[index + 1].word
        return isInside ? index + 1 : index
    }

    /// Reads what is added up without a scale.
    private func small(at start: Int) -> Number? {
        guard var total = numeral(at: start) else { return nil }
        while total.ending == nil, !table.closed.contains(name(total.end - 1)) {
            let hasAnd = name(total.end) == table.and
            guard let next = numeral(at: hasAnd ? total.end + 1 : total.end),
                table.joins(total.value, hasAnd, next.value)
            else { break }
            total = Number(value: total.value + next.value, end: next.end, ending: next.ending)
        }
        return total
    }
}
