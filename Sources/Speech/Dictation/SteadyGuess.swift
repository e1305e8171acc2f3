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

extension [Hypothesis.Word] {
    /// The words as they are compared: letters and digits in lower case.
    var normalized: [String] { map { WordAlignment.normalized($0.text) } }

    /// Returns the number of words before a pause. Their times are not exact: behind a mark beside it, they are those of the pause.
    func count(before pause: Range<Int64>) -> Int {
        let count = prefix { $0.range.lowerBound < pause.lowerBound }.count
        if pause.isEmpty { return count }
        return [0, -1, 1, -2, 2].lazy.map { count + $0 }.first { place in
            indices.contains(place) && place > 0 && self[place - 1].text.last.map { ",;:.?!…".contains($0) } == true
        } ?? count
    }

    /// Makes the times ascend, as of words from two decodings.
    mutating func putInOrder() {
        var end = Int64.min
        for index in indices {
            let range = self[index].range
            self[index].range = Swift.max(range.lowerBound, end)..<Swift.max(range.upperBound, end)
            end = self[index].range.upperBound
        }
    }
}
