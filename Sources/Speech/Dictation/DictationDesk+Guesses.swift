// When the open window is decoded, and from where on.
extension DictationDesk {
    /// The pause after which the open window is decoded, in seconds; longer than most within a clause.
    static let shortPause = 0.2
    /// The pause after which a rough text is replaced, in seconds: most are shorter, and the text is there before the window closes.
    private static let settledPause = 0.5
    /// The shortest new sound for which the open window is decoded again, in seconds.
    private static let shortestNews = 0.5
    /// The longest sound that a rough guess is about, in seconds, and the speech that it is about when its start moves on, at least and
    /// at most: of longer speech only the end is decoded again, behind the words that were heard before it.
    private static let (longestTail, shortTail, longTail) = (9.6, 4.0, 7.5)

    mutating func requestGuess(
        isSpeaking: Bool, pause: Int64, through heard: Int64, _ now: Duration, _ actions: inout [Action]
    ) {
        if settings.guesses == .none { return }
        if !isSpeaking {
            if guessesRoughly, pause >= Self.samples(Self.settledPause), open.request == nil, !open.isWhole,
                open.settledThrough < open.end
            {
                open.settledThrough = open.end
                return request(windows.count - 1, through: open.end, .final, now, &actions)
            }
            guard pause >= Self.samples(Self.shortPause), !open.isHeard, open.askedThrough < open.end else { return }
            // A decoding that began after the last word has heard it all.
            if let request = open.request, request.end >= open.end {
                open.askedThrough = open.end
                return
            }
            requestRough(through: open.end, .pause, now, &actions)
            open.askedThrough = open.end
            return
        }
        // The speech goes on, so its text is not the last.
        if let request = open.request, request.priority == .final {
            actions.append(.withdraw(request.identifier))
            open.request = nil
        }
        if settings.guesses == .rolling, open.request == nil, now >= pace.next {
            let known = max(open.draft?.end ?? open.start, open.start)
            guard heard - known >= Self.samples(Self.shortestNews) else { return }
            requestRough(through: heard, .guess, now, &actions)
        }
    }

    /// Requests a guess at the open window: at all speech, or at its end if that is much sooner decoded.
    private mutating func requestRough(
        through end: Int64, _ priority: EngineSchedule.Priority, _ now: Duration, _ actions: inout [Action]
    ) {
        let longest = Self.samples(Self.longestTail)
        let isLong = end - lead(of: open) > longest
        guard guessesRoughly, isLong, let draft = open.draft, !draft.isLeftBehind else {
            return request(windows.count - 1, through: end, priority, now, &actions)
        }
        if open.tailStart <= open.start || end - open.tailStart > longest { open.tailStart = tailStart(before: end) }
        request(windows.count - 1, from: open.tailStart, through: end, priority, now, &actions)
    }

    /// Returns where the end of the open window may begin: at its longest pause within a few seconds, or else where it is quiet.
    private func tailStart(before end: Int64) -> Int64 {
        start(in: end - Self.samples(Self.longTail)..<end - Self.samples(Self.shortTail), open.pauses)
    }

    /// Returns where speech may begin that is decoded by itself: at the longest of the pauses that end in a range, or else where it is quiet.
    func start(in range: Range<Int64>, _ pauses: [Range<Int64>]) -> Int64 {
        let longest = pauses.filter { range.contains($0.upperBound) }.max { $0.count < $1.count }
        return longest.map { max($0.lowerBound, $0.upperBound - Self.samples(Self.surroundings)) } ?? quietest(range)
    }

    /// Returns where such speech may end.
    func end(in range: Range<Int64>, _ pauses: [Range<Int64>]) -> Int64 {
        let longest = pauses.filter { range.contains($0.lowerBound) }.max { $0.count < $1.count }
        return longest.map { min($0.upperBound, $0.lowerBound + Self.samples(Self.surroundings)) } ?? quietest(range)
    }
}
