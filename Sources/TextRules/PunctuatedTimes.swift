/// Writes times of day with a colon in a text that has punctuation, where a stronger model has none: `at 6.45 on Monday`, `645 pm`.
///
/// A number with a full stop or without may be something else, a price or a version. So the words beside it must say that it is a time:
/// `pm` or a part of the day behind it, or `at` before it and nothing behind it that it counts. Pure.
struct PunctuatedTimes {
    private static let wordsBefore: Set<String> = [
        "at", "until", "till", "by", "before", "after", "around", "from", "since",
    ]
    /// The punctuation that may end a part of a sentence.
    private static let ends = Set(".,;:!?)\"'”’…")
    private static let meridiems: Set<String> = ["am", "pm", "a.m", "p.m"]
    private static let partsOfDay: Set<String> = ["morning", "afternoon", "evening"]
    private static let laterDays: Set<String> = ["tonight", "tomorrow", "sharp"]
    private static let days: Set<String> = [
        "today", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    /// - Parameters:
    ///   - pieces: the pieces of the text.
    ///   - keys: the words in lower case, without the punctuation around them.
    func written(_ pieces: [Piece], keys: [String]) -> [Piece] {
        var pieces = pieces
        for index in pieces.indices where pieces[index].isWord && pieces[index].text.first?.isNumber == true {
            // Only a word by itself has the key of one word.
            guard pieces[index].heard.count == 1, let time = Time(pieces[index].text) else { continue }
            let place = pieces[index].heard.lowerBound
            if isTime(time, at: place, keys: keys) {
                pieces[index].text = "\(time.hour):\(time.minute)\(time.rest)"
            }
        }
        return pieces
    }

    /// A number that may be a time: `6.45`, `645` or `6.45pm`, and what follows in the same word.
    private struct Time {
        var hour: Substring
        var minute: Substring
        var rest: Substring
        var hasStop: Bool

        init?(_ word: String) {
            guard let match = word.prefixMatch(of: /([0-9]{1,2})(\.?)([0-5][0-9])(?![0-9])(?!\.[0-9])/) else {
                return nil
            }
            (hour, minute, hasStop) = (match.1, match.3, !match.2.isEmpty)
            rest = word[match.range.upperBound...]
            guard let value = Int(hour), hasStop ? value < 24 : (1...12).contains(value) else { return nil }
        }
    }

    private func isTime(_ time: Time, at place: Int, keys: [String]) -> Bool {
        let endsClause = time.rest.first.map(Self.ends.contains) == true
        func key(_ offset: Int) -> String { keys.indices.contains(place + offset) ? keys[place + offset] : "" }
        if Self.meridiems.contains(TextRules.bare(String(time.rest))) { return true }
        if !endsClause, Self.meridiems.contains(key(1)) { return true }
        // Anything else that is joined to it, such as a unit, makes it no time.
        guard Self.wordsBefore.contains(key(-1)), time.rest.allSatisfy(Self.ends.contains) else { return false }
        let saysPartOfDay =
            ["in", "this"].contains(key(1)) && [key(2), key(3)].contains(where: Self.partsOfDay.contains)
        if saysPartOfDay || key(1) == "at" && key(2) == "night" || Self.laterDays.contains(key(1)) { return true }
        guard time.hasStop else { return false }
        if Self.days.contains(key(1)) || key(1) == "on" && Self.days.contains(key(2)) { return true }
        return key(-1) == "at" && (endsClause || key(1).isEmpty)
    }
}
