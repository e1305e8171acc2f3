/// Where two decodings of a window agree. It is pure.
struct Agreement {
    private let old: [String]
    private let new: [String]
    /// When the words begin, in samples of the stream.
    private let oldTimes: [Int64]
    private let newTimes: [Int64]

    /// The number of words before a place that both have.
    static let shortest = 3
    /// The greatest difference of the places in the two texts, in words.
    private static let reach = 3
    /// The greatest difference of the times of a word in the two texts, in seconds. Who says "it was the" again and again takes two for each:
    /// what is said between would be lost.
    private static let longestError = 1.0

    init(_ old: PlacedText, _ new: PlacedText) {
        (self.old, self.new) = (old.words.normalized, new.words.normalized)
        (oldTimes, newTimes) = (old.words.map(\.range.lowerBound), new.words.map(\.range.lowerBound))
    }

    /// Returns the places where the new text goes on from the old one: where both have the same words, as near to the start of the new
    /// text as may be, and at much the same time. Its first word may be half of one.
    func seam() -> (old: Int, new: Int)? {
        for place in 0...Self.reach where place + Self.shortest <= new.count {
            let words = new[place..<(place + Self.shortest)]
            func error(_ other: Int) -> Int64 { abs(oldTimes[other] - newTimes[place]) }
            let candidates = old.indices.dropLast(Self.shortest - 1)
                .filter { error($0) <= DictationDesk.samples(Self.longestError) }
                .filter { old[$0..<($0 + Self.shortest)] == words }
                .sorted { error($0) < error($1) }
            // Who says "it was the" again and again goes on otherwise each time.
            let found =
                candidates.first { goesOn(from: $0, place) }
                ?? candidates.max { common(from: $0, place) < common(from: $1, place) }
            if let found { return (found, place) }
        }
        return nil
    }

    /// The number of words that both texts have from two places on.
    private func common(from oldPlace: Int, _ newPlace: Int) -> Int {
        zip(old[oldPlace...], new[newPlace...]).prefix { $0 == $1 }.count
    }

    /// Whether both texts have the same words from two places on, up to the end of one.
    private func goesOn(from oldPlace: Int, _ newPlace: Int) -> Bool {
        common(from: oldPlace, newPlace) == min(old.count - oldPlace, new.count - newPlace)
    }

    /// Returns the place in the old text of a place in the new one, if both have the same words before it; what is farther
    /// before may differ.
    func place(before place: Int) -> Int? {
        let count = min(place, Self.shortest)
        let words = new[(place - count)..<place]
        let candidates = (place - Self.reach...place + Self.reach).sorted { abs($0 - place) < abs($1 - place) }
        return candidates.first { other in
            other >= count && other <= old.count && (count == Self.shortest || other == place)
                && old[(other - count)..<other] == words
        }
    }
}
