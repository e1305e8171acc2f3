/// The words of a language's numbers, how they form a number, and how people write it.
///
/// A spoken word that is put together of the table's words, such as `zweitausendvierundzwanzig` or `vingt-deux`, counts
/// as those.
struct NumberTable: Sendable {
    /// The value of a number's word.
    struct Numeral: Sendable {
        var value: Int
        /// What is written after the digits of an ordinal; nil for other words.
        var ending: String?
    }

    /// The numbers that are added up, by one or two words.
    var numerals: [[String]: Numeral] = [:]
    /// The hundred, the thousand and so on, which multiply what is before them.
    var scales: [String: Numeral] = [:]
    /// The scales from a million on that are written after round numbers: `2 Millionen`.
    var roundScales: [String: String] = [:]
    /// The word `and` inside a number.
    var and: String
    /// Whether the second number is added to the first, with or without `and` between them.
    var joins: @Sendable (_ first: Int, _ hasAnd: Bool, _ second: Int) -> Bool
    /// The words to which nothing is added: `eins`, `cien`.
    var closed: Set<String> = []
    /// The words that are not added after a hundred or a thousand, since they are articles there.
    var neverLast: Set<String> = []
    /// Whether one is said before a hundred and a thousand.
    var countsOne = false
    /// The words for one that are also articles, and so are not digits when they stand alone.
    var articles: Set<String>
    /// Those of them that begin no decimal: `eine`.
    var onlyArticles: Set<String>
    /// Words that stay as they are when they stand alone: `tausend dank`.
    var idle: Set<String>

    /// What is written between thousands in numbers of five digits or more.
    var separator: String
    /// What is written between a number and its unit.
    var unitSpace = " "
    /// The words for a decimal point, with what is written.
    var points: [String: String]
    /// The words for the point where things are numbered, with what is written: `version zwei punkt null`.
    var numberedPoints: [String: String] = [:]
    /// Whether the digits after the point are said one by one, so that a number from ten on may be no fraction.
    var saysFractionDigits = false
    var minus: String
    /// The words after which `minus` is another word: `au moins`.
    var notNegativeAfter: Set<String> = []
    /// The words for degrees, before which a small number is negative too.
    var degrees: Set<String>
    /// The words for per cent.
    var percent: Set<[String]>
    /// The words for currencies, with the sign that is written after the amount.
    var currencies: [String: String]
    /// The words between an amount and its cents.
    var centJoiners: Set<String>
    /// The words for a hundredth of a currency.
    var cents: Set<String>
    /// The words after which every number is written in digits.
    var numbered: Set<String>
    /// The words after which a number stays words: `siglo veinte`.
    var neverAfter: Set<String> = []
    /// The words between two numbers that are both written in digits if one is.
    var rangeWords: Set<String>
    /// The words that are not counted things, with which a sentence may continue after a number.
    var functionWords: Set<String>

    var months: [String: String]
    /// Whether a day of a month is an ordinal.
    var hasOrdinalDays = false
    /// The words between a day, its month and the year; empty if there are none.
    var of: Set<String> = []
    /// The words between two days of a month: `vom ersten bis zum dritten mai`.
    var dayJoiners: [[String]]
    /// Returns the day as it is written.
    var day: @Sendable (Int) -> String
    var clock: ClockTable

    /// The words of which a longer word may be put together.
    var parts: Set<String> { Set(numerals.keys.joined()).union(scales.keys).union([and]) }

    /// Returns one-word numbers in a series.
    static func series(_ words: String, from first: Int, by step: Int = 1) -> [[String]: Numeral] {
        var result: [[String]: Numeral] = [:]
        for (index, word) in words.words.enumerated() { result[[word]] = Numeral(value: first + index * step) }
        return result
    }
}

extension String {
    /// The words of a table that is written as text.
    var words: [String] { split(whereSeparator: \.isWhitespace).map(String.init) }
}
