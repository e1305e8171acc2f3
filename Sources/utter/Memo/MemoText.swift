/// The text of a memo while it is spoken and typed at the same time. Pure.
///
/// ```swift
/// var memo = MemoText()
/// memo.apply(key, columns: size.columns)   // typing
/// memo.setGuess("hello wor")               // a volatile result
/// memo.acceptFinal("hello world")          // a final one; empty takes the guess back
/// memo.acceptWaiting("two five")           // with a second pass: an utterance that has ended, whose final comes later
/// memo.acceptFinal("2, 5.")                // its final, in its place
/// ```
///
/// Speech goes to the cursor. An utterance keeps the place where its first guess came, the anchor, which moves with the text around
/// it; so whoever goes elsewhere while it lasts does not take it along, and the next utterance begins where the cursor is then.
/// The guess stands behind the cursor, and what is typed there comes before it. A final is put in at the anchor, with
/// spaces where they are missing; a cursor that stands there moves behind it. Text that was typed is never touched.
///
/// What waits for its second pass stands in the text as a final does, and its final takes its place. Where the user has edited it
/// meanwhile it is the user's, and stays.
struct MemoText: Equatable, Sendable {
    /// All but the guess. Of control characters it has only newlines and tabs.
    private(set) var text = ""
    /// How often `text` has changed.
    private(set) var revision = 0
    /// What waits for its second pass, in the order in which it was said.
    private(set) var waiting: [WaitingSpeech] = []
    /// The finals so far, tidied, in the order in which they came. What is deleted from the text stays here.
    private(set) var finals: [String] = []
    /// What is probably being said, tidied; empty when nothing is.
    private(set) var guess = ""
    /// Where the cursor is, in UTF-8 bytes of `text`; always between characters.
    private(set) var cursor = 0
    /// Where the present utterance goes, in UTF-8 bytes of `text`; nil between utterances.
    private(set) var anchor: Int?
    /// The column that the cursor comes back to when it moves up and down through shorter lines.
    var wantedColumn: Int?
    /// Only to find the row above and below quickly.
    var wrapping = MemoWrapping()

    /// - Parameter text: What to begin with, from an earlier session perhaps. The cursor is behind it.
    init(_ text: String = "") {
        self.text = Self.cleaned(text)
        cursor = self.text.utf8.count
    }

    /// Whether there is nothing to keep: no text, or only white space.
    var isEmpty: Bool { text.allSatisfy(\.isWhitespace) }

    // MARK: Speech

    /// The guess with the spaces that it would have in the text, and where it stands.
    var placedGuess: (before: String, guess: String, behind: String, offset: Int) {
        let offset = anchor ?? cursor
        guard !guess.isEmpty else { return ("", "", "", offset) }
        let place = index(offset)
        let spaces = SpeechSpacing.around(guess, between: text[..<place], and: text[place...])
        return (spaces.before, guess, spaces.behind, offset)
    }

    /// The text as it would be if the guess were right.
    var textWithGuess: String {
        let placed = placedGuess
        var result = text
        result.insert(contentsOf: placed.before + placed.guess + placed.behind, at: index(placed.offset))
        return result
    }

    /// Shows what is probably being said, in place of what was shown before.
    mutating func setGuess(_ speech: String) {
        guess = SpeechSpacing.tidied(speech)
        if !guess.isEmpty, anchor == nil { anchor = cursor }
    }

    /// Ends the utterance, or the first of those that wait: its text takes the place of what was there for it. Empty text takes that
    /// back.
    mutating func acceptFinal(_ speech: String) {
        let speech = SpeechSpacing.tidied(speech)
        if !speech.isEmpty { finals.append(speech) }
        _ = waiting.isEmpty ? endUtterance(with: speech) : put(speech, inPlaceOf: waiting.removeFirst())
    }

    /// Ends the utterance, whose final comes later: until then this text takes the place of the guess.
    mutating func acceptWaiting(_ speech: String) {
        guard let waiting = endUtterance(with: SpeechSpacing.tidied(speech)) else { return }
        self.waiting.append(waiting)
    }

    /// Nothing more comes: what waits and what is guessed at are the best there will ever be.
    mutating func settle() {
        finals += waiting.map(\.speech)
        waiting = []
        acceptFinal(guess)
    }

    /// Puts in what was said, at its anchor.
    ///
    /// - Parameter speech: Tidied.
    /// - Returns: where it stands; nil when it is empty.
    private mutating func endUtterance(with speech: String) -> WaitingSpeech? {
        let offset = anchor ?? cursor
        guess = ""
        anchor = nil
        return speech.isEmpty ? nil : put(speech, inPlaceOf: WaitingSpeech(at: offset))
    }

    /// Puts in speech, with the spaces that it needs, where other speech was put before. A cursor at the end of that stays at the end.
    private mutating func put(_ speech: String, inPlaceOf old: WaitingSpeech) -> WaitingSpeech? {
        // The user has edited it.
        guard let place = old.place, let whole = old.placeWithSpaces else { return nil }
        let (left, right) = (text[..<index(whole.lowerBound)], text[index(whole.upperBound)...])
        let fitted = SpeechSpacing.fitted(speech, before: right)
        let spaces = fitted.isEmpty ? ("", "") : SpeechSpacing.around(fitted, between: left, and: right)
        var new = WaitingSpeech(speech, at: whole.lowerBound, count: fitted.utf8.count, spaces: spaces)
        new.isInGap = old.isInGap ?? (right.first == " " && (left.last?.isWhitespace ?? true))
        let (oldCursor, oldAnchor) = (cursor, anchor)
        replace(whole, with: spaces.0 + fitted + spaces.1)
        func moved(_ offset: Int, otherwise: Int) -> Int {
            if offset == place.upperBound || place.dropFirst().contains(offset) { return new.place!.upperBound }
            return offset == place.lowerBound && offset > whole.lowerBound ? new.place!.lowerBound : otherwise
        }
        cursor = rounded(moved(oldCursor, otherwise: cursor))
        anchor = oldAnchor.map { rounded(moved($0, otherwise: anchor!)) }
        if fitted.isEmpty, new.isInGap == false { closeGap(at: whole.lowerBound) }
        return new
    }

    /// Words that were none have gone from here, and two spaces may meet that did not before they came.
    private mutating func closeGap(at offset: Int) {
        guard text[index(offset)...].first == " ", text[..<index(offset)].last?.isWhitespace ?? true else { return }
        replace(offset..<offset + 1, with: "")
    }

    // MARK: Editing

    /// Puts in what was typed or pasted, at the cursor. Line breaks of all kinds become newlines, other control characters but tabs go.
    mutating func insert(_ typed: String) {
        let typed = Self.cleaned(typed)
        if !typed.isEmpty { replace(cursor..<cursor, with: typed) }
        wantedColumn = nil
    }

    /// Deletes from the cursor to `other`, in UTF-8 bytes.
    mutating func delete(to other: Int) {
        if other != cursor { replace(min(cursor, other)..<max(cursor, other), with: "") }
        wantedColumn = nil
    }

    /// Moves the cursor, and forgets the column that it would go back to.
    mutating func move(to offset: Int) {
        cursor = offset
        wantedColumn = nil
    }

    /// Moves the cursor up or down, to where `column` brings it.
    mutating func move(to offset: Int, wanting column: Int) {
        cursor = offset
        wantedColumn = column
    }

    private mutating func replace(_ range: Range<Int>, with new: String) {
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

    /// Behind the character that `offset` is inside of: what is put in or left may join its neighbours to one, as an accent does.
    private func rounded(_ offset: Int) -> Int {
        let place = index(offset)
        if String.Index(place, within: text) != nil { return offset }
        return self.offset(text.index(after: place))
    }

    // MARK: Places

    func index(_ offset: Int) -> String.Index { text.utf8.index(text.startIndex, offsetBy: offset) }

    func offset(_ index: String.Index) -> Int { text.utf8.distance(from: text.startIndex, to: index) }

    static func cleaned(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x09 }) { return text }
        var result = String.UnicodeScalarView()
        var lastWasReturn = false
        for scalar in text.unicodeScalars {
            defer { lastWasReturn = scalar == "\r" }
            switch scalar.value {
            case 0x0A where lastWasReturn: break
            case 0x09: result.append(scalar)
            case 0x0A...0x0D, 0x85, 0x2028, 0x2029: result.append("\n")
            case 0x00...0x1F, 0x7F...0x9F: break
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
