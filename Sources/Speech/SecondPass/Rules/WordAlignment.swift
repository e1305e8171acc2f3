/// Transfers the times of one text's words to those of another that says the same in other words: the second pass
/// punctuates, writes numbers as digits, and often gives no times. It is pure.
package enum WordAlignment {
    /// A word with its time.
    package typealias Timed = (text: String, range: Range<Int64>)

    /// The shortest word, in milliseconds.
    private static let shortest: Int64 = 40
    /// The most pairs of words to compare. In longer texts words get times by their lengths, since comparing all pairs
    /// would take long.
    private static let mostPairs = 1 << 20

    /// Gives each word a time. Times are in milliseconds.
    ///
    /// - Parameters:
    ///   - words: the words to time.
    ///   - timed: words with their times, in order.
    ///   - range: the range of the utterance, in which all times lie.
    /// - Returns: the times of the words, in order, without overlaps.
    package static func align(_ words: [String], to timed: [Timed], in range: Range<Int64>) -> [Range<Int64>] {
        guard !words.isEmpty else { return [] }
        let timed = orderly(timed, in: range)
        let owners =
            timed.count * words.count > mostPairs
            ? [] : owners(of: timed.map { normalized($0.text) }, among: words.map(normalized))
        // The range in the timed text that each word stands for.
        var stretches = [Range<Int64>?](repeating: nil, count: words.count)
        for (index, owner) in owners.enumerated() {
            guard let owner else { continue }
            let own = timed[index].range
            stretches[owner] = stretches[owner].map { $0.lowerBound..<own.upperBound } ?? own
        }
        fill(&stretches, words, range)
        return stretches.map { $0! }
    }

    /// Returns the letters and digits of a word, in lower case.
    static func normalized(_ word: some StringProtocol) -> String {
        String(word.lowercased().filter { $0.isLetter || $0.isNumber })
    }

    /// Limits the times to the range, and puts them in order.
    private static func orderly(_ timed: [Timed], in range: Range<Int64>) -> [Timed] {
        var end = range.lowerBound
        return timed.map { word in
            let start = min(max(word.range.lowerBound, end), range.upperBound)
            end = min(max(word.range.upperBound, start), range.upperBound)
            return (word.text, start..<end)
        }
    }

    /// The cost of a word that is replaced, and of a word that is missing.
    private static let otherWord: Int32 = 2
    private static let missingWord: Int32 = 2

    /// Returns the cost of replacing `word` by `other`; less if `other` is an abbreviation of it, as `Jan.` of
    /// `january`.
    private static func cost(of word: String, as other: String) -> Int32 {
        if word == other { return 0 }
        return other.count > 1 && word.hasPrefix(other) ? 1 : otherWord
    }

    /// Returns for each word the word in its place in the other text, by the fewest changes from one text to the other,
    /// in ascending order. A missing word belongs to its neighbour if that was replaced: `nineteen sixty` are both
    /// `1960`.
    static func owners(of words: [String], among others: [String]) -> [Int?] {
        let width = others.count + 1
        var costs = [Int32](repeating: 0, count: (words.count + 1) * width)
        for row in 0...words.count {
            for column in 0...others.count {
                let place = row * width + column
                if row == 0 || column == 0 {
                    costs[place] = Int32(row + column) * missingWord
                } else {
                    costs[place] = min(
                        costs[place - width - 1] + cost(of: words[row - 1], as: others[column - 1]),
                        costs[place - width] + missingWord,
                        costs[place - 1] + missingWord)
                }
            }
        }
        var owners = [Int?](repeating: nil, count: words.count)
        var (row, column) = (words.count, others.count)
        while row > 0, column > 0 {
            let place = row * width + column
            let change = cost(of: words[row - 1], as: others[column - 1])
            let isInPlace = costs[place] == costs[place - width - 1] + change
            // A number in digits is in the place of its first word, and the words after it are missing.
            if costs[place] == costs[place - width] + missingWord, !(isInPlace && change < otherWord) {
                row -= 1
            } else if isInPlace {
                (row, column) = (row - 1, column - 1)
                owners[row] = column
            } else {
                column -= 1
            }
        }
        func isReplaced(_ index: Int) -> Bool { owners[index].map { words[index] != others[$0] } ?? false }
        for index in words.indices where owners[index] == nil && index > 0 && isReplaced(index - 1) {
            owners[index] = owners[index - 1]
        }
        for index in words.indices.reversed()
        where owners[index] == nil && index + 1 < words.count && isReplaced(index + 1) {
            owners[index] = owners[index + 1]
        }
        return owners
    }

    /// Gives words without a range the time between their neighbours, or a share of a neighbour's time if there is none
    /// between.
    private static func fill(_ stretches: inout [Range<Int64>?], _ words: [String], _ range: Range<Int64>) {
        var index = 0
        while index < words.count {
            if stretches[index] != nil {
                index += 1
                continue
            }
            var first = index
            var end = index
            while end < words.count, stretches[end] == nil { end += 1 }
            let before = first > 0 ? stretches[first - 1] : nil
            let after = end < words.count ? stretches[end] : nil
            var room = (before?.upperBound ?? range.lowerBound)..<(after?.lowerBound ?? range.upperBound)
            if Int64(room.count) < shortest * Int64(end - first) {
                if let before {
                    first -= 1
                    room = before.lowerBound..<room.upperBound
                } else if let after {
                    end += 1
                    room = room.lowerBound..<after.upperBound
                }
            }
            stretches.replaceSubrange(first..<end, with: shares(of: room, among: words[first..<end]) as [Range<Int64>?])
            index = end
        }
    }

    /// Divides a range among words by their lengths.
    static func shares(of room: Range<Int64>, among words: ArraySlice<String>) -> [Range<Int64>] {
        let lengths = words.map { Int64($0.count + 1) }
        let whole = lengths.reduce(0, +)
        var done: Int64 = 0
        return lengths.map { length in
            let start = room.lowerBound + Int64(room.count) * done / whole
            done += length
            return start..<(room.lowerBound + Int64(room.count) * done / whole)
        }
    }
}
