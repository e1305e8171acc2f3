/// Whether a decoded text can be the text of the speech. An offline model invents words where there are none, loops, and
/// leaves sentences out. It is pure.
enum Plausibility: Equatable, Sendable {
    /// The text, without the model's remarks on sounds.
    case speech(DecodedText)
    /// There are no words.
    case nothing
    /// The text repeats itself, or is longer or shorter than anyone speaks in the time. What may be said of it, if no part of the speech
    /// has a better text: the text with few of its repetitions.
    case doubtful(DecodedText?)

    /// The fastest plausible speech, in characters per second.
    static let mostCharactersASecond = 25.0
    /// The fastest where there is more speech than so many seconds: people who hurry read 35 characters a second. A model that loops writes more.
    private static let (mostInHurry, shortestHurry) = (40.0, 3.0)
    /// The least confidence in a text whose repetitions are taken for the speaker's.
    private static let leastConfidence = 0.6
    /// The slowest plausible speech, in characters per second of sound that the detector takes for speech. People who
    /// hesitate reach 5.
    static let fewestCharactersASecond = 2.0
    /// The shortest speech, in seconds, of which too little text is suspicious.
    static let shortestSuspicious = 6.0

    /// Judges the text of so many seconds of speech, without pauses.
    static func judge(_ text: DecodedText, seconds: Double) -> Plausibility {
        var spoken = text
        spoken.text = self.spoken(text.text)
        spoken.words = text.words.filter { !self.spoken($0.text).isEmpty }
        spoken.segments = text.segments.compactMap { segment in
            let rest = self.spoken(segment.text)
            return rest.isEmpty ? nil : DecodedText.Piece(text: rest, time: segment.time)
        }
        if !spoken.text.contains(where: { $0.isLetter || $0.isNumber }) {
            return seconds >= shortestSuspicious ? .doubtful(nil) : .nothing
        }
        if Repetition.isFound(in: spoken.text) { return .doubtful(shortened(spoken, seconds)) }
        if !isSayable(spoken.text, in: seconds) { return .doubtful(nil) }
        return .speech(spoken)
    }

    /// Whether someone may say a text in a time.
    private static func isSayable(_ text: String, in seconds: Double) -> Bool {
        let most = seconds >= shortestHurry ? mostInHurry : mostCharactersASecond
        let count = Double(text.count)
        // A short word in short speech is not fast.
        return count <= most * max(1, seconds)
            && (seconds < shortestSuspicious || count >= fewestCharactersASecond * seconds)
    }

    /// A text with few of its repetitions; nil where the model is not sure, or nobody says even that.
    private static func shortened(_ text: DecodedText, _ seconds: Double) -> DecodedText? {
        guard text.confidence ?? 0 >= leastConfidence, let words = Repetition.shortened(text.text),
            isSayable(words, in: seconds)
        else { return nil }
        return DecodedText(text: words, language: text.language, confidence: text.confidence)
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
