/// The text of a memo while it is spoken and typed at the same time. Pure.
///
/// ```swift
/// var memo = MemoText()
/// memo.apply(key, columns: size.columns)   // typing
/// memo.setGuess("hello wor")               // a volatile result
/// memo.acceptFinal("hello world")          // a final one; empty takes the guess back
/// ```
///
/// Speech goes to the cursor. The cursor's place when speech is heard first is the anchor of the speech, which moves with the text around it.
/// So the speech stays there when the user moves the cursor. A cursor at the anchor is behind the speech: text that is typed there comes
/// after what was said, whether there is a guess at it yet or not, and nothing of a guess can be erased before it is final. A final is put
/// in at the anchor, with spaces where they are missing; a cursor at the anchor moves after it. Text that was typed is never changed.
///
/// The guess may be at more speech than the next final. The finals and the guess that follow at once go on where that final ends, wherever
/// the cursor is. After a key, or a pause (`endSpeech`), speech begins at the cursor again.
///
/// Every change of the text can be undone with one `undo()`: a run of typing up to a pause or another kind of key, a deletion, a paste,
/// a sentence that was said, the rewriting of a final by the text rules.
struct MemoText: Sendable {
    /// The text without the guess, with the cursor and other places in it.
    private var content = MemoContent("")
    private var versions = MemoVersions()
    /// The kind of the present run of keys; nil when there is none.
    private var run: Run?
    /// When the last key of the run was pressed, in seconds.
    private var runTime = 0.0
    private var kills = KillRing()
    /// What the last key did, as far as it matters to the next.
    var lastKey = LastKey.other
    /// The finals so far, tidied, in the order in which they came. What is deleted from the text stays here.
    private(set) var finals: [String] = []
    /// What is probably being said, tidied; empty when nothing is.
    private(set) var guess = ""
    /// Whether speech is heard that is not decided.
    private var isSpeechAwaited = false
    /// The column that the cursor comes back to when it moves up and down through shorter lines.
    var wantedColumn: Int?
    /// The rows of the last layout, kept in order to find the rows above and below quickly.
    var wrapping = MemoWrapping()

    /// A kind of keys that are undone as one when they follow each other.
    enum Run { case typing, pasting, erasing, erasingForward }

    enum LastKey: Equatable {
        case kill
        /// Text was yanked, and is in this range.
        ///
        /// - Parameter revision: the revision of the text after that.
        case yank(Range<Int>, revision: Int)
        case other
    }

    /// The longest pause, in seconds, between keys that are undone as one.
    static let longestPause = 1.5

    /// Creates a text with the cursor at its end.
    init(_ text: String = "") { content = MemoContent(Self.cleaned(text)) }

    /// The text without the guess. Its only control characters are newlines and tabs.
    var text: String { content.text }
    var revision: Int { content.revision }
    /// Where the cursor is, in UTF-8 bytes of `text`; always between characters.
    var cursor: Int { content.cursor }
    /// The place of the present utterance, in UTF-8 bytes of `text`; nil between utterances.
    var anchor: Int? { content.anchor }
    var isBehindGuess: Bool { !guess.isEmpty && anchor == cursor }
    /// Whether the cursor is behind speech that is not decided, with a guess at it or without one.
    private var isBehindSpeech: Bool { isBehindGuess || isSpeechAwaited && anchor == cursor }
    /// The place of the next speech, in UTF-8 bytes of `text`.
    var placeOfSpeech: Int { anchor ?? content.speechEnd ?? cursor }
    /// The place of the sentence that was said last, in UTF-8 bytes of `text`, with the space that was put before it; nil when all were
    /// edited or are gone.
    var lastSpoken: Range<Int>? { content.spoken.last }

    /// The part of a text that is kept: all but the white space at its end.
    static func kept(_ text: String) -> String {
        text.lastIndex { !$0.isWhitespace }.map { String(text[...$0]) } ?? ""
    }

    /// Whether there is nothing to keep: no text, or only white space.
    var isEmpty: Bool { text.allSatisfy(\.isWhitespace) }

    // MARK: Speech

    /// The guess, the spaces that it would have before and after it in the text, and its place in UTF-8 bytes of `text`.
    var placedGuess: (before: String, guess: String, behind: String, offset: Int) {
        let offset = placeOfSpeech
        guard !guess.isEmpty else { return ("", "", "", offset) }
        let place = index(offset)
        let spaces = SpeechSpacing.around(guess, between: text[..<place], and: text[place...])
        return (spaces.before, guess, spaces.behind, offset)
    }

    var textWithGuess: String {
        let placed = placedGuess
        var whole = text
        whole.insert(contentsOf: placed.before + placed.guess + placed.behind, at: index(placed.offset))
        return whole
    }

    /// Notes whether speech is heard that is not decided. Its place is where the cursor is when that begins.
    mutating func awaitSpeech(_ isAwaited: Bool) {
        if isAwaited {
            content.anchor = placeOfSpeech
        } else if isSpeechAwaited, guess.isEmpty {
            content.anchor = nil
        }
        isSpeechAwaited = isAwaited
    }

    /// Shows what is probably being said, in place of what was shown before.
    mutating func setGuess(_ speech: String) {
        guess = SpeechSpacing.tidied(speech)
        if !guess.isEmpty, anchor == nil { content.anchor = placeOfSpeech }
    }

    /// Ends the utterance: the final replaces the guess. An empty final withdraws it. Each sentence of it can be undone by itself.
    ///
    /// - Parameters:
    ///   - speech: the final.
    ///   - heard: the recognized words, if the text rules have made the final from them; it may have line breaks then. The first undo
    ///     brings these words back, the next ones remove the sentences that were made from them.
    mutating func acceptFinal(_ speech: String, heard: String? = nil) {
        let speech = heard == nil ? SpeechSpacing.tidied(speech) : SpeechSpacing.tidiedLines(speech)
        var heard = heard.map(SpeechSpacing.tidied)
        if heard == speech || heard == "" { heard = nil }
        if !speech.isEmpty { finals.append(speech) }
        let place = placeOfSpeech
        guess = ""
        if !speech.isEmpty || heard != nil { save() }
        content.anchor = nil
        for said in MemoContent.beginnings(of: speech) + [heard].compactMap({ $0 }) {
            var version = content
            version.put(said, at: place)
            versions.save(version)
        }
        content.put(speech, at: place)
    }

    /// Accepts the guess as final, because no more results come.
    mutating func settle() { acceptFinal(guess) }

    /// Ends the present utterance, which is the command to take back the last final, and removes that. Speech that follows at once goes to
    /// its place.
    ///
    /// - Parameter range: the place of the final in UTF-8 bytes of `text`, with the space that was put before it.
    mutating func takeBack(_ range: Range<Int>) {
        guess = ""
        content.anchor = nil
        save()
        content.replace(range, with: "")
        content.speechEnd = cursor == range.lowerBound ? nil : range.lowerBound
        wantedColumn = nil
    }

    /// Removes the last character of the sentence that was said last.
    mutating func removeEndOfLastSpoken() {
        save()
        content.shortenSpoken()
    }

    /// Notes a pause after the last final: the next speech begins at the cursor.
    mutating func endSpeech() {
        if content.speechEnd != cursor { content.speechEnd = nil }
    }

    // MARK: Editing

    /// Inserts typed or pasted text at the cursor. Line breaks of all kinds become newlines; other control characters except tabs are left
    /// out. A word that is begun directly after speech, or where the cursor was moved behind a sentence, gets a space before it.
    ///
    /// - Parameter run: the kind of run that it is part of; nil when it is undone by itself.
    mutating func insert(_ typed: String, as run: Run? = .typing, time: Double = 0) {
        var typed = Self.cleaned(typed)
        if !typed.isEmpty {
            let isBehindFinal = content.speechEnd == cursor || !finals.isEmpty && self.run == nil && isBehindSentence
            if isBehindFinal, SpeechSpacing.isSpaced(typed, behindSpeech: text[..<index(cursor)]) {
                typed = " " + typed
            }
            save(as: run, time: time)
            content.replace(cursor..<cursor, with: typed, isBehindSpeech: isBehindSpeech)
            content.speechEnd = nil
        }
        wantedColumn = nil
    }

    /// Whether nothing but white space follows the full stop, or a mark like it, behind which the cursor is.
    private var isBehindSentence: Bool {
        let (left, right) = (text[..<index(cursor)], text[index(cursor)...])
        return left.last.map { ".?!…".contains($0) } == true && left.dropLast().last?.isLetter == true
            && right.first?.isWhitespace ?? true
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

    /// Deletes from the cursor to `other`, in UTF-8 bytes, and keeps the deleted text to be yanked.
    ///
    /// - Parameter joins: whether the key before was a kill too; the texts are then yanked as one.
    mutating func kill(to other: Int, joins: Bool) {
        let killed = text[index(min(cursor, other))..<index(max(cursor, other))]
        if !killed.isEmpty { kills.add(String(killed), isForward: other > cursor, joins: joins) }
        delete(to: other)
    }

    /// Inserts the text that was killed last at the cursor.
    ///
    /// - Returns: the place of the text, in UTF-8 bytes; nil when nothing was killed.
    mutating func yank() -> Range<Int>? {
        guard let text = kills.newest() else { return nil }
        let start = cursor
        insert(text, as: nil)
        return start..<cursor
    }

    /// Replaces the yanked text in `range` with the text that was killed before it.
    ///
    /// - Returns: the place of the new text, in UTF-8 bytes; nil when nothing was killed.
    mutating func yankPrevious(inPlaceOf range: Range<Int>) -> Range<Int>? {
        guard let text = kills.previous() else { return nil }
        save()
        let isBehindSpeech = anchor == range.lowerBound
        content.replace(range, with: "")
        content.cursor = range.lowerBound
        content.replace(range.lowerBound..<range.lowerBound, with: text, isBehindSpeech: isBehindSpeech)
        return range.lowerBound..<cursor
    }

    /// Takes the last change back. The cursor goes to where it was before that.
    mutating func undo() { become(versions.undo(from: content)) }

    /// Takes the last undo back. The cursor goes to where it was before that.
    mutating func redo() { become(versions.redo(from: content)) }

    private mutating func become(_ version: MemoContent?) {
        guard let version else { return }
        content.become(version)
        (run, wantedColumn) = (nil, nil)
    }

    /// Moves the cursor.
    ///
    /// - Parameter column: the column that it comes back to, when it moves up or down.
    mutating func move(to offset: Int, wanting column: Int? = nil) {
        (content.cursor, content.speechEnd) = (offset, nil)
        (run, wantedColumn) = (nil, column)
    }

    /// Saves a version for undo, before a change, unless the change continues a run, which is undone as one.
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
