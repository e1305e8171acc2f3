// Which windows wait for the next ones: sentences that are cut, and turns in one language.
extension DictationDesk {
    /// Joins the sentence that goes on behind the end of a window, once the texts of both sides and of the speech around are known.
    ///
    /// - Returns: whether nothing is waited for.
    private mutating func hasSentence(acrossEndOf index: Int, _ now: Duration, _ actions: inout [Action]) -> Bool {
        if isCutInSentence(index) {
            guard windows[index + 1].isChecked else { return false }
            askForSentence(before: index + 1, now, &actions)
        }
        guard case .cut(let isToEnd) = windows[index].retry else { return true }
        if windows[index].isDecided { joinSentence(acrossEndOf: index, isToEnd: isToEnd) }
        return windows[index].isDecided
    }

    /// Whether a window ends where a sentence may go on, and the text of that was not asked for. A model ends all that it hears with a full stop,
    /// so that is no evidence where there is no pause.
    private func isCutInSentence(_ index: Int) -> Bool {
        // Who waits for each sentence does not wait for what is behind it.
        guard windows[index].endsAtCut, turns == nil, !settings.finalizesFrequently, index + 1 < windows.count,
            windows[index + 1].floor == windows[index].ceiling, let last = windows[index].draft?.text.words.last
        else { return false }
        return windows[index + 1].beginsWithoutPause || !SentenceEnd.isFound(in: last.text) || last.text.hasSuffix("..")
    }

    /// Asks for the text of the speech around the beginning of a window if a sentence goes on there. What is asked for does not depend on whether
    /// the sentence at the other end of the window before is joined.
    mutating func askForSentence(before next: Int, _ now: Duration, _ actions: inout [Action]) {
        let (index, behind) = (next - 1, windows[next])
        guard index >= 0, isCutInSentence(index) else { return }
        let window = windows[index]
        let (least, most) = (Self.samples(Self.leastAround), Self.samples(Self.mostAround))
        if window.end - window.start < 2 * most, index > 0, !windows[index - 1].isReady { return }
        windows[index].endsAtCut = false
        guard window.failure == nil, !window.isNonsense, behind.failure == nil,
            behind.draft?.text.words.isEmpty == false
        else { return }
        let isToEnd = behind.end < window.end + most
        let start =
            window.start > window.end - most
            ? lead(of: window) : self.start(in: window.end - most..<window.end - least, window.pauses)
        let end =
            isToEnd
            ? min(behind.end + Self.samples(Self.surroundings), behind.ceiling)
            : self.end(in: window.end + least..<window.end + most, behind.pauses)
        (windows[index].retry, windows[index].isDecided) = (.cut(isToEnd: isToEnd), false)
        ask(
            index, about: window.speech + behind.speech, in: start..<end, .final, now,
            language: settings.hasLanguages ? window.draft?.text.language : nil, &actions)
    }

    /// The speech on each side of a cut that is decoded for the sentence across it, in seconds.
    private static let (leastAround, mostAround) = (8.0, 12.0)
    /// The most letters that the text of both sides may have more: those of a word at the cut that stands there twice, and of what a model makes
    /// of a part of one.
    private static let mostLeftOut = 20

    /// Joins the texts of a window and of the next one by that of the speech around the cut, and divides the words at the end of a sentence.
    private mutating func joinSentence(acrossEndOf index: Int, isToEnd: Bool) {
        let (window, next) = (windows[index], windows[index + 1])
        // Farther from the cut, a sentence may end in what is asked for at the other end of the next window.
        let reach = window.end - Self.samples(Self.mostAround)...window.end + Self.samples(Self.mostAround)
        guard let around = window.around, let before = window.draft, let behind = next.draft,
            let sentence = CutSentence(before.text, around, behind.text, isToEnd: isToEnd, reach: reach),
            before.text.letterCount + behind.text.letterCount - sentence.text.letterCount <= Self.mostLeftOut
        else { return }
        let cut = sentence.text.words[sentence.end].range.lowerBound
        guard window.start < cut, cut < next.end else { return }
        let speech = window.speech + next.speech
        // The texts have the same word at other times, so a hole where they meet is no pause.
        let text = sentence.text.withoutHoles(in: speech)
        windows[index].draft?.replace(text.prefix(sentence.end))
        windows[index + 1].draft?.replace(text.dropFirst(sentence.end))
        (windows[index + 1].beginsWithoutPause, windows[index + 1].textBefore) = (false, nil)
        (windows[index].speech, windows[index].ceiling) = (speech.before(cut), cut)
        (windows[index + 1].speech, windows[index + 1].floor) = (speech.after(cut), cut)
    }

    /// Joins windows in one language, and says which are final as they are.
    mutating func joinTurns(_ now: Duration, _ actions: inout [Action]) {
        var first = 0
        while first < windows.count, windows[first].isChecked {
            if !windows[first].isReady {
                guard hasSentence(acrossEndOf: first, now, &actions) else { return }
                guard let count = turns.map({ $0.count(windows[first...], heard: heard) }) ?? 1 else { return }
                let group = windows[first..<first + count]
                if group.count(where: { $0.draft?.text.words.isEmpty == false }) > 1 {
                    windows.replaceSubrange(first..<first + count, with: [SpeechWindow(joining: Array(group))])
                    let (end, language) = (windows[first].end, windows[first].draft?.text.language)
                    request(first, through: end, .final, now, language: language, &actions)
                } else {
                    for index in first..<first + count { windows[index].isReady = true }
                }
            }
            first += 1
        }
    }
}
