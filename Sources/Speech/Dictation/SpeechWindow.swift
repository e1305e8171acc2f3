/// Speech that is decoded together, as a `DictationDesk` sees it: its ranges, what was asked about it, and the text so far. It is pure
/// state. Positions are in samples of the stream.
struct SpeechWindow {
    /// The ranges of speech. The last one of the open window may go on.
    var speech: [Range<Int64>]
    /// The first sample that may be decoded with it.
    var floor: Int64
    /// The end of what may be decoded with it, which does not depend on when that is done: sound that comes after a finish is
    /// never decoded with what was before.
    var ceiling = Int64.max
    var isClosed = false
    var request: WindowRequest?
    var draft: WindowDraft?
    /// The last draft that ended at an earlier pause.
    var earlier: WindowDraft?
    /// The end of the speech for which a decoding at a pause was requested.
    var askedThrough: Int64 = .min
    /// The end of the speech whose text was requested before the window closed.
    var settledThrough: Int64 = .min
    /// Where the end of the speech begins that is decoded for a guess, while the speech is too long for a short window.
    var tailStart: Int64 = .min
    /// How often it was divided because its text was doubtful.
    var depth = 0
    /// Whether no pause is before it, so that its first word may be the end of the one before.
    var beginsWithoutPause = false
    /// For speech behind the end of a text, which may have been that of this speech, too: the letters of that text, and the seconds of the
    /// speech before this.
    var textBefore: (letters: Int, seconds: Double)?
    /// Why its speech was decoded once more, after it had a text; nil if it was not.
    var retry: Retry?
    /// Whether speech goes on behind it, since it is as long as a model takes.
    var endsAtCut = false
    /// The text of the speech around its end, where a sentence goes on there.
    var around: PlacedText?
    /// Whether nothing is left for which it might be decoded once more by itself.
    var isChecked = false
    /// Whether all that was heard became final behind it, so that nothing is joined with its end.
    var isLast = false
    /// Whether it is joined with nothing more.
    var isReady = false
    /// The failure that decides a closed window.
    var failure: DecodingOutcome.Failure?
    /// Whether all texts of it were doubtful.
    var isNonsense = false
    var isDecided = false
    /// Whether nobody waits for more than the draft.
    var isSettled = false

    enum Retry: Equatable {
        /// The language that was detected may be wrong: it is decoded in that of the stream.
        case language
        /// It is several windows in one language, which are decoded as one; with the number of the words of each.
        case joined([Int])
        /// Much of it has few words: what is before a pause in it is decoded by itself.
        case before(Range<Int64>)
        /// What is behind the pause is decoded by itself; with the draft of what is before it.
        case behind(Range<Int64>, WindowDraft?)
        /// A short end of it, behind a pause, is decoded by itself.
        case answer(Range<Int64>)
        /// What is before that pause is decoded by itself; with the draft of the end.
        case sentence(Range<Int64>, WindowDraft)
        /// Its last sentence goes on in the next window: the speech around the cut is decoded by itself; with whether it ends with that window.
        case cut(isToEnd: Bool)
    }

    init(speech: [Range<Int64>], floor: Int64) { (self.speech, self.floor) = (speech, floor) }

    /// Joins windows, whose text is that of each until there is one of all.
    init(joining turns: [SpeechWindow]) {
        self = turns[0]
        speech = turns.flatMap(\.speech)
        (ceiling, isLast) = (turns[turns.count - 1].ceiling, turns[turns.count - 1].isLast)
        let drafts = turns.compactMap(\.draft)
        if var whole = drafts.first {
            for draft in drafts.dropFirst() { whole.append(draft) }
            self.draft = whole
        }
        (retry, isReady, isDecided) = (.joined(turns.map { $0.draft?.text.words.count ?? 0 }), true, false)
    }

    /// Whether it may be joined with others. What follows the end of a text was decoded with that already.
    var isJoinable: Bool { depth == 0 && failure == nil && !isNonsense && !isReady && textBefore == nil }

    var start: Int64 { speech[0].lowerBound }
    var end: Int64 { speech[speech.count - 1].upperBound }
    var seconds: Double { speech.seconds }
    /// The pauses in the speech.
    var pauses: [Range<Int64>] { speech.pauses }
    /// Whether the draft is about all speech.
    var isHeard: Bool { draft.map { $0.end >= end } ?? false }
    /// Whether the draft is the text of all speech.
    var isWhole: Bool { isHeard && draft?.isRough == false }
    /// What the draft says of speech that can't be decoded, and the end of that. In the middle of speech, the last word may be half of one: it
    /// counts only for those who did not want to wait. The times of its words may be wrong by a second, so the end is that much earlier.
    var known: (text: PlacedText, end: Int64) {
        guard let draft, let last = draft.text.words.last else { return (PlacedText(), start) }
        if draft.endsAtPause || isSettled { return (draft.text, draft.end) }
        return (
            draft.text.prefix(draft.text.words.count - 1),
            min(draft.end, last.range.lowerBound - DictationDesk.samples(1))
        )
    }
}

/// A decoding of a window, or of its end, that was asked for.
struct WindowRequest {
    var identifier: UInt64
    /// The ranges of the stream that are decoded as one sound.
    var sound: [Range<Int64>]
    /// The speech in the sound when it was requested.
    var speech: [Range<Int64>]
    var priority: EngineSchedule.Priority
    var begun: Duration
    /// Whether the sound is the end of the window's speech.
    var isTail = false
    /// Whether the answer is rough.
    var isRough = false

    /// The length of the speech, in seconds.
    var seconds: Double { speech.seconds }
    /// The end of the sound.
    var end: Int64 { sound[sound.count - 1].upperBound }

    /// Returns a text of the sound as a draft.
    func draft(_ text: DecodedText) -> WindowDraft {
        let rate = DictationDesk.sampleRate
        let placed = PlacedText(text, of: sound, speech: speech, sampleRate: rate)
        return WindowDraft(
            text: placed.withoutEcho(of: speech, sampleRate: rate), confidence: text.confidence, end: end,
            endsAtPause: priority != .guess, isRough: isRough)
    }
}

extension [Range<Int64>] {
    /// The length of ranges of samples, in seconds.
    var seconds: Double { Double(reduce(0) { $0 + $1.count }) / Double(DictationDesk.sampleRate) }

    /// The length of their parts in a range, in seconds.
    func seconds(in range: Range<Int64>) -> Double { map { $0.clamped(to: range) }.seconds }

    /// The pauses between ranges.
    var pauses: [Range<Int64>] { zip(self, dropFirst()).map { $0.upperBound..<$1.lowerBound } }

    /// The parts of ranges before a sample.
    func before(_ end: Int64) -> [Range<Int64>] {
        map { Swift.min(end, $0.lowerBound)..<Swift.min(end, $0.upperBound) }.filter { !$0.isEmpty }
    }

    /// The parts of ranges after a sample.
    func after(_ start: Int64) -> [Range<Int64>] {
        map { Swift.max(start, $0.lowerBound)..<Swift.max(start, $0.upperBound) }.filter { !$0.isEmpty }
    }
}

extension Range<Int64> {
    /// The sample in the middle.
    var middle: Int64 { (lowerBound + upperBound) / 2 }
}
