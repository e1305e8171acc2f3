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
///
/// Whatever changes the text can be undone: a run of typing up to a pause or another kind of key, a deletion, a paste, an utterance, each with one
/// `undo()`.
struct MemoText: Equatable, Sendable {
    /// All but the guess, with the cursor and other places in it.
    private var content = MemoContent("")
    private var versions = MemoVersions()
    /// What is being typed or erased, which is undone as one.
    private var run: Run?
    /// When the last of it was, in seconds.
    private var runTime = 0.0
    /// How many utterances have waited.
    private var waitingCount = 0
    private var kills = KillRing()
    /// What the last key did, as far as it matters to the next.
    var lastKey = LastKey.other
    /// The finals so far, tidied, in the order in which they came. What is deleted from the text stays here.
    private(set) var finals: [String] = []
    /// Of these, those that can be taken back.
    private(set) var takeable: [String] = []
    /// What is probably being said, tidied; empty when nothing is.
    private(set) var guess = ""
    /// The column that the cursor comes back to when it moves up and down through shorter lines.
    var wantedColumn: Int?
    /// Only to find the row above and below quickly.
    var wrapping = MemoWrapping()

    /// What keys do one after another that is undone as one.
    enum Run { case typing, pasting, erasing, erasingForward }

    enum LastKey: Equatable {
        case kill
        /// - Parameter revision: of the text then.
        case yank(Range<Int>, revision: Int)
        case other
    }

    /// After a pause of so many seconds what is typed is undone apart from what was before.
    static let longestPause = 1.5

    /// - Parameter text: What to begin with, from an earlier session perhaps. The cursor is behind it.
    init(_ text: String = "") { content = MemoContent(Self.cleaned(text)) }

    /// Of control characters it has only newlines and tabs.
    var text: String { content.text }
    /// How often `text` has changed.
    var revision: Int { content.revision }
    /// What waits for its second pass, in the order in which it was said.
    var waiting: [WaitingSpeech] { content.waiting }
    /// Where the cursor is, in UTF-8 bytes of `text`; always between characters.
    var cursor: Int { content.cursor }
    /// Where the present utterance goes, in UTF-8 bytes of `text`; nil between utterances.
    var anchor: Int? { content.anchor }

    /// What is kept of a text: all but the white space at its end.
    static func kept(_ text: String) -> String {
        text.lastIndex { !$0.isWhitespace }.map { String(text[...$0]) } ?? ""
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
        if !guess.isEmpty, anchor == nil { content.anchor = cursor }
    }

    /// Ends the utterance, or the first of those that wait: its text takes the place of what was there for it. Empty text takes that
    /// back.
    ///
    /// - Parameter heard: the words that were heard, when the text was made of them by rules and may have line breaks: the first undo brings
    ///   them back, the next takes them away.
    mutating func acceptFinal(_ speech: String, heard: String? = nil) {
        let speech = heard == nil ? SpeechSpacing.tidied(speech) : SpeechSpacing.tidiedLines(speech)
        var heard = heard.map(SpeechSpacing.tidied)
        if heard == speech || heard == "" { heard = nil }
        if !speech.isEmpty {
            finals.append(speech)
            takeable.append(speech)
        }
        if let first = waiting.first {
            return versions.decide(first.number, as: speech, heard: heard, in: &content)
        }
        guard let words = heard else {
            _ = endUtterance(with: speech)
            return
        }
        guard let place = endUtterance(with: words) else { return }
        versions.save(content)
        content.put(speech, inPlaceOf: place)
    }

    /// Ends the utterance, whose final comes later: until then this text takes the place of the guess.
    mutating func acceptWaiting(_ speech: String) {
        guard var waiting = endUtterance(with: SpeechSpacing.tidied(speech)) else { return }
        waitingCount += 1
        waiting.number = waitingCount
        content.waiting.append(waiting)
    }

    /// Nothing more comes: what waits and what is guessed at are the best there will ever be.
    mutating func settle() {
        finals += waiting.map(\.speech)
        content.waiting = []
        acceptFinal(guess)
    }

    /// The final before was taken back.
    mutating func forgetLast() { takeable.removeLast() }

    /// Puts in what was said, at its anchor.
    ///
    /// - Parameter speech: Tidied.
    /// - Returns: where it stands; nil when it is empty.
    private mutating func endUtterance(with speech: String) -> WaitingSpeech? {
        let offset = anchor ?? cursor
        guess = ""
        if !speech.isEmpty { save() }
        content.anchor = nil
        return speech.isEmpty ? nil : content.put(speech, inPlaceOf: WaitingSpeech(at: offset))
    }

    // MARK: Editing

    /// Puts in what was typed or pasted, at the cursor. Line breaks of all kinds become newlines, other control characters but tabs go. A
    /// word that is begun right behind what was said gets a space before it.
    ///
    /// - Parameters:
    ///   - run: what it is a part of; nil when it is undone for itself.
    ///   - time: when it was, in seconds.
    mutating func insert(_ typed: String, as run: Run? = .typing, time: Double = 0) {
        var typed = Self.cleaned(typed)
        if !typed.isEmpty {
            let isBehindSpeech = content.speechEnd == cursor
            if isBehindSpeech, SpeechSpacing.isSpaced(typed, behindSpeech: text[..<index(cursor)]) { typed = " " + typed }
            save(as: run, time: time)
            content.replace(cursor..<cursor, with: typed)
            content.speechEnd = nil
        }
        wantedColumn = nil
    }

    /// Deletes from the cursor to `other`, in UTF-8 bytes.
    mutating func delete(to other: Int, as run: Run? = nil, time: Double = 0) {
        if other != cursor {
            save(as: run, time: time)
            content.replace(min(cursor, other)..<max(cursor, other), with: "")
        }
        content.speechEnd = nil
        wantedColumn = nil
    }

    /// Deletes from the cursor to `other`, in UTF-8 bytes, and keeps what was deleted to be yanked.
    ///
    /// - Parameter joins: whether the key before killed as well.
    mutating func kill(to other: Int, joins: Bool) {
        let killed = text[index(min(cursor, other))..<index(max(cursor, other))]
        if !killed.isEmpty { kills.add(String(killed), isForward: other > cursor, joins: joins) }
        delete(to: other)
    }

    /// Puts in what was killed last.
    ///
    /// - Returns: where it stands; nil when nothing was killed.
    mutating func yank() -> Range<Int>? {
        guard let text = kills.newest() else { return nil }
        let start = cursor
        insert(text, as: nil)
        return start..<cursor
    }

    /// Puts in what was killed before, in place of what was yanked.
    mutating func yankPrevious(inPlaceOf range: Range<Int>) -> Range<Int>? {
        guard let text = kills.previous() else { return nil }
        save()
        content.replace(range, with: "")
        content.cursor = range.lowerBound
        content.replace(range.lowerBound..<range.lowerBound, with: text)
        return range.lowerBound..<cursor
    }

    /// Takes the last change back. The cursor goes to where it was before that.
    mutating func undo() {
        guard let version = versions.undo(from: content) else { return }
        content.become(version)
        (run, wantedColumn) = (nil, nil)
    }

    /// Takes the last undo back. The cursor goes to where it was before that.
    mutating func redo() {
        guard let version = versions.redo(from: content) else { return }
        content.become(version)
        (run, wantedColumn) = (nil, nil)
    }

    /// Moves the cursor, and forgets the column that it would go back to.
    mutating func move(to offset: Int) {
        (content.cursor, content.speechEnd) = (offset, nil)
        (run, wantedColumn) = (nil, nil)
    }

    /// Moves the cursor up or down, to where `column` brings it.
    mutating func move(to offset: Int, wanting column: Int) {
        (content.cursor, content.speechEnd) = (offset, nil)
        (run, wantedColumn) = (nil, column)
    }

    /// To be called before a change: it can be undone, with what it goes on with.
    private mutating func save(as new: Run? = nil, time: Double = 0) {
        let goesOn = new != nil && new == run && time - runTime <= Self.longestPause
        if !goesOn { versions.save(content) }
        (run, runTime) = (new, time)
    }

    // MARK: Places

    func index(_ offset: Int) -> String.Index { content.index(offset) }

    func offset(_ index: String.Index) -> Int { content.offset(index) }

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
