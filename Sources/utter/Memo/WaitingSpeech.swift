/// Speech that stands in a memo's text and waits for its second pass. All places are in UTF-8 bytes of the text. Pure.
struct WaitingSpeech: Equatable, Sendable {
    /// The first pass's text, tidied.
    let speech: String
    /// By which it is known in all versions of the text; 0 for speech that does not wait.
    var number = 0
    /// Where it stands; nil when the user has edited it and it is the user's.
    private(set) var place: Range<Int>?
    /// Whether the space before it, or behind, was put there with it.
    private var hasSpaceBefore = false
    private var hasSpaceBehind = false
    /// Whether it was put between two spaces that were there before; nil where nothing was put yet.
    var isInGap: Bool?

    /// No speech yet.
    init(at offset: Int) {
        speech = ""
        place = offset..<offset
    }

    /// - Parameters:
    ///   - start: where the space before it begins, or else it.
    ///   - count: how long it is in the text, which may differ from the speech.
    init(_ speech: String, at start: Int, count: Int, spaces: (before: String, behind: String)) {
        self.speech = speech
        (hasSpaceBefore, hasSpaceBehind) = (!spaces.before.isEmpty, !spaces.behind.isEmpty)
        let start = start + spaces.before.utf8.count
        place = start..<start + count
    }

    /// With the spaces that were put there with it.
    var placeWithSpaces: Range<Int>? {
        place.map { $0.lowerBound - (hasSpaceBefore ? 1 : 0)..<$0.upperBound + (hasSpaceBehind ? 1 : 0) }
    }

    /// This speech in a text that does not hold it.
    var withoutPlace: WaitingSpeech {
        var other = self
        other.place = nil
        return other
    }

    /// A part of the text has been replaced.
    mutating func move(replacing range: Range<Int>, with count: Int) {
        guard let place else { return }
        if range.upperBound <= place.lowerBound {
            if range.upperBound == place.lowerBound { hasSpaceBefore = false }
            let distance = count - range.count
            self.place = place.lowerBound + distance..<place.upperBound + distance
        } else if range.lowerBound >= place.upperBound {
            if range.lowerBound == place.upperBound { hasSpaceBehind = false }
        } else {
            self.place = nil
        }
    }
}
