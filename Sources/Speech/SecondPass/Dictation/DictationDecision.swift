/// The decision on the text of an utterance that both passes have decoded. It is pure.
struct DictationDecision {
    private(set) var verdict: SecondPassVerdict
    /// The final utterance, over the range of the first pass's.
    private(set) var utterance: Utterance

    /// Decides.
    ///
    /// - Parameters:
    ///   - first: the utterance of the first pass.
    ///   - second: the outcome of the second pass.
    ///   - seconds: the length of the utterance.
    ///   - sampleRate: the number of samples per second, in Hz.
    ///   - punctuates: whether to keep punctuation.
    init(first: Utterance, second: SecondPassOutcome, seconds: Double, sampleRate: Int, punctuates: Bool) {
        let best = first.alternatives[0]
        verdict = SecondPassVerdict.decide(first: best.text, second: second, seconds: seconds)
        var utterance = first
        switch verdict {
        case .first: break
        case .nothing: utterance.alternatives = Hypothesis.empty.alternatives
        case .second(let text):
            guard case .text(let heard) = second else { preconditionFailure("the second pass's text is there") }
            let words = text.split(separator: " ").map(String.init)
            let shown = punctuates ? words : words.map(Self.withoutPunctuation)
            let timed = Self.times(of: words, heard, first, sampleRate)
            let alternative = Hypothesis.Alternative(
                text: shown.filter { !$0.isEmpty }.joined(separator: " "),
                words: zip(shown, timed).filter { !$0.0.isEmpty }
                    .map { Hypothesis.Word(text: $0, range: $1.range, confidence: $1.confidence) },
                confidence: heard.confidence)
            utterance.alternatives = [alternative]
            utterance.pass = .second
        }
        self.utterance = utterance
    }

    /// Makes the utterance empty, because its words are in another one already.
    mutating func beNothing() {
        verdict = .nothing
        utterance.alternatives = Hypothesis.empty.alternatives
        utterance.pass = .first
    }

    /// Returns the times of the second pass's words if it has one for each word, otherwise those of the first pass's
    /// words.
    private static func times(
        of words: [String], _ heard: SecondPassText, _ first: Utterance, _ sampleRate: Int
    ) -> [(range: Range<Int64>, confidence: Double?)] {
        let hasOwn = heard.words.map(\.text) == words
        let known =
            (hasOwn
                ? heard.words.map { word in
                    let time = word.samples(at: sampleRate)
                    let start = first.range.lowerBound
                    return WordAlignment.Timed(
                        text: word.text, range: (start + time.lowerBound)..<(start + time.upperBound))
                } : first.alternatives[0].words.map { WordAlignment.Timed(text: $0.text, range: $0.range) })
        let aligned = WordAlignment.align(words, to: known, in: first.range, sampleRate: sampleRate)
        return aligned.enumerated().map { ($1.range, hasOwn ? heard.words[$0].confidence : nil) }
    }

    /// Removes the characters around a word that are neither letters nor digits: `word,` becomes `word`, and `3.5` is
    /// kept.
    private static func withoutPunctuation(_ word: String) -> String {
        let isPart: (Character) -> Bool = { $0.isLetter || $0.isNumber }
        guard let first = word.firstIndex(where: isPart), let last = word.lastIndex(where: isPart) else { return "" }
        return String(word[first...last])
    }
}

extension SecondPassOutcome {
    /// Joins the outcomes of the pieces of an utterance. If one has no text, the outcome has none.
    ///
    /// - Parameters:
    ///   - pieces: the outcomes, in order.
    ///   - starts: the beginnings of the pieces, in samples.
    ///   - sampleRate: the number of samples per second, in Hz.
    static func joining(_ pieces: [SecondPassOutcome], startingAt starts: [Int], sampleRate: Int) -> SecondPassOutcome {
        if pieces.count == 1 { return pieces[0] }
        var joined = SecondPassText(text: "")
        var texts: [String] = []
        for (piece, start) in zip(pieces, starts) {
            guard case .text(let text) = piece else { return piece }
            if !text.text.isEmpty { texts.append(text.text) }
            joined.words += text.words.map { $0.moved(by: Int64(start), at: sampleRate) }
            if let confidence = text.confidence { joined.confidence = min(joined.confidence ?? 1, confidence) }
        }
        joined.text = texts.joined(separator: " ")
        return .text(joined)
    }
}

/// The numbers of final utterances with words, by the pass that gave their text.
public struct DictationCounts: Hashable, Sendable {
    /// The utterances with the second pass's text.
    public internal(set) var second = 0
    /// The utterances with the first pass's text, although the second pass was asked.
    public internal(set) var first = 0
    /// The utterances that turned out to have no words.
    public internal(set) var none = 0
    /// The utterances with the first pass's text because the second pass was too late. They are included in `first`.
    public internal(set) var late = 0

    /// Creates counts of 0.
    public init() {}

    mutating func add(_ verdict: SecondPassVerdict) {
        switch verdict {
        case .second: second += 1
        case .nothing: none += 1
        case .first(let reason):
            first += 1
            if reason == .noSecond(.late) { late += 1 }
        }
    }
}
