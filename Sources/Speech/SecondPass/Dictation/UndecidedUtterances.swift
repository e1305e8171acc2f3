/// The utterances of a stream whose final text is not decided yet, in order, followed by the one being spoken. It is
/// pure state: its methods are events and return results.
///
/// The undecided utterances are reported as one guess, together with the one being spoken. Each becomes final once,
/// after those before it, over its own range.
struct UndecidedUtterances {
    private struct Entry {
        var identifier: UInt64?
        var utterance: Utterance
        var isDecided: Bool
    }

    /// Whether guesses are reported. If so, a final result without text withdraws a guess.
    let reportsVolatile: Bool
    let reportsSilence: Bool
    private var entries: [Entry] = []
    /// The utterance being spoken.
    private var guess: Utterance?

    init(reportsVolatile: Bool, reportsSilence: Bool) {
        (self.reportsVolatile, self.reportsSilence) = (reportsVolatile, reportsSilence)
    }

    /// The number of utterances that wait for their second pass.
    var waitingCount: Int { entries.count { !$0.isDecided } }
    /// The beginning of the first utterance that is not final.
    var start: Int64? { entries.first?.utterance.range.lowerBound }

    /// Updates the guess of the first pass.
    mutating func guessed(_ utterance: Utterance) -> [Utterance] {
        guess = utterance
        return undecided
    }

    /// Adds an utterance that the first pass has ended.
    ///
    /// - Parameter identifier: the identifier of its second pass; nil if it needs none.
    mutating func ended(_ utterance: Utterance, identifier: UInt64?) -> [Utterance] {
        guess = nil
        entries.append(Entry(identifier: identifier, utterance: utterance, isDecided: identifier == nil))
        return settle(changed: true)
    }

    /// Returns the first pass's version of an utterance that waits.
    func firstPass(of identifier: UInt64) -> Utterance? { entries.first { $0.identifier == identifier }?.utterance }

    /// Sets the decided version of an utterance.
    mutating func decided(_ identifier: UInt64, as utterance: Utterance) -> [Utterance] {
        guard let index = entries.firstIndex(where: { $0.identifier == identifier && !$0.isDecided }) else { return [] }
        entries[index].utterance = utterance
        entries[index].isDecided = true
        return settle(changed: index == 0)
    }

    /// Makes all utterances final with the first pass's text.
    mutating func settleAll() -> [Utterance] {
        for index in entries.indices { entries[index].isDecided = true }
        return settle(changed: true)
    }

    /// - Parameter changed: whether the guess has changed.
    private mutating func settle(changed: Bool) -> [Utterance] {
        let done = entries.prefix { $0.isDecided }.map(\.utterance)
        entries.removeFirst(done.count)
        let finals = done.filter { !$0.text.isEmpty || reportsVolatile || reportsSilence }
        return finals + (changed ? undecided : [])
    }

    /// The guess: everything that is not final, as one utterance.
    private var undecided: [Utterance] {
        let parts = entries.map(\.utterance) + (guess.map { [$0] } ?? [])
        guard reportsVolatile, let first = parts.first, let last = parts.last else { return [] }
        if parts.count == 1, let guess, entries.isEmpty { return [guess] }
        let best = parts.map { $0.alternatives[0] }.filter { !$0.text.isEmpty }
        let joined = Hypothesis.Alternative(
            text: best.map(\.text).joined(separator: " "), words: best.flatMap(\.words), confidence: nil)
        return [
            Utterance(
                range: first.range.lowerBound..<last.range.upperBound, alternatives: [joined], isFinal: false,
                parts: parts)
        ]
    }
}
