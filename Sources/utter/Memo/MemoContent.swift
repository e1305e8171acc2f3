/// One version of a memo's text, with the places in it that move with what is put in and taken out around them. All places are in UTF-8 bytes
/// of the text, and between characters. Pure.
struct MemoContent: Equatable, Sendable {
    /// Of control characters it has only newlines and tabs.
    private(set) var text: String
    /// How often the text has changed.
    private(set) var revision = 0
    var cursor: Int
    /// Where the present utterance goes; nil between utterances.
    var anchor: Int?
    /// What waits for its second pass, in the order in which it was said.
    var waiting: [WaitingSpeech] = []
    /// Where speech ends that the cursor went behind; nil when a key has been there since.
    var speechEnd: Int?

    /// - Parameter text: without control characters that it may not have.
    init(_ text: String) {
        self.text = text
        cursor = text.utf8.count
    }

    func index(_ offset: Int) -> String.Index { text.utf8.index(text.startIndex, offsetBy: offset) }

    func offset(_ index: String.Index) -> Int { text.utf8.distance(from: text.startIndex, to: index) }

    mutating func replace(_ range: Range<Int>, with new: String) {
        text.replaceSubrange(index(range.lowerBound)..<index(range.upperBound), with: new)
        revision += 1
        let end = range.lowerBound + new.utf8.count
        func moved(_ offset: Int) -> Int {
            // Before a place that is filled, but after what is put in between.
            if offset < range.lowerBound || offset == range.lowerBound && !range.isEmpty { return offset }
            return offset >= range.upperBound ? offset - range.count + new.utf8.count : end
        }
        cursor = rounded(moved(cursor))
        anchor = anchor.map { rounded(moved($0)) }
        for number in waiting.indices { waiting[number].move(replacing: range, with: new.utf8.count) }
    }

    /// Puts in speech, with the spaces that it needs, where other speech was put before. A cursor at the end of that stays at the end.
    ///
    /// - Parameter speech: Tidied.
    /// - Returns: where it stands; nil when the user has edited what was there.
    @discardableResult
    mutating func put(_ speech: String, inPlaceOf old: WaitingSpeech) -> WaitingSpeech? {
        guard let place = old.place, let whole = old.placeWithSpaces else { return nil }
        let (left, right) = (text[..<index(whole.lowerBound)], text[index(whole.upperBound)...])
        let fitted = SpeechSpacing.fitted(speech, before: right)
        let spaces = fitted.isEmpty ? ("", "") : SpeechSpacing.around(fitted, between: left, and: right)
        var new = WaitingSpeech(speech, at: whole.lowerBound, count: fitted.utf8.count, spaces: spaces)
        new.number = old.number
        new.isInGap = old.isInGap ?? (right.first == " " && (left.last?.isWhitespace ?? true))
        let (oldCursor, oldAnchor) = (cursor, anchor)
        let isBehindOther = speechEnd == cursor && cursor != place.upperBound
        replace(whole, with: spaces.0 + fitted + spaces.1)
        func moved(_ offset: Int, otherwise: Int) -> Int {
            if offset == place.upperBound || place.dropFirst().contains(offset) { return new.place!.upperBound }
            return offset == place.lowerBound && offset > whole.lowerBound ? new.place!.lowerBound : otherwise
        }
        cursor = rounded(moved(oldCursor, otherwise: cursor))
        anchor = oldAnchor.map { rounded(moved($0, otherwise: anchor!)) }
        if fitted.isEmpty, new.isInGap == false { closeGap(at: whole.lowerBound) }
        let isBehindThis = !fitted.isEmpty && cursor == new.place!.upperBound
        speechEnd = isBehindOther || isBehindThis ? cursor : nil
        return new
    }

    /// Whether the text holds an utterance that waits, as the user has left it.
    func holds(_ number: Int) -> Bool { waiting.contains { $0.number == number && $0.place != nil } }

    /// An utterance waits no longer: its final takes its place.
    ///
    /// - Parameter speech: Tidied.
    mutating func decide(_ number: Int, as speech: String) {
        guard let first = waiting.firstIndex(where: { $0.number == number }) else { return }
        put(speech, inPlaceOf: waiting.remove(at: first))
    }

    /// Becomes another version. The present utterance and what waits stay; what waits and is not in that version is in no place.
    mutating func become(_ version: MemoContent) {
        var (old, new) = (text, version.text)
        let same = old.withUTF8 { old in new.withUTF8 { CommonEnds(of: old, and: $0) } }
        let end = new.utf8.count - same.suffix
        let start = new.utf8.index(new.startIndex, offsetBy: same.prefix)
        replace(
            same.prefix..<old.utf8.count - same.suffix,
            with: String(new[start..<new.utf8.index(new.startIndex, offsetBy: end)]))
        waiting = waiting.map { speech in version.waiting.first { $0.number == speech.number } ?? speech.withoutPlace }
        (cursor, speechEnd) = (version.cursor, version.speechEnd)
    }

    /// Words that were none have gone from here, and two spaces may meet that did not before they came.
    private mutating func closeGap(at offset: Int) {
        guard text[index(offset)...].first == " ", text[..<index(offset)].last?.isWhitespace ?? true else { return }
        replace(offset..<offset + 1, with: "")
    }

    /// Behind the character that `offset` is inside of: what is put in or left may join its neighbours to one, as an accent does.
    private func rounded(_ offset: Int) -> Int {
        let place = index(offset)
        if String.Index(place, within: text) != nil { return offset }
        return self.offset(text.index(after: place))
    }
}
