/// What becomes of an utterance that both passes have heard. Pure.
struct DictationDecision {
    private(set) var verdict: SecondPassVerdict
    /// Final, over the range of the first pass's.
    private(set) var utterance: Utterance

    /// - Parameters:
    ///   - first: what the first pass has made of it.
    ///   - seconds: how long it is.
    ///   - punctuates: whether punctuation is wanted.
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

    /// Its words are elsewhere already.
    mutating func beNothing() {
        verdict = .nothing
        utterance.alternatives = Hypothesis.empty.alternatives
        utterance.pass = .first
    }

    /// The second pass's own times where it has one for each word, else those of the first pass's words.
    private static func times(
        of words: [String], _ heard: SecondPassText, _ first: Utterance, _ sampleRate: Int
    ) -> [(range: Range<Int64>, confidence: Double?)] {
        let hasOwn = heard.words.map(\.text) == words
        let known =
            (hasOwn
                ? heard.words.map { word in
                    let time = word.samples(at: sampleRate)
                    let start = first.range.lowerBound
                    return WordAlignment.Timed(text: word.text, range: (start + time.lowerBound)..<(start + time.upperBound))
                } : first.alternatives[0].words.map { WordAlignment.Timed(text: $0.text, range: $0.range) })
        let aligned = WordAlignment.align(words, to: known, in: first.range, sampleRate: sampleRate)
        return aligned.enumerated().map { ($1.range, hasOwn ? heard.words[$0].confidence : nil) }
    }

    /// A word without what stands around it: `word,` is `word`, `3.5` stays.
    private static func withoutPunctuation(_ word: String) -> String {
        let isPart: (Character) -> Bool = { $0.isLetter || $0.isNumber }
        guard let first = word.firstIndex(where: isPart), let last = word.lastIndex(where: isPart) else { return "" }
        return String(word[first...last])
    }
}

extension SecondPassOutcome {
    /// The pieces of one utterance as one. Where one has no text there is none.
    ///
    /// - Parameter starts: where the pieces begin, in samples.
    static func joining(_ pieces: [SecondPassOutcome], startingAt starts: [Int], sampleRate: Int) -> SecondPassOutcome {
        if pieces.count == 1 { return pieces[0] }
        var joined = SecondPassText(text: "")
        var texts: [String] = []
        for (piece, start) in zip(pieces, starts) {
            guard case .text(let text) = piece else { return piece }
            if !text.text.isEmpty { texts.append(text.text) }
            joined.segments += text.segments.map { $0.moved(by: Int64(start), at: sampleRate) }
            joined.words += text.words.map { $0.moved(by: Int64(start), at: sampleRate) }
            if let confidence = text.confidence { joined.confidence = min(joined.confidence ?? 1, confidence) }
        }
        joined.text = texts.joined(separator: " ")
        return .text(joined)
    }
}

/// How many utterances with words became final by whose text.
public struct DictationCounts: Hashable, Sendable {
    /// The second pass's text.
    public internal(set) var second = 0
    /// The first pass's, though the second was asked.
    public internal(set) var first = 0
    /// Neither's: they were no words.
    public internal(set) var none = 0
    /// Of those of the first pass: how many because the second came too late.
    public internal(set) var late = 0

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
