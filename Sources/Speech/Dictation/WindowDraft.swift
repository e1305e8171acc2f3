/// The last plausible text of a window, which a better one may replace. It is pure.
struct WindowDraft: Equatable {
    var text: PlacedText
    var confidence: Double?
    /// The end of the speech that was decoded; -1 where the text is shown, and never final.
    var end: Int64
    /// Whether it ended at a pause.
    var endsAtPause: Bool
    /// Whether the engine has heard it in a hurry, so that it does not decide a window.
    var isRough: Bool
    /// The words that are shown, which change less than the text.
    var shown: [Hypothesis.Word]
    /// The last word, which is not shown.
    private var hidden: Hypothesis.Word?
    /// The number of the first words that are from a draft before.
    private var keptCount = 0
    /// Whether the next guess is about all speech, as where a text of its end did not meet this one.
    var isLeftBehind = false

    init(text: PlacedText, confidence: Double?, end: Int64, endsAtPause: Bool, isRough: Bool = false) {
        (self.text, self.confidence, self.end) = (text, confidence, end)
        (self.endsAtPause, self.isRough) = (endsAtPause, isRough)
        shown = text.words
    }

    /// Forgets the first words.
    mutating func dropFirst(_ count: Int) {
        text = text.dropFirst(count)
        shown = text.words
        keptCount = max(0, keptCount - count)
    }

    /// Notes that it is the text of other speech than the window's, by a word at its beginning: it is shown, never final, and no text of the
    /// end of the speech continues it.
    mutating func isOfOtherSpeech() { (end, isLeftBehind) = (-1, true) }

    /// Replaces the text by one of the same speech.
    mutating func replace(_ text: PlacedText) { (self.text, shown) = (text, text.words) }

    /// Appends the draft of the speech behind.
    mutating func append(_ other: WindowDraft) {
        replace(text.appending(other.text))
        confidence = [confidence, other.confidence].compactMap { $0 }.min()
        end = other.end
    }

    /// Returns the first words, to be shown while speech up to `end` is decoded by itself.
    func prefix(_ count: Int, end: Int64) -> WindowDraft {
        WindowDraft(text: text.prefix(count), confidence: confidence, end: end, endsAtPause: true, isRough: isRough)
    }

    /// Hides the last word: where speech goes on, so may the word, and it is often heard otherwise once it has ended. A word in its place that
    /// was shown before, as in a pause, is not hidden, nor is the only one.
    mutating func hideLastWord(unlessShownIn old: WindowDraft?) {
        if shown.count > max(1, old?.shown.count ?? 0) { hidden = shown.removeLast() }
    }

    /// Shows the word that was hidden.
    ///
    /// - Returns: whether there was one.
    mutating func showLastWord() -> Bool {
        guard let word = hidden else { return false }
        (shown, hidden) = (shown + [word], nil)
        return true
    }

    /// The words that are shown, and the one that is hidden.
    var steady: [Hypothesis.Word] { shown + [hidden].compactMap { $0 } }

    /// The end of the speech that the shown words are about.
    var shownEnd: Int64 { hidden?.range.lowerBound ?? end }

    /// Whether it ends with a sentence of whose text the model is sure.
    var endsSentence: Bool {
        DecodedText.isSure(confidence) && text.words.last.map { SentenceEnd.isFound(in: $0.text) } ?? false
    }

    /// Whether the words before a place, by which agreement is judged, are not from a draft before.
    func isNew(before place: Int) -> Bool { place >= keptCount + (keptCount > 0 ? Agreement.shortest : 0) }

    /// Returns the draft of the end of the speech behind the words of an earlier draft; nil where they don't meet.
    func continuing(_ old: WindowDraft) -> WindowDraft? {
        guard let seam = Agreement(old.text, text).seam() else { return nil }
        var whole = self
        // A model begins all that it hears with a capital, also in the middle of a sentence: the first word of both is the earlier one.
        whole.text = old.text.prefix(seam.old + 1).appending(text.dropFirst(seam.new + 1))
        (whole.shown, whole.keptCount, whole.isRough) = (whole.text.words, seam.old, true)
        return whole
    }
}
