// Where speech is cut into windows, and windows are divided.
extension DictationDesk {
    /// The longest window, in seconds; two less than Whisper's, for the sound around it.
    static let longest = 28.0
    /// The longest pause that is decoded, in seconds; longer ones are shortened to it. Behind a longer one Whisper's small models may
    /// hear nothing more. With 0.6 to 1.5 s, they heard more words wrong in speech without such pauses.
    private static let longestPause = 2.0
    /// How often a window with doubtful text is divided.
    static let mostDivisions = 4
    /// How often it is divided where there is no pause, and the shortest speech that is, in seconds.
    static let (mostQuietDivisions, shortestDivided) = (3, 3.0)

    /// Returns a range of the stream without the middle of its long pauses.
    static func sound(_ range: Range<Int64>, _ speech: [Range<Int64>]) -> [Range<Int64>] {
        let longest = samples(longestPause)
        let cuts = zip(speech, speech.dropFirst()).filter { $1.lowerBound - $0.upperBound > longest }
            .map { ($0.upperBound + longest / 2)..<($1.lowerBound - longest / 2) }
        return zip([range.lowerBound] + cuts.map(\.upperBound), cuts.map(\.lowerBound) + [range.upperBound])
            .map { $0..<$1 }
    }

    /// Closes the first part of the open window when that is longer than a model takes.
    mutating func cutIfTooLong(_ heard: Int64, _ actions: inout [Action], _ now: Duration) {
        let longest = Self.samples(Self.longest)
        while open.end - open.start > longest {
            let time = SpeechTime(Self.sound(open.start..<open.end, open.speech))
            guard time.length > longest else { return }
            let limit = time.position(at: longest, isEnd: true)
            let middle = time.position(at: longest / 2, isEnd: true)
            let pauses = open.pauses.filter { $0.lowerBound <= limit }
            // A window that is not short: a model recognizes speech better after other speech.
            let best =
                endOfSentence(in: open.start + Self.samples(Self.shortestPart)..<limit)
                ?? pauses.filter { $0.lowerBound >= middle }
                .max { ($0.count, $0.lowerBound) < ($1.count, $1.lowerBound) } ?? pauses.last
            divide(windows.count - 1, at: best ?? quietMoment(of: limit - Self.samples(Self.longest / 2)..<limit))
            let closed = windows.count - 2
            windows[closed].isClosed = true
            windows[closed].endsAtCut = true
            cut = windows[closed].end
            if !isOnItsWay(windows[closed]) { request(closed, through: cut, .final, now, &actions) }
            actions.append(.guess)
        }
    }

    /// Returns the last pause in a range at which a sentence of the open window's draft ends; nil where none does, or the text must not
    /// depend on when drafts come.
    private func endOfSentence(in range: Range<Int64>) -> Range<Int64>? {
        guard settings.finalizesFrequently, let draft = open.draft, draft.end >= 0 else { return nil }
        return draft.text.pauses.last { pause in
            pause.isNear && range.contains(pause.range.lowerBound) && open.pauses.contains(pause.range)
                && SentenceEnd.isFound(in: draft.text.words[pause.word - 1].text)
        }?.range
    }

    /// Returns an empty pause where a range is quiet.
    func quietMoment(of range: Range<Int64>) -> Range<Int64> {
        let moment = quietest(range)
        return moment..<moment
    }

    /// Divides a window at a pause, or where it must end, which may be within a word, and its draft with it. Both parts are to be decoded
    /// again.
    mutating func divide(_ index: Int, at pause: Range<Int64>) {
        var first = windows[index]
        var second = first
        first.speech = first.speech.before(pause.lowerBound)
        second.speech = second.speech.after(pause.upperBound)
        (first.ceiling, first.isLast, first.endsAtCut) = (pause.middle, false, false)
        second.floor = first.ceiling
        (second.request, second.askedThrough, second.earlier) = (nil, .min, nil)
        // Neither is so of the second part: no text of it was decoded, and none ends before it.
        (second.retry, second.textBefore) = (nil, nil)
        second.beginsWithoutPause = pause.count < Self.samples(Self.shortPause)
        if let draft = first.draft {
            let count = draft.text.words.count(before: pause)
            // The words' times are not exact: one at the pause may be in neither part. So the draft is shown, and never final.
            first.draft = draft.prefix(count, end: -1)
            second.draft?.dropFirst(count)
            second.draft?.isOfOtherSpeech()
            let place = draft.shown.count(before: pause)
            first.draft?.shown = Array(draft.shown[..<place])
            second.draft?.shown = Array(draft.shown[place...])
        }
        windows.replaceSubrange(index...index, with: [first, second])
    }

    /// Divides the open window at a pause, and closes its first part.
    ///
    /// - Parameters:
    ///   - draft: the new draft of the window, whose first words are shown for the first part.
    ///   - end: the end of the speech that they are the text of; -1 if they are not final, as where the place is not exact.
    /// - Returns: the index of the first part.
    mutating func divideOpen(
        _ draft: WindowDraft, before pause: PlacedText.Pause, heardThrough end: Int64
    ) -> Int {
        divide(windows.count - 1, at: pause.range)
        let index = windows.count - 2
        windows[index].isClosed = true
        windows[index].draft = draft.prefix(pause.word, end: end)
        cut = pause.range.lowerBound
        return index
    }

    /// Divides a window with doubtful text, whose parts are decoded again.
    ///
    /// - Returns: false for one that is too short for that.
    mutating func divideDoubtful(_ index: Int, _ now: Duration, _ actions: inout [Action]) -> Bool {
        let window = windows[index]
        let isLong = window.seconds >= Self.shortestDivided && window.depth < Self.mostQuietDivisions
        let quarter = (window.end - window.start) / 4
        let middle = window.start + quarter..<window.end - quarter
        guard window.depth < Self.mostDivisions,
            let longest = window.pauses.max(by: { $0.count < $1.count }) ?? (isLong ? quietMoment(of: middle) : nil)
        else { return false }
        divide(index, at: longest)
        for part in [index, index + 1] {
            windows[part].depth += 1
            windows[part].draft = nil
            request(part, through: windows[part].end, .final, now, &actions)
        }
        return true
    }
}
