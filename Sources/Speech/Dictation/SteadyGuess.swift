/// Keeps the words of a guess steady: one decoding often changes a word in the middle, and the next changes it back. A changed word is
/// shown when a second decoding in a row has it, or when nothing after it was known before. One that several words follow stays until
/// the text is final: that is as often wrong as the new one, and all words behind it would move.
enum SteadyGuess {
    /// The number of words at the end that may change.
    private static let reach = 5

    /// Returns the words to show.
    ///
    /// - Parameters:
    ///   - decoded: the words of the newest decoding.
    ///   - shown: the words that are shown.
    ///   - before: the words of the decoding before; nil at a pause, where a changed word needs no second decoding.
    ///   - beginsAnew: whether the words at the beginning may be of other speech, and those of the newest decoding are shown there.
    static func words(
        _ decoded: [Hypothesis.Word], shown: [Hypothesis.Word], before: [Hypothesis.Word]?, beginsAnew: Bool = false
    ) -> [Hypothesis.Word] {
        let (new, old, last) = (decoded.normalized, shown.normalized, before?.normalized)
        var words: [Hypothesis.Word] = []
        var (place, oldPlace) = (0, 0)
        for (common, oldCommon) in common(new, old) {
            let changed = new[max(0, place - 1)...common]
            let isSame = common == place && oldCommon == oldPlace
            let mayChange = shown.count - oldCommon < reach && last?.contains(changed) ?? true
            let isNew = beginsAnew && words.isEmpty
            words += isSame || mayChange || isNew ? decoded[place...common] : shown[oldPlace...oldCommon]
            (place, oldPlace) = (common + 1, oldCommon + 1)
        }
        words += decoded[place...]
        words.putInOrder()
        return words
    }

    /// The places of the words that two texts have in common, in order.
    private static func common(_ new: [String], _ old: [String]) -> [(Int, Int)] {
        var (inserted, removed) = (Set<Int>(), Set<Int>())
        for change in new.difference(from: old) {
            switch change {
            case .insert(let place, _, _): inserted.insert(place)
            case .remove(let place, _, _): removed.insert(place)
            }
        }
        return Array(zip(new.indices.filter { !inserted.contains($0) }, old.indices.filter { !removed.contains($0) }))
    }
}
