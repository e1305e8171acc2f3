/// Whether a decoded text can be the text of the speech. An offline model invents words where there are none, loops, and
/// leaves sentences out. It is pure.
enum Plausibility: Equatable, Sendable {
    /// The text, without the model's remarks on sounds.
    case speech(DecodedText)
    /// There are no words.
    case nothing
    /// The text repeats itself, or is longer or shorter than anyone speaks in the time.
    case doubtful

    /// The fastest plausible speech, in characters per second.
    static let mostCharactersASecond = 25.0
    /// The slowest plausible speech, in characters per second of sound that the detector takes for speech. People who
    /// hesitate reach 5.
    static let fewestCharactersASecond = 2.0
    /// The shortest speech, in seconds, of which too little text is suspicious.
    static let shortestSuspicious = 6.0

    /// Judges a text.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - seconds: the length of the speech, without pauses.
    static func judge(_ text: DecodedText, seconds: Double) -> Plausibility {
        var spoken = text
        spoken.text = self.spoken(text.text)
        spoken.words = text.words.filter { !self.spoken($0.text).isEmpty }
        spoken.segments = text.segments.compactMap { segment in
            let rest = self.spoken(segment.text)
            return rest.isEmpty ? nil : DecodedText.Piece(text: rest, time: segment.time)
        }
        if !spoken.text.contains(where: { $0.isLetter || $0.isNumber }) {
            return seconds >= shortestSuspicious ? .doubtful : .nothing
        }
        if Repetition.isFound(in: spoken.text) { return .doubtful }
        let count = Double(spoken.text.count)
        // A short word in short speech is not fast.
        if count > mostCharactersASecond * max(1, seconds) { return .doubtful }
        if seconds >= shortestSuspicious, count < fewestCharactersASecond * seconds { return .doubtful }
        return .speech(spoken)
    }

    /// Removes the model's remarks on sounds that are not speech: `[Music]`, `♪`, or a text that is only `(laughs)`.
    static func spoken(_ text: String) -> String {
        var rest = ""
        var unread = text[...]
        // A bracket that is not closed is no remark.
        while let start = unread.firstIndex(of: "["), let end = unread[start...].firstIndex(of: "]") {
            rest += unread[..<start]
            unread = unread[end...].dropFirst()
        }
        rest += unread
        rest.removeAll { "[]♪♫".contains($0) }
        return isOnlyRemarks(rest) ? "" : rest.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Whether every word is in parentheses, or between asterisks: `(laughs) (coughs)`, `*sighs*`.
    private static func isOnlyRemarks(_ text: String) -> Bool {
        var depth = 0
        var isStarred = false
        for character in text {
            switch character {
            case "(": depth += 1
            case ")": depth = max(0, depth - 1)
            case "*": isStarred.toggle()
            default:
                if depth == 0, !isStarred, character.isLetter || character.isNumber { return false }
            }
        }
        return depth == 0 && !isStarred
    }
}
