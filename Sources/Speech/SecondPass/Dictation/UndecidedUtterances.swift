/// The utterances of a stream of which it is not decided yet whose text is final, in order, and what is being said after them. Pure state:
/// events go in, results come out.
///
/// What is undecided is shown as one guess, from the first that waits to what is being said; each utterance becomes final once, after those
/// before it, over the range that it had.
struct UndecidedUtterances {
    private struct Entry {
        var identifier: UInt64?
        var utterance: Utterance
        var isDecided: Bool
    }

    /// Whether guesses are wanted. What was shown and had no words is taken back then.
    let reportsVolatile: Bool
    let reportsSilence: Bool
    private var entries: [Entry] = []
    /// What is being said.
    private var guess: Utterance?

    init(reportsVolatile: Bool, reportsSilence: Bool) {
        (self.reportsVolatile, self.reportsSilence) = (reportsVolatile, reportsSilence)
    }

    /// How many wait for their second pass.
    var waitingCount: Int { entries.count { !$0.isDecided } }
    /// Where the first begins that is not final.
    var start: Int64? { entries.first?.utterance.range.lowerBound }

    /// What the first pass guesses.
    mutating func guessed(_ utterance: Utterance) -> [Utterance] {
        guess = utterance
        return undecided
    }

    /// The first pass has ended an utterance.
    ///
    /// - Parameter identifier: what its second pass is asked for with; nil when it needs none.
    mutating func ended(_ utterance: Utterance, identifier: UInt64?) -> [Utterance] {
        guess = nil
        entries.append(Entry(identifier: identifier, utterance: utterance, isDecided: identifier == nil))
        return settle(changed: true)
    }

    /// What the first pass has made of an utterance that waits.
    func firstPass(of identifier: UInt64) -> Utterance? { entries.first { $0.identifier == identifier }?.utterance }

    /// It is decided what the utterance is.
    mutating func decided(_ identifier: UInt64, as utterance: Utterance) -> [Utterance] {
        guard let index = entries.firstIndex(where: { $0.identifier == identifier && !$0.isDecided }) else { return [] }
        entries[index].utterance = utterance
        entries[index].isDecided = true
        return settle(changed: index == 0)
    }

    /// Nothing more is waited for: what the first pass has heard is final.
    mutating func settleAll() -> [Utterance] {
        for index in entries.indices { entries[index].isDecided = true }
        return settle(changed: true)
    }

    /// - Parameter changed: whether what is undecided is another than before.
    private mutating func settle(changed: Bool) -> [Utterance] {
        let done = entries.prefix { $0.isDecided }.map(\.utterance)
        entries.removeFirst(done.count)
        let finals = done.filter { !$0.text.isEmpty || reportsVolatile || reportsSilence }
        return finals + (changed ? undecided : [])
    }

    /// All that is not final, as one guess.
    private var undecided: [Utterance] {
        let parts = entries.map(\.utterance) + (guess.map { [$0] } ?? [])
        guard reportsVolatile, let first = parts.first, let last = parts.last else { return [] }
        if parts.count == 1, let guess, entries.isEmpty { return [guess] }
        let best = parts.map { $0.alternatives[0] }.filter { !$0.text.isEmpty }
        let joined = Hypothesis.Alternative(
            text: best.map(\.text).joined(separator: " "), words: best.flatMap(\.words), confidence: nil)
        return [
            Utterance(range: first.range.lowerBound..<last.range.upperBound, alternatives: [joined], isFinal: false, parts: parts)
        ]
    }
}
