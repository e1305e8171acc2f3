/// A clock that stands still in the pauses between the first pass's words. It gives times to the words of a second pass
/// that has none: however wrong the first pass's words are, it has heard when there was speech. It is pure.
struct SpeechClock {
    /// The times of the words, in samples, in ascending order and without overlaps.
    private var words: [Range<Int64>] = []
    /// For each word, what the clock shows at its beginning and its end.
    private var readings: [Range<Int64>] = []
    /// What the clock shows at the end.
    private var end: Int64 = 0

    /// Creates a clock from the times of the first pass's words, in samples.
    init(_ words: [Range<Int64>]) {
        for word in words {
            let start = max(word.lowerBound, self.words.last?.upperBound ?? 0)
            let word = start..<max(start, word.upperBound)
            self.words.append(word)
            readings.append(end..<(end + Int64(word.count)))
            end += Int64(word.count)
        }
    }

    /// Returns the times of other words for the same speech. A word that the first pass has as well gets its time. Those
    /// between two such words divide the speech between them by their lengths.
    ///
    /// - Parameters:
    ///   - others: the words.
    ///   - known: the indices of the first pass's words, by the indices of the same words in `others`; both ascend.
    func times(of others: [String], known: [Int: Int]) -> [Range<Int64>] {
        var times: [Range<Int64>] = []
        var before: Int64 = 0
        while times.count < others.count {
            if let word = known[times.count] {
                before = readings[word].upperBound
                times.append(words[word])
                continue
            }
            let unknown = times.count..<(times.count...).first { $0 == others.count || known[$0] != nil }!
            let after = known[unknown.upperBound].map { readings[$0].lowerBound } ?? end
            for reading in WordAlignment.shares(of: before..<after, among: others[unknown]) {
                let time = time(reading)
                let start = max(time.lowerBound, times.last?.upperBound ?? 0)
                times.append(start..<max(start, time.upperBound))
            }
        }
        return times
    }

    /// Returns the time between two readings of the clock.
    private func time(_ reading: Range<Int64>) -> Range<Int64> {
        // Speech ends before a pause, and the next begins after it.
        let before = readings.lastIndex { $0.lowerBound < reading.upperBound }
        let end = before.map { words[$0].lowerBound + reading.upperBound - readings[$0].lowerBound }
        guard !reading.isEmpty, let first = readings.firstIndex(where: { $0.upperBound > reading.lowerBound }), let end
        else {
            let none = end ?? words.first?.lowerBound ?? 0
            return none..<none
        }
        return (words[first].lowerBound + reading.lowerBound - readings[first].lowerBound)..<end
    }
}
