/// Speech that the text rules have written.
extension MemoText {
    /// Ends the utterance as `acceptFinal` does. The text begins with a capital at the beginning of a sentence. If the speech is the command to take back the utterance before it, and that one is unchanged, both go.
    mutating func acceptWritten(_ speech: WrittenSpeech) {
        if speech.takesBack, takeBack() { return }
        if speech.text.first.map(Self.marks.contains) == true { removeMark() }
        acceptFinal(beginsSentence ? speech.text : speech.textInsideSentence, heard: speech.heard)
    }

    /// Whether the next final begins a sentence.
    private var beginsSentence: Bool {
        let before = text[..<index(placeOfSpeech)]
        guard let last = before.last(where: { !$0.isWhitespace || $0.isNewline }) else { return true }
        if last.isNewline { return true }
        // A closing quotation mark or bracket may follow the full stop.
        let end = before.last { !$0.isWhitespace && !"\"'”’»)]".contains($0) }
        return end.map { ".!?…。！？".contains($0) } ?? true
    }

    private static let marks: Set<Character> = [".", ",", "?", "!", ";", ":"]

    /// Removes the mark at the end of the utterance before, which the recognizer has written, for the user says which mark stands there.
    private mutating func removeMark() {
        guard let said = takeable.last, said.count > 1, let mark = said.last, Self.marks.contains(mark) else { return }
        let before = text[..<index(placeOfSpeech)]
        guard before.hasSuffix(said) else { return }
        let end = placeOfSpeech
        removeEndOfLastFinal(end - mark.utf8.count..<end)
    }

    /// Removes the utterance before the present one, with the space before it.
    ///
    /// - Returns: whether the utterance was there, unchanged.
    private mutating func takeBack() -> Bool {
        guard let said = takeable.last else { return false }
        let before = text[..<index(placeOfSpeech)]
        let end =
            before.lastIndex { !$0.isWhitespace || $0.isNewline }.map { before.index(after: $0) } ?? before.startIndex
        guard before[..<end].hasSuffix(said) else { return false }
        var start = before[..<end].index(end, offsetBy: -said.count)
        if start > before.startIndex, text[text.index(before: start)] == " " { start = text.index(before: start) }
        takeBack(offset(start)..<offset(end))
        return true
    }
}
