/// The ends of sentences in a text. It is pure.
package enum SentenceEnd {
    /// Words whose full stop ends no sentence.
    private static let abbreviations: Set<String> = [
        "mr.", "mrs.", "ms.", "dr.", "st.", "prof.", "vs.", "jr.", "sr.", "gen.", "col.", "lt.", "sgt.", "rev.",
        "jan.", "feb.", "mar.", "apr.", "jun.", "jul.", "aug.", "sep.", "sept.", "oct.", "nov.", "dec.", "hon.",
        "capt.", "inc.", "ltd.", "corp.", "co.", "etc.", "approx.", "bzw.", "nr.", "mme.", "mlle.", "sra.", "dra.",
    ]
    /// Abbreviations that end a sentence where a capital follows: `at 5 p.m. See you.`
    private static let times: Set<String> = ["a.m.", "p.m."]

    /// Whether a word ends a sentence, if nothing is known of what follows.
    static func isFound(in word: some StringProtocol) -> Bool {
        guard let mark = word.last(where: { !"\"'”’»)]".contains($0) }), ".?!…。？！".contains(mark) else { return false }
        let lowered = word.lowercased()
        // A letter with a full stop is an initial.
        let isInitial = mark == "." && word.filter(\.isLetter).count == 1 && word.count == 2
        return !abbreviations.contains(lowered) && !isInitial && !isDotted(lowered)
    }

    /// Whether a word is an abbreviation of one or two letters between full stops, as `p.m.`, `U.S.` and `Ph.D.`, other than `example.com.`
    private static func isDotted(_ word: String) -> Bool {
        let parts = word.split(separator: ".")
        return word.last == "." && parts.count > 1 && parts.allSatisfy { $0.count <= 2 && $0.allSatisfy(\.isLetter) }
    }

    /// German words before an ordinal, as in `im 13. Jahrhundert`; its noun has a capital, as a sentence's first word has.
    private static let beforeOrdinals: Set<String> = [
        "im", "am", "vom", "zum", "zur", "beim", "der", "die", "das", "dem", "den", "des",
    ]

    /// Whether a number of one or two digits with a full stop is a German ordinal.
    private static func isOrdinal(_ words: [String], _ index: Int) -> Bool {
        let digits = words[index].dropLast()
        guard index > 0, words[index].last == ".", (1...2).contains(digits.count), digits.allSatisfy(\.isNumber) else {
            return false
        }
        // "I am 13. My sister is 15."
        return beforeOrdinals.contains(words[index - 1].lowercased())
            && words.prefix(index - 1).last?.lowercased() != "i"
    }

    /// The longest pause within a sentence, in seconds; after a longer one a new line begins.
    private static let longestPause = 1.2

    /// Returns the indices of the words that begin a sentence, or a part of one behind a long pause, except the first word. A sentence that
    /// has no time of its own is not divided from that before it.
    ///
    /// - Parameter words: the words with their times, in seconds.
    package static func starts(of words: [(text: String, start: Double, end: Double)]) -> [Int] {
        let ends = Set(places(in: words.map(\.text)))
        let starts = words.indices.dropFirst().filter { index in
            ends.contains(index) || words[index].start - words[index - 1].end > longestPause
        }
        let next = starts.dropFirst() + [words.count]
        return zip(starts, next).filter { words[$0].start < words[$1 - 1].end }.map { $0.0 }
    }

    /// Returns the indices of the words after the ends of sentences, except the end of the text. A word in lower case
    /// begins no sentence.
    package static func places(in words: [String]) -> [Int] {
        zip(words, words.dropFirst()).enumerated().compactMap { index, pair in
            let isEnd = isFound(in: pair.0) || times.contains(pair.0.lowercased())
            return isEnd && pair.1.first?.isLowercase != true && !isOrdinal(words, index) ? index + 1 : nil
        }
    }
}
