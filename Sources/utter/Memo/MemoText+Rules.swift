extension MemoText {
    /// Ends the utterance as `acceptFinal` does. The text begins with a capital at the beginning of a sentence. If the speech is the command to take back the sentence before it, and that one is unchanged, both go.
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

    /// Removes the mark at the end of the sentence before, which the recognizer has written, for the user says which mark stands there.
    private mutating func removeMark() {
        guard let said = lastSpoken, said.upperBound == placeOfSpeech else { return }
        let words = text[index(said.lowerBound)..<index(said.upperBound)]
        guard words.count > 1, let mark = words.last, Self.marks.contains(mark) else { return }
        removeEndOfLastSpoken()
    }

    /// Removes the sentence before the present utterance, with the space that was put before it, but nothing that was typed.
    ///
    /// - Returns: whether the sentence was there, unchanged.
    private mutating func takeBack() -> Bool {
        guard let said = lastSpoken, said.upperBound <= placeOfSpeech,
            text[index(said.upperBound)..<index(placeOfSpeech)].allSatisfy({ $0.isWhitespace && !$0.isNewline })
        else { return false }
        takeBack(said)
        return true
    }
}
