/// Speech in a memo's text that waits for its second pass. All places are in UTF-8 bytes of the text. Pure.
struct WaitingSpeech: Equatable, Sendable {
    /// The first pass's text, tidied.
    let speech: String
    /// The number that identifies the speech in all versions of the text; 0 for speech that does not wait.
    var number = 0
    /// The place of the speech; nil when the user has edited it, or the text does not hold it.
    private(set) var place: Range<Int>?
    /// Whether the space before the speech was put in with it.
    private var hasSpaceBefore = false
    /// Whether the space after the speech was put in with it.
    private var hasSpaceBehind = false
    /// Whether the speech was put between white space, or the start of the text, and a space; nil when nothing was put in yet.
    var isInGap: Bool?

    /// Creates empty speech at a place.
    init(at offset: Int) {
        speech = ""
        place = offset..<offset
    }

    /// Creates speech that was put into a text.
    ///
    /// - Parameters:
    ///   - speech: the speech, tidied.
    ///   - start: where the space before the speech begins, or the speech itself if there is none.
    ///   - count: the length of the speech in the text, which may differ from that of `speech`.
    ///   - spaces: the spaces that were put in before and after it.
    init(_ speech: String, at start: Int, count: Int, spaces: (before: String, behind: String)) {
        self.speech = speech
        (hasSpaceBefore, hasSpaceBehind) = (!spaces.before.isEmpty, !spaces.behind.isEmpty)
        let start = start + spaces.before.utf8.count
        place = start..<start + count
    }

    /// The place of the speech with the spaces that were put in with it.
    var placeWithSpaces: Range<Int>? {
        place.map { $0.lowerBound - (hasSpaceBefore ? 1 : 0)..<$0.upperBound + (hasSpaceBehind ? 1 : 0) }
    }

    /// This speech in a text that does not hold it.
    var withoutPlace: WaitingSpeech {
        var other = self
        other.place = nil
        return other
    }

    /// Moves the place after a change of the text. After a change in the speech itself, the place is nil.
    ///
    /// - Parameters:
    ///   - range: the place of the text that was replaced.
    ///   - count: the length of its replacement.
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
