/// The numbers in consecutive words of a language that has a table of numbers.
struct TableNumbers {
    typealias Written = NumberWriter.Written
    typealias Number = NumberReader.Number

    let table: NumberTable
    let words: [String]
    let reader: NumberReader

    init(table: NumberTable, parts: Set<String>, words: [String]) {
        (self.table, self.words) = (table, words)
        reader = NumberReader(table: table, parts: parts, words: words)
    }

    func word(_ index: Int) -> String { words.indices.contains(index) ? words[index] : "" }

    /// Returns the text for the words at `index`; nil if no rule applies.
    func written(at index: Int) -> Written? {
        if word(index) == table.minus { return negative(at: index) }
        guard reader.isNumeral(index) else { return nil }
        return sharingScale(at: index) ?? date(at: index) ?? timeOfDay(at: index) ?? run(at: index)
            ?? amount(at: index) ?? ordinal(at: index) ?? plain(at: index)
    }

    /// Returns the number at `index` that is no ordinal.
    func cardinal(at index: Int) -> Number? {
        reader.number(at: index).flatMap { $0.ending == nil ? $0 : nil }
    }

    /// Whether the sentence ends at `index`, or continues without a counted thing.
    func isEndOrFunctionWord(_ index: Int) -> Bool {
        index >= words.count || table.functionWords.contains(words[index])
    }

    /// Whether the number is a single word that may be an article.
    func isArticle(_ number: Number, at index: Int) -> Bool {
        number.end == index + 1 && table.articles.contains(word(index))
    }

    func digits(_ number: Int) -> String { NumberWriter.digits(number, separator: table.separator) }

    func text(_ number: Number) -> String {
        number.round.map { "\(digits($0.count)) \($0.scale)" } ?? digits(number.value)
    }

    // MARK: Whole numbers

    /// Reads `zwei oder dreihundert`, which is neither 2 nor 300, and stays words.
    private func sharingScale(at index: Int) -> Written? {
        guard let first = cardinal(at: index), first.value < 10, table.rangeWords.contains(word(first.end)),
            let second = cardinal(at: first.end + 1), (100..<1_000_000).contains(second.value), second.value % 100 == 0
        else { return nil }
        return Written(unchanged: words[index..<second.end])
    }

    /// Reads three or more digits, or two if the first is zero.
    private func run(at start: Int) -> Written? {
        var digits = ""
        var index = start
        while let digit = cardinal(at: index), digit.value < 10, digit.end == index + 1 {
            digits += String(digit.value)
            index += 1
        }
        // `zwei drei und fünf` is a list, and `un deux trois` may be counting.
        if word(index) == table.and, cardinal(at: index + 1).map({ $0.value < 10 }) == true { return nil }
        if table.articles.contains(word(start)), digits.count < 4 || table.onlyArticles.contains(word(start)) {
            return nil
        }
        return digits.count >= 3 || digits.count == 2 && digits.first == "0" ? Written(digits, index - start) : nil
    }

    /// Writes numbers from ten on, and smaller ones if their neighbours require digits.
    private func plain(at index: Int) -> Written? {
        guard let number = cardinal(at: index), !isArticle(number, at: index) else { return nil }
        if let round = number.round, round.count == 1, table.articles.contains(word(index)) { return nil }
        if table.neverAfter.contains(word(index - 1)) { return Written(unchanged: words[index..<number.end]) }
        let isWord = number.value < 10 || number.end == index + 1 && table.idle.contains(word(index))
        if isWord, !isNumbered(index), !beginsRange(number) { return nil }
        return Written(text(number), number.end - index)
    }

    /// Whether the number follows a word such as `seite`, or another number that does.
    func isNumbered(_ index: Int) -> Bool {
        table.numbered.contains(word(index - 1))
            || table.rangeWords.contains(word(index - 1)) && table.numbered.contains(word(index - 3))
    }

    private func beginsRange(_ number: Number) -> Bool {
        guard table.rangeWords.contains(word(number.end)), let other = cardinal(at: number.end + 1) else {
            return false
        }
        return other.value >= 10 && !(other.end == number.end + 2 && table.idle.contains(word(number.end + 1)))
    }

    /// Writes `minus sechzig`, but not `zehn minus fünf` and `au moins dix`.
    private func negative(at index: Int) -> Written? {
        guard !reader.isNumeral(index - 1), !table.notNegativeAfter.contains(word(index - 1)) else { return nil }
        if let amount = amount(at: index + 1), amount.parts[0].text.first?.isNumber == true {
            return Written("-" + amount.parts[0].text, amount.count + 1)
        }
        guard let number = cardinal(at: index + 1), number.value > 0, !isArticle(number, at: index + 1) else {
            return nil
        }
        return number.value >= 10 || table.degrees.contains(word(number.end))
            ? Written("-" + text(number), number.end - index) : nil
    }

    /// Writes ordinals from the tenth on, but not `un dixième`, a fraction.
    private func ordinal(at index: Int) -> Written? {
        guard let number = reader.number(at: index), let ending = number.ending, number.value >= 10 else { return nil }
        if let before = cardinal(at: index - 1), before.value < 10 { return nil }
        return Written(digits(number.value) + ending, number.end - index)
    }
}
