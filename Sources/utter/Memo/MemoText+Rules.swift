/// Speech that the text rules have written.
extension MemoText {
    /// Ends the utterance as `acceptFinal` does. The text begins with a capital at the beginning of a sentence. If the speech is the command to take back the utterance before it, and that one is unchanged, both go.
    mutating func acceptWritten(_ speech: WrittenSpeech) {
        if speech.takesBack, takeBack() { return }
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
