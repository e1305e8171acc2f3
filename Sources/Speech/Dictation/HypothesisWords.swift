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
