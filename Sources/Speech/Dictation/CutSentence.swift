/// Two texts of speech that was cut between them, joined by the text of the speech around the cut. A model ends all that it hears with a full
/// stop, and hears the words beside a cut worse than those in the middle of its speech. It is pure.
struct CutSentence: Equatable {
    /// All words.
    let text: PlacedText
    /// The number of the words before the end of a sentence that is nearest to the cut.
    let end: Int

    /// The number of words that both texts must have, and the greatest distance from the cut of the first ones, in words.
    private static let (shortest, farthest) = (3, 25)
    /// The greatest difference of the times of a word in two texts, in seconds: beside a hesitation, words that share speech by their letters
    /// are as much off. What the texts have in common before and behind tells more.
    private static let longestError = 3.0

    /// Joins texts; nil where one does not meet the next, or no sentence ends near the cut.
    ///
    /// - Parameters:
    ///   - before: the text before the cut.
    ///   - around: the text of the end of that speech and the beginning of the speech behind.
    ///   - behind: the text behind the cut.
    ///   - isToEnd: whether `around` has all of that.
    ///   - reach: where the end of a sentence is near the cut, in samples of the stream.
    init?(
        _ before: PlacedText, _ around: PlacedText, _ behind: PlacedText, isToEnd: Bool, reach: ClosedRange<Int64>
    ) {
        let latest = before.words.count - Self.shortest
        guard let first = Self.meeting((latest - Self.farthest...latest).reversed(), of: before, with: around) else {
            return nil
        }
        // What is before the first of the words that two texts have may end no sentence, and what is behind may begin none: it is the earlier
        // text's.
        var joined = before.prefix(first.place + 1)
        if !isToEnd {
            guard let last = Self.meeting(Array(0...Self.farthest), of: behind, with: around),
                last.around > first.around
            else { return nil }
            joined = joined.appending(around.prefix(last.around + 1).dropFirst(first.around + 1))
                .appending(behind.dropFirst(last.place + 1))
        } else {
            joined = joined.appending(around.dropFirst(first.around + 1))
        }
        func start(of place: Int) -> Int64 { joined.words[place].range.lowerBound }
        let middle = (reach.lowerBound + reach.upperBound) / 2
        let ends = SentenceEnd.places(in: joined.words.map(\.text)).filter { reach.contains(start(of: $0)) }
        guard let end = ends.min(by: { abs(start(of: $0) - middle) < abs(start(of: $1) - middle) }) else { return nil }
        (text, self.end) = (joined, end)
    }

    /// Returns the first of some places in a text at which the text of the speech around the cut has the same words at much the same time, and
    /// more of them than anywhere else in either text. Who says the same again and again says something else before or behind; a text may end
    /// with an echo of what is before.
    private static func meeting(_ places: [Int], of text: PlacedText, with around: PlacedText) -> (
        place: Int, around: Int
    )? {
        let (words, others) = (text.words.normalized, around.words.normalized)
        func meet(_ place: Int, _ other: Int) -> Bool {
            others[other..<(other + shortest)] == words[place..<(place + shortest)]
                && error(place, other) <= DictationDesk.samples(longestError)
        }
        func error(_ place: Int, _ other: Int) -> Int64 {
            abs(text.words[place].range.lowerBound - around.words[other].range.lowerBound)
        }
        func merit(_ place: Int, _ other: Int) -> (common: Int, time: Int64) {
            let common =
                zip(words[place...], others[other...]).prefix { $0 == $1 }.count
                + zip(words[..<place].reversed(), others[..<other].reversed()).prefix { $0 == $1 }.count
            return (common, -error(place, other))
        }
        let all = words.indices.dropLast(shortest - 1)
        for place in places where all.contains(place) {
            let found = others.indices.dropLast(shortest - 1).filter { meet(place, $0) }
                .max { merit(place, $0) < merit(place, $1) }
            if let found, all.filter({ meet($0, found) }).allSatisfy({ merit($0, found) <= merit(place, found) }) {
                return (place, found)
            }
        }
        return nil
    }
}
