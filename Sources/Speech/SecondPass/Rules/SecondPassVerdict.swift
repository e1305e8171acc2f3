/// Whose text of an utterance is final. An offline model invents words for silence and noise, and loops; so it is believed only where the
/// first pass has heard words too, and where what it says could have been said. Pure.
enum SecondPassVerdict: Hashable, Sendable {
    /// The second pass's, which is this.
    case second(String)
    /// The first pass's.
    case first(Reason)
    /// There were no words.
    case nothing

    enum Reason: Hashable, Sendable {
        /// The second pass has heard nothing, and the first more words than it hears in noise.
        case empty
        case repetition
        /// Nobody speaks as fast.
        case tooFast
        /// There is no second text.
        case noSecond(SecondPassOutcome.Reason)
    }

    /// The fastest that is believed, in characters a second of the utterance.
    static let mostCharactersASecond = 25.0
    /// More words than that are not noise. How sure the first pass is of them says nothing: it knows few words, and takes each stroke of a
    /// key for "help" with a confidence of up to 0.99.
    static let mostWordsOfNoise = 3

    /// - Parameters:
    ///   - first: the first pass's text of the whole utterance.
    ///   - seconds: how long the utterance is.
    static func decide(first: String, second: SecondPassOutcome, seconds: Double) -> SecondPassVerdict {
        let firstWords = first.split(separator: " ")
        // Whatever the second pass says: it also says "you" to silence.
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

    /// A text without the model's remarks on what was no speech: `[Music]`, `♪`, or a text that is nothing but `(laughs)`.
    static func spoken(_ text: String) -> String {
        var rest = ""
        var depth = 0
        for character in text {
            switch character {
            case "[": depth += 1
            case "]": depth = max(0, depth - 1)
            case "♪", "♫": break
            default: if depth == 0 { rest.append(character) }
            }
        }
        let words = rest.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let isRemark = (words.hasPrefix("(") && words.hasSuffix(")")) || (words.hasPrefix("*") && words.hasSuffix("*"))
        return isRemark && words.count > 1 ? "" : words
    }
}
