/// The sentences at the beginning of a window that two of its drafts in a row have in common (local agreement). It is pure.
struct AgreedSentences {
    private let old: WindowDraft
    private let new: WindowDraft
    private let agreement: Agreement

    /// The sound after a sentence without which its end may change, in seconds.
    private static let shortestRest = 0.5
    /// The most words that are shown after a sentence that becomes final: they leave the screen for a moment.
    private static let mostWordsAfter = 2
    /// The shortest pause at which a sentence ends for sure, in seconds.
    private static let surePause = 0.2
    /// The shortest word, in seconds.
    private static let shortestWord = 0.2

    init(_ old: WindowDraft, _ new: WindowDraft) {
        (self.old, self.new) = (old, new)
        agreement = Agreement(old.text, new.text)
    }

    /// The last pause at which one of them ends for sure.
    var sureEnd: PlacedText.Pause? {
        new.text.pauses.last { pause in
            guard let rest = wordsAfter(pause.word, until: pause.range.upperBound) else { return false }
            let isClear = pause.range.count >= DictationDesk.samples(Self.surePause) && pause.isNear
            return rest == 0 && isHeard(before: pause) || rest <= Self.mostWordsAfter && isClear
        }
    }

    /// Whether the old draft is of the speech up to a pause. Where the model means another place, it must be of no speech behind, or a pause
    /// within the sentence would be taken for its end, and the sentence's last words be final twice.
    private func isHeard(before pause: PlacedText.Pause) -> Bool {
        let latest = pause.range.upperBound + DictationDesk.samples(Self.shortestWord)
        return old.end >= pause.range.lowerBound && (pause.isNear || old.end <= latest)
    }

    /// Returns the last place at which one of them ends: a pause, or the quietest moment beside the model's own time.
    func likelyEnd(quietest: (Range<Int64>) -> Int64) -> PlacedText.Pause? {
        let near = DictationDesk.samples(PlacedText.nearby)
        let pause = new.text.pauses.last { $0.isNear && wordsAfter($0.word, until: $0.range.upperBound) != nil }
        let boundary = new.text.boundaries.last { wordsAfter($0.word, until: $0.range.lowerBound + near) != nil }
        guard let boundary, boundary.word > pause?.word ?? 0 else { return pause }
        let moment = quietest(boundary.range.lowerBound - near..<boundary.range.lowerBound + near)
        return PlacedText.Pause(word: boundary.word, range: moment..<moment)
    }

    /// Returns how many words the old draft has after a place in the new one; nil where not both have a sentence that ends there.
    private func wordsAfter(_ place: Int, until time: Int64) -> Int? {
        guard SentenceEnd.isFound(in: new.text.words[place - 1].text), new.isNew(before: place),
            time < new.end - DictationDesk.samples(Self.shortestRest)
        else { return nil }
        return agreement.place(before: place).map { old.text.words.count - $0 }
    }
}
