import Speech

/// One version of a memo's text, with places in it, such as the cursor, that move when the text around them changes. All places are in
/// UTF-8 bytes of the text, and between characters. Pure.
struct MemoContent: Sendable {
    /// The text, whose only control characters are newlines and tabs.
    private(set) var text: String
    private(set) var revision = 0
    var cursor: Int
    /// The place of the present utterance; nil between utterances.
    var anchor: Int? { didSet { if oldValue == nil, anchor != nil { utteranceNumber += 1 } } }
    /// The number of the present utterance, or of the last one.
    private var utteranceNumber = 0
    /// The end of the speech that was put in last; nil once the user has edited the text or moved the cursor.
    var speechEnd: Int?
    /// Where the sentences are that were said and not edited since, each with the space that was put before it; the last one said is the
    /// last.
    private(set) var spoken: [Range<Int>] = []

    /// Creates the first version of a text without control characters other than newlines and tabs, with the cursor after it.
    init(_ text: String) {
        self.text = text
        cursor = text.utf8.count
    }

    func index(_ offset: Int) -> String.Index { text.utf8.index(text.startIndex, offsetBy: offset) }

    func offset(_ index: String.Index) -> Int { text.utf8.distance(from: text.startIndex, to: index) }

    /// Replaces a part of the text, in UTF-8 bytes, and moves the places.
    ///
    /// - Parameter isBehindSpeech: whether text that is inserted at the anchor comes behind the present utterance.
    mutating func replace(_ range: Range<Int>, with new: String, isBehindSpeech: Bool = false) {
        text.replaceSubrange(index(range.lowerBound)..<index(range.upperBound), with: new)
        revision += 1
        let end = range.lowerBound + new.utf8.count
        func moved(_ offset: Int) -> Int {
            // A place at the start of replaced text stays before the new text; where text is only inserted, the place moves after it.
            if offset < range.lowerBound || offset == range.lowerBound && !range.isEmpty { return offset }
            return offset >= range.upperBound ? offset - range.count + new.utf8.count : end
        }
        cursor = rounded(moved(cursor))
        anchor = anchor.map { rounded(isBehindSpeech && $0 == range.lowerBound ? $0 : moved($0)) }
        speechEnd = speechEnd.map { rounded(moved($0)) }
        let growth = new.utf8.count - range.count
        spoken = spoken.compactMap { utterance in
            if range.lowerBound >= utterance.upperBound { return utterance }
            if range.upperBound > utterance.lowerBound { return nil }
            return utterance.lowerBound + growth..<utterance.upperBound + growth
        }
    }

    /// Puts in tidied speech with the spaces that it needs. A cursor at its place goes to its end.
    mutating func put(_ speech: String, at place: Int) {
        let (left, right) = (text[..<index(place)], text[index(place)...])
        let fitted = SpeechSpacing.fitted(speech, before: right)
        if fitted.isEmpty { return }
        let spaces = SpeechSpacing.around(fitted, between: left, and: right)
        let hasCursor = cursor == place
        replace(place..<place, with: spaces.before + fitted + spaces.behind)
        let end = rounded(place + spaces.before.utf8.count + fitted.utf8.count)
        if hasCursor { cursor = end }
        speechEnd = end
        var start = place
        for sentence in Self.beginnings(of: fitted) {
            let next = rounded(place + spaces.before.utf8.count + sentence.utf8.count)
            spoken.append(start..<next)
            start = next
        }
        spoken.append(start..<end)
    }

    /// The beginnings of a speech that end where one of its sentences ends, except the whole.
    static func beginnings(of speech: String) -> [String] {
        let words = speech.split(whereSeparator: \.isWhitespace)
        return SentenceEnd.places(in: words.map(String.init)).map { String(speech[..<words[$0 - 1].endIndex]) }
    }

    /// Removes the last character of the sentence that was said last, which stays one that was said.
    mutating func shortenSpoken() {
        guard let last = spoken.last else { return }
        let start = offset(text[index(last.lowerBound)..<index(last.upperBound)].indices.last!)
        replace(start..<last.upperBound, with: "")
        spoken.append(last.lowerBound..<start)
    }

    /// Changes the text to that of another version. The anchor stays where the present utterance is, or was in that version.
    mutating func become(_ version: MemoContent) {
        var (old, new) = (text, version.text)
        let same = old.withUTF8 { old in new.withUTF8 { CommonEnds(of: old, and: $0) } }
        let end = new.utf8.count - same.suffix
        let start = new.utf8.index(new.startIndex, offsetBy: same.prefix)
        replace(
            same.prefix..<old.utf8.count - same.suffix,
            with: String(new[start..<new.utf8.index(new.startIndex, offsetBy: end)]))
        if anchor != nil, version.utteranceNumber == utteranceNumber, let place = version.anchor { anchor = place }
        cursor = version.cursor
        speechEnd = version.speechEnd == cursor ? cursor : nil
        spoken = version.spoken
    }

    /// The end of the character that contains `offset`, or `offset` if it is between characters. A change can join scalars to one
    /// character, as with an accent.
    private func rounded(_ offset: Int) -> Int {
        let place = index(offset)
        if String.Index(place, within: text) != nil { return offset }
        return self.offset(text.index(after: place))
    }
}
