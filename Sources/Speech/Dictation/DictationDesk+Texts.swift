// What becomes of the text of a request.
extension DictationDesk {
    /// The length of an open window, in seconds, from which sentences without a sure end are decoded by themselves, and the shortest part
    /// of it that is.
    static let (comfortable, shortestPart) = (10.0, 5.0)

    /// Handles the outcome of a request.
    mutating func take(_ outcome: DecodingOutcome, of identifier: UInt64, now: Duration) -> [Action] {
        guard let index = windows.firstIndex(where: { $0.request?.identifier == identifier }),
            var request = windows[index].request
        else { return [] }
        windows[index].request = nil
        if request.priority.isGuess {
            pace.note(from: request.begun, to: now)
        }
        var actions: [Action] = []
        if let retry = windows[index].retry {
            take(outcome, of: request, index, again: retry, now, &actions)
            return actions + deliver(now)
        }
        switch outcome {
        case .text(let text):
            request.isRough = text.isRough
            if text.isRough { guessesRoughly = true }
            take(Plausibility.judge(text, seconds: request.seconds), index, request, now, &actions)
        case .failed(.refused(.repetition)), .failed(.refused(.length)):
            take(.doubtful(nil), index, request, now, &actions)
        case .failed where windows[index].isClosed && request.priority == .guess:
            // A guess is decoded once; more is done for a text that becomes final.
            self.request(index, through: windows[index].end, .final, now, &actions)
        case .failed(let failure):
            guard windows[index].isClosed else { break }
            windows[index].failure = failure
            windows[index].isDecided = true
        }
        return actions + deliver(now)
    }

    mutating func take(
        _ judgement: Plausibility, _ index: Int, _ request: WindowRequest, _ now: Duration, _ actions: inout [Action]
    ) {
        switch judgement {
        case .doubtful(let text):
            // A guess that is doubtful is not shown.
            guard windows[index].isClosed else { return }
            // A guess may be doubtful because it took too long: more is done for a text that becomes final.
            if guessesRoughly || text == nil, request.priority != .final {
                self.request(index, through: windows[index].end, .final, now, &actions)
            } else if !divideDoubtful(index, now, &actions) {
                windows[index].draft = text.map { request.draft($0) }
                windows[index].isNonsense = text == nil
                windows[index].isDecided = true
            }
        case .nothing where request.isTail: break
        case .nothing:
            let nothing = WindowDraft(
                text: PlacedText(), confidence: nil, end: request.end, endsAtPause: true, isRough: request.isRough)
            set(nothing, index, now, &actions)
        case .speech(let text):
            var draft = request.draft(text)
            if request.isTail {
                guard let whole = windows[index].draft.flatMap({ draft.continuing($0) }) else {
                    windows[index].draft?.isLeftBehind = true
                    return
                }
                draft = whole
            }
            // What is agreed on leaves the open window, which stays the last.
            let isOpen = !windows[index].isClosed
            let agreed = isOpen ? agree(on: draft, now, &actions) : (words: 0, isExact: true)
            if agreed.words > 0 {
                draft.dropFirst(agreed.words)
                if !agreed.isExact { draft.isOfOtherSpeech() }
            } else if let old = windows[index].draft, request.priority.isGuess {
                draft.shown = SteadyGuess.words(
                    draft.text.words, shown: old.steady, before: request.priority == .guess ? old.text.words : nil,
                    beginsAnew: old.end < 0)
            }
            if isOpen, open.end >= heard, !draft.endsAtPause {
                draft.hideLastWord(unlessShownIn: agreed.words > 0 ? nil : windows[index].draft)
            }
            set(draft, isOpen ? windows.count - 1 : index, now, &actions)
        }
    }

    mutating func set(_ draft: WindowDraft, _ index: Int, _ now: Duration, _ actions: inout [Action]) {
        if let old = windows[index].draft, old.endsAtPause, !old.isRough, old.end < draft.end {
            windows[index].earlier = old
        }
        windows[index].draft = draft
        actions.append(.guess)
        guard windows[index].isClosed, windows[index].isHeard else { return }
        if draft.isRough {
            request(index, through: windows[index].end, .final, now, &actions)
        } else {
            windows[index].isDecided = true
        }
    }

    /// Makes the sentences final that the open window's last draft and a new one agree on. In a long window whose sentences have no sure
    /// end, they are decoded by themselves.
    ///
    /// - Returns: the number of their words, and whether the speech behind them is known exactly.
    private mutating func agree(
        on draft: WindowDraft, _ now: Duration, _ actions: inout [Action]
    ) -> (words: Int, isExact: Bool) {
        guard settings.finalizesFrequently, let old = open.draft else { return (0, true) }
        let sentences = AgreedSentences(old, draft)
        // What a text leaves out is found where the window is checked.
        if let end = sentences.sureEnd,
            end.range.lowerBound <= draft.text.sparseStretch(of: open.speech)?.lowerBound ?? .max
        {
            decide(draft, before: end, &actions)
            return (end.word, true)
        }
        guard open.seconds > Self.comfortable, let end = sentences.likelyEnd(quietest: quietest) else {
            return (0, true)
        }
        // A part that is too short would be heard worse.
        let length = end.range.lowerBound - open.start
        guard length >= Self.samples(Self.shortestPart), end.range.upperBound < open.end else { return (0, true) }
        let index = divideOpen(draft, before: end, heardThrough: -1)
        request(index, through: windows[index].end, .final, now, &actions)
        return (end.word, false)
    }

    /// Makes the words of the open window's new draft final that are before a pause.
    private mutating func decide(_ draft: WindowDraft, before pause: PlacedText.Pause, _ actions: inout [Action]) {
        let range = open.start..<pause.range.lowerBound
        let end = draft.text.prefix(pause.word)
        languages.note(end, seconds: [range].seconds)
        if windows.count > 1 {
            // It waits for those before.
            windows[divideOpen(draft, before: pause, heardThrough: range.upperBound)].isDecided = true
        } else {
            actions.append(final(end.clamped(to: range), range, open, draft.confidence))
            open.beginsWithoutPause = false
            open.speech = open.speech.filter { $0.lowerBound >= pause.range.upperBound }
            open.floor = pause.range.middle
            cut = pause.range.lowerBound
        }
    }
}
