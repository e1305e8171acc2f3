// What is decoded once more after it had a text: because its language may be wrong, or words may be missing.
extension DictationDesk {
    /// Goes through the windows that are decided, in order: notes their languages, and decodes one once more that may be in another, and
    /// speech that no text is about.
    mutating func check(_ now: Duration, _ actions: inout [Action]) {
        for index in windows.indices where !windows[index].isChecked {
            guard windows[index].isDecided else { return }
            if let language = languages.last, mayBeMistaken(windows[index]) {
                // Its text stands until there is a better one.
                (windows[index].retry, windows[index].isDecided) = (.language, false)
                return request(index, through: windows[index].end, .final, now, language: language, &actions)
            }
            if decodeInParts(index, now, &actions) || askForAnswer(index, now, &actions) { return }
            divideAtEndOfText(index, now, &actions)
            let window = windows[index]
            if let text = window.draft?.text { languages.note(text, seconds: window.seconds) }
            windows[index].isChecked = true
            askForSentence(before: index, now, &actions)
        }
    }

    /// Whether a window may be in another language than the model has detected, or has written nonsense in.
    private func mayBeMistaken(_ window: SpeechWindow) -> Bool {
        guard window.retry == nil, window.failure == nil else { return false }
        return window.isNonsense ? settings.hasLanguages : languages.isDoubtful(in: window)
    }

    /// Handles the outcome for a window that had a text before.
    mutating func take(
        _ outcome: DecodingOutcome, of request: WindowRequest, _ index: Int, again retry: SpeechWindow.Retry,
        _ now: Duration, _ actions: inout [Action]
    ) {
        let draft = Self.draft(outcome, of: request, insteadOf: windows[index].draft, retry)
        switch retry {
        case .before(let pause):
            windows[index].retry = .behind(pause, draft)
            return self.request(
                index, from: max(pause.middle, pause.upperBound - Self.samples(Self.surroundings)),
                through: windows[index].end, .final, now, &actions)
        case .behind(let pause, let first): return takeParts([first, draft], of: index, at: pause, now, &actions)
        case .answer(let pause):
            guard let draft, let last = draft.text.lastWord, last != windows[index].draft?.text.lastWord else { break }
            windows[index].retry = .sentence(pause, draft)
            return self.request(index, through: pause.lowerBound, before: pause.middle, .final, now, &actions)
        case .sentence(let pause, let answer):
            takeAnswer(answer, behind: draft, of: index, at: pause)
        case .joined, .language:
            guard let draft else { break }
            windows[index].draft = draft
            windows[index].isNonsense = false
        case .cut: windows[index].around = draft?.text
        }
        windows[index].isDecided = true
    }

    /// Returns the text of a window that was decoded once more as a draft; nil where the one before is better.
    static func draft(
        _ outcome: DecodingOutcome, of request: WindowRequest, insteadOf old: WindowDraft?, _ retry: SpeechWindow.Retry
    ) -> WindowDraft? {
        guard case .text(let text) = outcome,
            case .speech(let speech) = Plausibility.judge(text, seconds: request.seconds)
        else { return nil }
        let detected = old?.confidence ?? 0
        let share =
            switch retry {
            case .language where detected >= sure: leastShareOfSure
            case .answer: leastShareOfAnswer
            default: leastShare
            }
        guard speech.confidence ?? 0 >= share * detected else { return nil }
        let draft = request.draft(speech)
        guard case .joined(let counts) = retry, let old = old?.text else { return draft }
        let isWhole = Double(draft.text.letterCount) >= leastKept * Double(old.letterCount)
        return isWhole && SpeechTurns.areKept(counts, of: old, in: draft.text) ? draft : nil
    }

    /// The least confidence in a text in the stream's language, as a share of that in the detected one, by which it is taken; and the same where
    /// the detected one is sure. Of 25 words and sentences in which Whisper base detected the wrong language, all had 0.7 in their own, and
    /// 1 was sure; sentences that it translates into the stream's language have up to 0.78, and are sure of their own.
    private static let (leastShare, leastShareOfSure, sure) = (0.7, 0.9, 0.6)
    /// The least confidence in the text of a short answer, as a share of that in the text of all: a model is less sure of a word by itself.
    private static let leastShareOfAnswer = 0.5
    /// The least text of joined turns, as a share of the letters that they have each by itself.
    private static let leastKept = 0.85

    /// Divides a window whose text ends long before its speech: what follows is decoded by itself, as Whisper's own program goes on where
    /// the last segment ended.
    private mutating func divideAtEndOfText(_ index: Int, _ now: Duration, _ actions: inout [Action]) {
        let window = windows[index]
        guard window.failure == nil, !window.isNonsense, let draft = window.draft,
            let rest = draft.text.unheard(of: window.speech).first
        else { return }
        let (before, behind) = Self.endError
        let ends = rest.lowerBound - Self.samples(before)..<rest.lowerBound + Self.samples(behind)
        let pauses = window.pauses.filter { $0.overlaps(ends) }
        let pause = pauses.max { $0.count < $1.count } ?? quietMoment(of: ends.clamped(to: window.start..<window.end))
        guard pause.lowerBound > window.start else { return }
        divide(index, at: pause)
        let (first, second) = (index, index + 1)
        windows[first].draft = draft
        windows[first].draft?.end = pause.lowerBound
        (windows[second].draft, windows[second].isDecided) = (nil, false)
        windows[second].textBefore = (draft.text.letterCount, windows[first].seconds)
        let end = windows[second].end
        request(second, through: end, .final, now, &actions)
    }

    /// How much too late and too early a model's time for the end of its text may be, in seconds.
    private static let endError = (before: 0.3, behind: 0.1)

    /// Decodes a window once more in two parts, one after the other, if much of it has few words.
    ///
    /// - Returns: whether it is decoded.
    private mutating func decodeInParts(_ index: Int, _ now: Duration, _ actions: inout [Action]) -> Bool {
        let window = windows[index]
        guard window.retry == nil, window.failure == nil, !window.isNonsense, window.depth < Self.mostDivisions,
            let stretch = window.draft?.text.sparseStretch(of: window.speech)
        else { return false }
        // The pause behind a stretch divides it from nothing.
        let pauses = window.pauses.filter { $0.overlaps(stretch) && $0.upperBound < stretch.upperBound }
        guard let pause = pauses.max(by: { $0.count < $1.count }) ?? endOfWords(in: stretch, of: window) else {
            return false
        }
        (windows[index].retry, windows[index].isDecided) = (.before(pause), false)
        request(index, through: pause.lowerBound, before: pause.middle, .final, now, &actions)
        return true
    }

    /// Returns the quietest moment near which the words of a stretch end, at people's usual pace: who speaks next may leave no pause. Nil where
    /// the window was divided often, or the stretch is short: few people say so little without a pause for long.
    private func endOfWords(in stretch: Range<Int64>, of window: SpeechWindow) -> Range<Int64>? {
        guard window.depth < Self.mostQuietDivisions, let text = window.draft?.text,
            window.speech.seconds(in: stretch) >= Self.shortestWithoutPause
        else { return nil }
        let words = text.words.filter { stretch.contains($0.range.lowerBound) }
        let length = Self.samples(Double(PlacedText.letterCount(of: words)) / Self.lettersPerSecond)
        let end = SpeechTime(window.speech, in: stretch).position(at: length, isEnd: true)
        let (before, behind) = Self.endOfWordsError
        let inner = stretch.lowerBound + Self.samples(before)..<stretch.upperBound - Self.samples(before)
        return quietMoment(of: (end - Self.samples(before)..<end + Self.samples(behind)).clamped(to: inner))
    }

    /// The letters that people say in a second, and how much too early and too late that lets words end, in seconds.
    private static let (lettersPerSecond, endOfWordsError) = (14.0, (before: 1.0, behind: 1.5))
    /// The shortest stretch that is divided without a pause, in seconds.
    private static let shortestWithoutPause = 6.0

    /// Divides a window whose parts have more text, each by itself. More may be missing in each, and one without a text is decoded once more.
    private mutating func takeParts(
        _ drafts: [WindowDraft?], of index: Int, at pause: Range<Int64>, _ now: Duration, _ actions: inout [Action]
    ) {
        windows[index].isDecided = true
        let letters = drafts.reduce(0) { $0 + ($1?.text.letterCount ?? 0) }
        guard Double(letters) >= Self.leastGain * Double(windows[index].draft?.text.letterCount ?? 0) else { return }
        windows[index].retry = nil
        divide(index, at: pause)
        for (part, draft) in zip(index..., drafts) {
            windows[part].depth += 1
            (windows[part].draft, windows[part].isDecided) = (draft, draft != nil)
            if draft == nil { request(part, through: windows[part].end, .final, now, &actions) }
        }
    }

    /// The least text of both parts, as a share of that of the whole, for which that is given up.
    private static let leastGain = 1.25

    /// Decodes a short end of a window by itself. A model may leave out an answer behind a sentence, and give its time to the sentence's last words.
    ///
    /// - Returns: whether it is decoded.
    private mutating func askForAnswer(_ index: Int, _ now: Duration, _ actions: inout [Action]) -> Bool {
        let window = windows[index]
        guard window.retry == nil, window.failure == nil, !window.isNonsense, window.depth < Self.mostDivisions,
            let text = window.draft?.text, text.lastWord != nil, text.unheard(of: window.speech).isEmpty,
            let pause = window.pauses.last(where: { $0.count >= PlacedText.shortestPauseBeforeAnswer }),
            window.speech.after(pause.upperBound).seconds < PlacedText.leastUnheard,
            window.speech.before(pause.lowerBound).seconds >= PlacedText.leastUnheard
        else { return false }
        // Where the text at that pause ended with another word, this one has more.
        if let earlier = window.earlier, pause.contains(earlier.end), earlier.text.lastWord != text.lastWord {
            return false
        }
        (windows[index].retry, windows[index].isDecided) = (.answer(pause), false)
        request(
            index, from: max(pause.middle, pause.upperBound - Self.samples(Self.surroundings)), through: window.end,
            .final, now, &actions)
        return true
    }

    /// Divides a window at the pause before its short end, if what is before has all the words of the whole, up to the last one.
    private mutating func takeAnswer(
        _ answer: WindowDraft, behind sentence: WindowDraft?, of index: Int, at pause: Range<Int64>
    ) {
        guard let sentence, let old = windows[index].draft?.text, sentence.text.lastWord == old.lastWord,
            Double(sentence.text.letterCount) >= Self.leastKept * Double(old.letterCount)
        else { return }
        windows[index].retry = nil
        divide(index, at: pause)
        for (part, draft) in [(index, sentence), (index + 1, answer)] {
            windows[part].depth += 1
            (windows[part].draft, windows[part].isDecided) = (draft, true)
        }
    }
}
