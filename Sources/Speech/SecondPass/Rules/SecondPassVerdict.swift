/// The pass whose text of an utterance is final. An offline model invents words for silence and noise, and loops. So
/// its text is used only if the first pass has words as well, and if it is plausible. It is pure.
enum SecondPassVerdict: Hashable, Sendable {
    /// The second pass's text, which is this.
    case second(String)
    /// The first pass's text.
    case first(Reason)
    /// No text: there were no words.
    case nothing

    enum Reason: Hashable, Sendable {
        /// The second pass has no words, and the first has more than it finds in noise.
        case empty
        /// The second pass's text repeats itself.
        case repetition
        /// The second pass's text is longer than anyone could speak in the time.
        case tooFast
        /// There is no text of the second pass.
        case noSecond(SecondPassOutcome.Reason)
    }

    /// The fastest plausible speech, in characters per second of the utterance.
    static let mostCharactersASecond = 25.0
    /// The most words that the first pass finds in noise. Its confidence does not help: it knows few words, and takes a
    /// keystroke for "help" with a confidence of up to 0.99.
    static let mostWordsOfNoise = 3

    /// Decides whose text is final.
    ///
    /// - Parameters:
    ///   - first: the first pass's text of the whole utterance.
    ///   - second: the outcome of the second pass.
    ///   - seconds: the length of the utterance.
    static func decide(first: String, second: SecondPassOutcome, seconds: Double) -> SecondPassVerdict {
        let firstWords = first.split(separator: " ")
        // Even if the second pass has text: for silence it has "you".
        if firstWords.isEmpty { return .nothing }
        guard case .text(let text) = second else {
            if case .failed(let reason) = second { return .first(.noSecond(reason)) }
            return .nothing
        }
        let spoken = Self.spoken(text.text)
        if !spoken.contains(where: { $0.isLetter || $0.isNumber }) {
            return firstWords.count <= mostWordsOfNoise ? .nothing : .first(.empty)
        }
        if Repetition.isFound(in: spoken) { return .first(.repetition) }
        // A short word in a short utterance is not fast.
        if Double(spoken.count) > mostCharactersASecond * max(1, seconds) { return .first(.tooFast) }
        return .second(spoken)
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
