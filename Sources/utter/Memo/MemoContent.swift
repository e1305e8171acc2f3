/// One version of a memo's text, with places in it, such as the cursor, that move when the text around them changes. All places are in
/// UTF-8 bytes of the text, and between characters. Pure.
struct MemoContent: Equatable, Sendable {
    /// The text, whose only control characters are newlines and tabs.
    private(set) var text: String
    /// How often the text has changed.
    private(set) var revision = 0
    var cursor: Int
    /// The place of the present utterance; nil between utterances.
    var anchor: Int?
    /// The utterances that wait for their second pass, in the order in which they were said.
    var waiting: [WaitingSpeech] = []
    /// The end of the speech that was put in directly before the cursor; nil once the user has edited there or moved the cursor.
    var speechEnd: Int?

    /// Creates the first version, with the cursor after the text.
    ///
    /// - Parameter text: the text, without control characters other than newlines and tabs.
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
            // A place at the start of replaced text stays before the new text; where text is only inserted, the place moves after it.
            if offset < range.lowerBound || offset == range.lowerBound && !range.isEmpty { return offset }
            return offset >= range.upperBound ? offset - range.count + new.utf8.count : end
        }
        cursor = rounded(moved(cursor))
        anchor = anchor.map { rounded(moved($0)) }
        for number in waiting.indices { waiting[number].move(replacing: range, with: new.utf8.count) }
    }

    /// Replaces speech with other speech and the spaces that it needs. A cursor inside the old speech or at its end goes to the new end.
    ///
    /// - Parameters:
    ///   - speech: the new speech, tidied.
    ///   - old: the speech to replace.
    /// - Returns: the new speech with its place; nil when the user has edited the old.
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

    /// Whether the text holds the utterance of that number, which waits, and the user has not edited it.
    func holds(_ number: Int) -> Bool { waiting.contains { $0.number == number && $0.place != nil } }

    /// Puts the final of a waiting utterance in its place.
    ///
    /// - Parameters:
    ///   - number: the utterance's number.
    ///   - speech: the final, tidied.
    mutating func decide(_ number: Int, as speech: String) {
        guard let first = waiting.firstIndex(where: { $0.number == number }) else { return }
        put(speech, inPlaceOf: waiting.remove(at: first))
    }

    /// Changes the text to that of another version. The anchor and the waiting utterances stay; those that the version does not hold have
    /// no place then.
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

    /// Removes a space where withdrawn speech was, if it follows white space or begins the text.
    private mutating func closeGap(at offset: Int) {
        guard text[index(offset)...].first == " ", text[..<index(offset)].last?.isWhitespace ?? true else { return }
        replace(offset..<offset + 1, with: "")
    }

    /// The end of the character that contains `offset`, or `offset` if it is between characters. A change can join scalars to one
    /// character, as with an accent.
    private func rounded(_ offset: Int) -> Int {
        let place = index(offset)
        if String.Index(place, within: text) != nil { return offset }
        return self.offset(text.index(after: place))
    }
}
