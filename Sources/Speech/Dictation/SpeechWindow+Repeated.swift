// Words that stand at the end of one window and at the beginning of the next.
extension SpeechWindow {
    /// Returns how many of its first words are those before it once more: the word at which speech was divided without a pause, or
    /// the end of a text for which the model had too early a time.
    func repeatedCount(in words: [Hypothesis.Word], after last: @autoclosure () -> [String]) -> Int {
        guard textBefore != nil || beginsWithoutPause else { return 0 }
        let last = last().map(WordAlignment.normalized)
        let first = Array(words.prefix(last.count)).normalized
        if let before = textBefore, first.count >= PlacedText.fewestEchoed,
            let count = (PlacedText.fewestEchoed...first.count).last(where: { last.suffix($0) == first.prefix($0) }),
            Self.isEcho(words[..<count], of: before, in: speech)
        {
            return count
        }
        if let before = textBefore, seconds < PlacedText.leastUnheard, !words.isEmpty,
            last.suffix(words.count) == first[...], first.count == words.count,
            Self.isTooLittleToTell(words, of: before) || Self.isEcho(words[...], of: before, in: speech)
        {
            return words.count
        }
        return beginsWithoutPause && first.first == last.last && first.first?.isEmpty == false ? 1 : 0
    }

    /// Whether words are so small a part of the text before that their time changes its rate too little to tell: they are taken for an echo.
    private static func isTooLittleToTell(_ words: [Hypothesis.Word], of before: (letters: Int, seconds: Double))
        -> Bool
    {
        Double(PlacedText.letterCount(of: words)) <= shareOfLittle * Double(before.letters)
    }

    /// The greatest share of the letters of the text before that is too little.
    private static let shareOfLittle = 0.25

    /// Whether words that end the text before are those of this speech, and not said twice: the speech before is then long enough for
    /// the other words only. People speak at much the same rate in both, so the nearer rate decides.
    private static func isEcho(
        _ words: ArraySlice<Hypothesis.Word>, of before: (letters: Int, seconds: Double), in speech: [Range<Int64>]
    ) -> Bool {
        let letters = PlacedText.letterCount(of: words)
        let range = words[0].range.lowerBound..<max(words[0].range.lowerBound, words[words.count - 1].range.upperBound)
        let seconds = speech.seconds(in: range)
        guard seconds > 0, before.seconds > 0 else { return true }
        let rate = Double(letters) / seconds
        let rateOfAll = Double(before.letters) / before.seconds
        let rateOfOthers = Double(max(0, before.letters - letters)) / before.seconds
        return rateOfAll * rateOfOthers > rate * rate
    }
}
