/// Decides what of a stream is decoded when, and when its text is final: the detector cuts the stream into windows, and one
/// engine decodes each, live again and again while someone speaks. It is pure state: its methods are events and return
/// actions. Positions are in samples at 16 kHz, in the order of delivery.
///
/// A window holds speech and the short pauses in it. The last one may be open. It closes at a long pause, or at its longest
/// pause when it is as long as a model takes. The text of the windows becomes final in order. On wish, a sentence before a
/// pause, whose last words are the same in two decodings of the open window in a row, is final before (local agreement: Liu,
/// Spanakis and Niehues, "Low-latency sequence-to-sequence speech recognition", Interspeech 2020).
struct DictationDesk {
    struct Settings: Sendable {
        /// When the open window is decoded.
        var guesses = DictationTranscriber.Guesses.none
        /// The pause that closes a window, in seconds: who is silent for so long begins something else, and who writes into a pipe waits
        /// for the text.
        var closingPause = 4.0
        /// The pause that closes a window whose text ends with a sentence, in seconds; nil for `closingPause`. Where the model is
        /// unsure of it, the full stop may be wrong as well: it does not count.
        var sentencePause: Double?
        /// Whether sentences become final before their window closes. Otherwise the text is that of whole windows, as that of a file is,
        /// and does not depend on the time that decoding takes.
        var finalizesFrequently = false
        /// Whether several languages may be spoken, of which the model detects one for each window.
        var hasLanguages = false
        /// The pause within which windows in one language are decoded once more as one, in seconds; nil where none are.
        var joinPause: Double?
        /// The share of the time in which guesses are decoded while someone speaks, without those at pauses.
        var share = 0.36

        /// The settings for speech that someone waits for.
        static func live(
            _ guesses: DictationTranscriber.Guesses, finalizesFrequently: Bool = true, closingPause: Double? = nil,
            hasLanguages: Bool = false
        ) -> Settings {
            // Who sets a pause wants no sentence to end before: a model ends what it hears with a full stop.
            let endsAtSentences = finalizesFrequently && guesses != .none && closingPause == nil
            // Where nobody waits for each sentence, one with a pause in it is heard as one.
            let usual = finalizesFrequently ? 1.3 : 2
            return Settings(
                guesses: guesses, closingPause: closingPause ?? usual, sentencePause: endsAtSentences ? 0.95 : nil,
                finalizesFrequently: finalizesFrequently, hasLanguages: hasLanguages)
        }

        /// The settings for a file.
        ///
        /// - Parameter hasLanguages: whether several languages may be spoken. A model hears a window in one of them, and leaves out or
        ///   translates speech in another, so a window is what one speaker says in a turn. Turns in one language are then decoded as one,
        ///   for it recognizes speech better beside other speech.
        static func file(hasLanguages: Bool) -> Settings {
            hasLanguages ? Settings(closingPause: 0.7, hasLanguages: true, joinPause: 2) : Settings()
        }
    }

    enum Action: Equatable, Sendable {
        /// Decode ranges of the stream, which are in order, as one sound; in a language if one is named.
        case decode(UInt64, [Range<Int64>], EngineSchedule.Priority, language: String? = nil)
        /// Withdraw a request.
        case withdraw(UInt64)
        /// Words that are final, in a range of speech that follows those before.
        case final(PlacedText, Range<Int64>, confidence: Double?)
        /// Speech whose text can't be known. It is final, without text.
        case lost(Range<Int64>, DecodingOutcome.Failure)
        /// What sounds like speech, and all that the engine has given for it can't be its text. It is final, without text.
        case nonsense(Range<Int64>)
        /// The guess has changed.
        case guess
    }

    static let sampleRate = 16_000
    /// The longest window, in seconds; two less than Whisper's, for the sound around it.
    private static let longest = 28.0
    /// The longest pause that is decoded, in seconds; longer ones are shortened to it. Behind a longer one Whisper's small models may
    /// hear nothing more. With 0.6 to 1.5 s, they heard more words wrong in speech without such pauses.
    private static let longestPause = 2.0
    /// The sound before and after the speech that is decoded with it, in seconds.
    private static let surroundings = 0.2
    /// The beginning of a stream that is decoded with speech in it, in seconds. The detector has learnt what speech is after
    /// silence, and finds speech that begins with the first sample up to 0.32 s late.
    private static let beginning = 0.4
    /// The pause after which the open window is decoded, in seconds; longer than most within a clause.
    private static let shortPause = 0.2
    /// The pause after which a rough text is replaced, in seconds: most are shorter, and the text is there before the window closes.
    private static let settledPause = 0.5
    /// The shortest new sound for which the open window is decoded again, in seconds.
    private static let shortestNews = 0.5
    private static let shortestInterval = Duration.milliseconds(400)
    /// The length of an open window, in seconds, from which sentences without a sure end are decoded by themselves, and the shortest part
    /// of it that is.
    private static let (comfortable, shortestPart) = (10.0, 5.0)
    /// The longest sound that a rough guess is about, in seconds, and the speech that it is about when its start moves on, at least and
    /// at most: of longer speech only the end is decoded again, behind the words that were heard before it.
    private static let (longestTail, shortTail, longTail) = (9.6, 4.0, 7.5)
    /// How often a window with doubtful text is divided.
    private static let mostDivisions = 4
    /// How often it is divided where there is no pause, and the shortest speech that is, in seconds.
    private static let (mostQuietDivisions, shortestDivided) = (3, 3.0)

    let settings: Settings
    /// Which windows are decoded once more as one; nil where none are.
    private let turns: SpeechTurns?
    /// Returns the quietest moment of a range, where speech without a pause is divided.
    var quietest: (Range<Int64>) -> Int64 = { $0.upperBound }
    private var windows: [SpeechWindow] = []
    /// The language of the last window that was long enough to tell, where it is known, and those of all such windows.
    private var language: String?
    private var languages: Set<String> = []
    /// The number of samples that were heard.
    private var heard: Int64 = 0
    /// The end of the speech that is in closed windows, or final.
    private(set) var cut: Int64 = 0
    private var lastIdentifier: UInt64 = 0
    /// The last words of the window before; empty if that has none.
    private var lastWords: [String] = []
    /// When the open window may be decoded again while someone speaks.
    private var nextGuess = Duration.zero
    /// Whether guesses are rough.
    private var guessesRoughly = false
    /// The time of the fastest decoding of late.
    private var fastest: Duration?

    init(_ settings: Settings) {
        self.settings = settings
        turns = settings.joinPause.map {
            SpeechTurns(pause: Self.samples($0), longest: Self.samples(Self.longest))
        }
    }

    static func samples(_ seconds: Double) -> Int64 { Int64(seconds * Double(sampleRate)) }

    /// The first sample that may be decoded later, or whose speech is not final.
    func start(heard: Int64) -> Int64 {
        windows.first.map { lead(of: $0) } ?? max(cut, heard - Self.samples(1))
    }

    /// The number of windows that are not final.
    var undecidedCount: Int { windows.count }
    /// The number of closed windows that are not decided.
    var waitingCount: Int { windows.count { $0.isClosed && !$0.isDecided } }
    /// The beginning of the speech that is not final.
    var undecidedStart: Int64? { windows.first?.start }

    /// The guess at the speech that is not final, by the engine that decides.
    var guess: [Hypothesis.Word] {
        windows.reduce(into: []) { words, window in
            let shown = window.draft?.shown ?? []
            words += shown.dropFirst(
                repeatedCount(in: shown, of: window, after: words.isEmpty ? lastWords : Self.lastWords(of: words)))
        }
    }
    /// The language of the guess, where it is known.
    var guessLanguage: String? { windows.lazy.compactMap { $0.draft?.text.language }.first }
    /// The end of the speech that the guess is about.
    var guessEnd: Int64 { max(cut, windows.compactMap { $0.draft?.shownEnd }.last ?? cut) }

    // MARK: Speech

    /// Handles what the detector has heard.
    ///
    /// - Parameters:
    ///   - ranges: the ranges of speech, in order; earlier ones than the last call's may be left out when they are final.
    ///   - isSpeaking: whether the last range goes on.
    ///   - heard: the number of samples that the detector has judged.
    ///   - now: the time, on a monotonic clock.
    mutating func hear(_ ranges: [Range<Int64>], isSpeaking: Bool, through heard: Int64, now: Duration) -> [Action] {
        self.heard = heard
        let actions = follow(ranges, isSpeaking: isSpeaking, through: heard, now)
        return isHolding ? actions + deliver(now) : actions
    }

    private mutating func follow(
        _ ranges: [Range<Int64>], isSpeaking: Bool, through heard: Int64, _ now: Duration
    ) -> [Action] {
        var actions: [Action] = []
        update(ranges, &actions)
        guard hasOpen else { return actions }
        cutIfTooLong(heard, &actions, now)
        guard hasOpen else { return actions }
        if !isSpeaking, open.draft?.showLastWord() == true { actions.append(.guess) }
        let pause = isSpeaking ? 0 : heard - open.end
        requestGuess(isSpeaking: isSpeaking, pause: pause, through: heard, now, &actions)
        // A text in a hurry tells as well, and is replaced all the same.
        let isSentence = open.isHeard && open.draft?.endsSentence ?? false
        let closingPause = isSentence ? settings.sentencePause ?? settings.closingPause : settings.closingPause
        if !isSpeaking, pause >= Self.samples(closingPause) { close(now, &actions) }
        return actions
    }

    /// Handles the end of the stream, or a request to make all of it final: the open window closes.
    mutating func finish(_ ranges: [Range<Int64>], through heard: Int64, now: Duration) -> [Action] {
        var actions: [Action] = []
        self.heard = heard
        update(ranges, &actions)
        if hasOpen {
            cutIfTooLong(heard, &actions, now)
            open.ceiling = heard
            open.isLast = true
            close(now, &actions)
        } else if let last = windows.indices.last {
            windows[last].isLast = true
        }
        cut = max(cut, heard)
        return isHolding ? actions + deliver(now) : actions
    }

    /// Makes everything final with the last guess of the deciding engine. Speech behind that guess is lost.
    mutating func settle() -> [Action] {
        var actions: [Action] = []
        // What may turn out to be the beginning of a pause belongs to the next speech if it does not.
        if hasOpen, max(open.end - open.start, heard - open.end) < SpeechRanges.shortestPause { removeOpen(&actions) }
        for index in windows.indices {
            if let request = windows[index].request { actions.append(.withdraw(request.identifier)) }
            windows[index].request = nil
            windows[index].isClosed = true
            // The end of speech that goes on may turn out to be the beginning of a pause.
            let heard = max(windows[index].start, windows[index].draft?.end ?? .min)
            if !windows[index].isDecided, heard < windows[index].end - SpeechRanges.shortestPause {
                (windows[index].failure, windows[index].isSettled) = (.cancelled, true)
            }
            windows[index].isDecided = true
            cut = max(cut, windows[index].end)
        }
        return actions + deliver()
    }

    /// Whether the first window is decided, and waits for those that may be joined with it.
    var isHolding: Bool { windows.first?.isDecided ?? false }
    /// Whether there is speech that may go on.
    var hasOpen: Bool { windows.last.map { !$0.isClosed } ?? false }

    /// The open window, which must exist.
    private var open: SpeechWindow {
        get { windows[windows.count - 1] }
        set { windows[windows.count - 1] = newValue }
    }

    private mutating func update(_ ranges: [Range<Int64>], _ actions: inout [Action]) {
        let speech = ranges.after(cut)
        guard let first = speech.first else {
            // The speech after the last cut has turned out to be the beginning of a pause.
            guard hasOpen else { return }
            return removeOpen(&actions)
        }
        if hasOpen {
            open.speech = speech
        } else {
            let floor = cut == 0 ? 0 : min(first.lowerBound, (cut + first.lowerBound) / 2)
            windows.append(SpeechWindow(speech: speech, floor: floor))
        }
    }

    private mutating func removeOpen(_ actions: inout [Action]) {
        if let request = windows.removeLast().request { actions.append(.withdraw(request.identifier)) }
        actions.append(.guess)
    }

    private func lead(of window: SpeechWindow) -> Int64 {
        let isFirst = window.floor == 0 && window.start <= Self.samples(Self.beginning)
        return isFirst ? 0 : max(window.floor, window.start - Self.samples(Self.surroundings))
    }

    private mutating func requestGuess(
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
        if settings.guesses == .rolling, open.request == nil, now >= nextGuess {
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
    private func start(in range: Range<Int64>, _ pauses: [Range<Int64>]) -> Int64 {
        let longest = pauses.filter { range.contains($0.upperBound) }.max { $0.count < $1.count }
        return longest.map { max($0.lowerBound, $0.upperBound - Self.samples(Self.surroundings)) } ?? quietest(range)
    }

    /// Returns where such speech may end.
    private func end(in range: Range<Int64>, _ pauses: [Range<Int64>]) -> Int64 {
        let longest = pauses.filter { range.contains($0.lowerBound) }.max { $0.count < $1.count }
        return longest.map { min($0.upperBound, $0.lowerBound + Self.samples(Self.surroundings)) } ?? quietest(range)
    }

    /// Requests that a window, or its end, is decoded, in place of any other request for it.
    private mutating func request(
        _ index: Int, from start: Int64? = nil, through end: Int64, before ceiling: Int64 = .max,
        _ priority: EngineSchedule.Priority, _ now: Duration, language: String? = nil, _ actions: inout [Action]
    ) {
        if let request = windows[index].request { actions.append(.withdraw(request.identifier)) }
        let room = min(ceiling, windows[index].ceiling) - end
        let tail = priority == .guess ? 0 : max(0, min(Self.samples(Self.surroundings), room))
        let range = (start ?? lead(of: windows[index]))..<(end + tail)
        ask(
            index, about: windows[index].speech, in: range, priority, now, language: language, isTail: start != nil,
            &actions)
    }

    /// Asks for the text of the speech in a range.
    private mutating func ask(
        _ index: Int, about all: [Range<Int64>], in range: Range<Int64>, _ priority: EngineSchedule.Priority,
        _ now: Duration, language: String?, isTail: Bool = false, _ actions: inout [Action]
    ) {
        lastIdentifier += 1
        let speech = all.map { $0.clamped(to: range) }.filter { !$0.isEmpty }
        let sound = Self.sound(range, speech)
        windows[index].request = WindowRequest(
            identifier: lastIdentifier, sound: sound, speech: speech, priority: priority, begun: now, isTail: isTail)
        actions.append(.decode(lastIdentifier, sound, priority, language: language))
    }

    /// Closes the open window, and asks for its text unless that is known or on the way.
    private mutating func close(_ now: Duration, _ actions: inout [Action]) {
        open.isClosed = true
        cut = open.end
        if open.isHeard, let draft = open.draft, mayDecide(isRough: draft.isRough, endsAtPause: draft.endsAtPause) {
            if let request = open.request { actions.append(.withdraw(request.identifier)) }
            open.request = nil
            open.isDecided = true
        } else if !isOnItsWay(open) {
            request(windows.count - 1, through: open.end, .final, now, &actions)
        }
        actions += deliver(now)
    }

    /// Whether the last text of a window is on the way: of all its speech, and of none behind it.
    private func isOnItsWay(_ window: SpeechWindow) -> Bool {
        window.request.map { $0.end >= window.end && $0.end <= window.ceiling && mayDecide($0.priority) } ?? false
    }

    /// Whether the text that was asked for with a priority may be the last.
    private func mayDecide(_ priority: EngineSchedule.Priority) -> Bool {
        mayDecide(isRough: guessesRoughly && priority != .final, endsAtPause: priority != .guess)
    }

    /// Whether a text may be the last. A guess that does not end at a pause ends where the decoding before was done, by chance.
    private func mayDecide(isRough: Bool, endsAtPause: Bool) -> Bool {
        !isRough && (settings.finalizesFrequently || endsAtPause)
    }

    // MARK: Length

    /// Returns a range of the stream without the middle of its long pauses.
    private static func sound(_ range: Range<Int64>, _ speech: [Range<Int64>]) -> [Range<Int64>] {
        let longest = samples(longestPause)
        let cuts = zip(speech, speech.dropFirst()).filter { $1.lowerBound - $0.upperBound > longest }
            .map { ($0.upperBound + longest / 2)..<($1.lowerBound - longest / 2) }
        return zip([range.lowerBound] + cuts.map(\.upperBound), cuts.map(\.lowerBound) + [range.upperBound])
            .map { $0..<$1 }
    }

    /// Closes the first part of the open window when that is longer than a model takes.
    private mutating func cutIfTooLong(_ heard: Int64, _ actions: inout [Action], _ now: Duration) {
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
    private func quietMoment(of range: Range<Int64>) -> Range<Int64> {
        let moment = quietest(range)
        return moment..<moment
    }

    /// Divides a window at a pause, or where it must end, which may be within a word, and its draft with it. Both parts are to be decoded
    /// again.
    private mutating func divide(_ index: Int, at pause: Range<Int64>) {
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

    // MARK: Text

    /// Handles the outcome of a request.
    mutating func take(_ outcome: DecodingOutcome, of identifier: UInt64, now: Duration) -> [Action] {
        guard let index = windows.firstIndex(where: { $0.request?.identifier == identifier }),
            var request = windows[index].request
        else { return [] }
        windows[index].request = nil
        if request.priority.isGuess {
            // What other programs hold up costs no more than on an idle machine.
            fastest = min(now - request.begun, fastest.map { $0 * 11 / 10 } ?? .seconds(60))
            nextGuess = request.begun + max(Self.shortestInterval, (fastest ?? .zero) / settings.share)
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

    private mutating func take(
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

    private mutating func set(_ draft: WindowDraft, _ index: Int, _ now: Duration, _ actions: inout [Action]) {
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
        if range.count >= Self.samples(Self.tellingSpeech) { noteLanguage(of: end) }
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

    /// Divides the open window at a pause, and closes its first part.
    ///
    /// - Parameters:
    ///   - draft: the new draft of the window, whose first words are shown for the first part.
    ///   - end: the end of the speech that they are the text of; -1 if they are not final, as where the place is not exact.
    /// - Returns: the index of the first part.
    private mutating func divideOpen(
        _ draft: WindowDraft, before pause: PlacedText.Pause, heardThrough end: Int64
    ) -> Int {
        divide(windows.count - 1, at: pause.range)
        let index = windows.count - 2
        windows[index].isClosed = true
        windows[index].draft = draft.prefix(pause.word, end: end)
        cut = pause.range.lowerBound
        return index
    }

    // MARK: Language

    /// The speech that tells its language, in seconds: Whisper base knew that of 111 of 119 sentences, and of 34 of 108 with one to
    /// five words.
    private static let tellingSpeech = 2.5
    /// The least confidence in a text in the stream's language, as a share of that in the detected one, by which it is taken; and the same where
    /// the detected one is sure. Of 25 words and sentences in which Whisper base detected the wrong language, all had 0.7 in their own, and
    /// 1 was sure; sentences that it translates into the stream's language have up to 0.78, and are sure of their own.
    private static let (leastShare, leastShareOfSure, sure) = (0.7, 0.9, 0.6)
    /// The least confidence in the text of a short answer, as a share of that in the text of all: a model is less sure of a word by itself.
    private static let leastShareOfAnswer = 0.5

    /// Notes the language of a text that is long enough to tell it.
    private mutating func noteLanguage(of text: PlacedText) {
        guard let known = text.language else { return }
        language = known
        languages.insert(known)
    }

    /// Whether a window may be in another language than the model has detected: it is short, since a word or two may sound like any, and
    /// nothing longer was in that language; or the model writes nonsense in it.
    private func mayBeMistaken(_ window: SpeechWindow) -> Bool {
        if window.retry != nil || window.failure != nil { return false }
        if window.isNonsense { return settings.hasLanguages }
        guard window.seconds < Self.tellingSpeech, let heard = window.draft?.text.language else { return false }
        return !languages.contains(heard)
    }

    /// Handles the outcome for a window that had a text before.
    private mutating func take(
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
    private static func draft(
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

    /// The least text of joined turns, as a share of the letters that they have each by itself.
    private static let leastKept = 0.85

    /// Goes through the windows that are decided, in order: notes their languages, and decodes one once more that may be in another, and
    /// speech that no text is about.
    private mutating func check(_ now: Duration, _ actions: inout [Action]) {
        for index in windows.indices where !windows[index].isChecked {
            guard windows[index].isDecided else { return }
            if let language, mayBeMistaken(windows[index]) {
                // Its text stands until there is a better one.
                (windows[index].retry, windows[index].isDecided) = (.language, false)
                return request(index, through: windows[index].end, .final, now, language: language, &actions)
            }
            if decodeInParts(index, now, &actions) || askForAnswer(index, now, &actions) { return }
            divideAtEndOfText(index, now, &actions)
            let window = windows[index]
            if window.seconds >= Self.tellingSpeech, let text = window.draft?.text { noteLanguage(of: text) }
            windows[index].isChecked = true
            askForSentence(before: index, now, &actions)
        }
    }

    // MARK: Missing words

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

    // MARK: Cut sentences

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
    private mutating func askForSentence(before next: Int, _ now: Duration, _ actions: inout [Action]) {
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

    // MARK: Turns

    /// Joins windows in one language, and says which are final as they are.
    private mutating func joinTurns(_ now: Duration, _ actions: inout [Action]) {
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

    /// Divides a window with doubtful text, whose parts are decoded again.
    ///
    /// - Returns: false for one that is too short for that.
    private mutating func divideDoubtful(_ index: Int, _ now: Duration, _ actions: inout [Action]) -> Bool {
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

    /// Returns how many of a window's first words are those before it once more: the word at which speech was divided without a pause, or
    /// the end of a text for which the model had too early a time.
    private func repeatedCount(
        in words: [Hypothesis.Word], of window: SpeechWindow, after last: @autoclosure () -> [String]
    ) -> Int {
        guard window.textBefore != nil || window.beginsWithoutPause else { return 0 }
        let last = last().map(WordAlignment.normalized)
        let first = Array(words.prefix(last.count)).normalized
        if let before = window.textBefore, first.count >= PlacedText.fewestEchoed,
            let count = (PlacedText.fewestEchoed...first.count).last(where: { last.suffix($0) == first.prefix($0) }),
            Self.isEcho(words[..<count], of: before, in: window.speech)
        {
            return count
        }
        if let before = window.textBefore, window.seconds < PlacedText.leastUnheard, !words.isEmpty,
            last.suffix(words.count) == first[...], first.count == words.count,
            Self.isTooLittleToTell(words, of: before) || Self.isEcho(words[...], of: before, in: window.speech)
        {
            return words.count
        }
        return window.beginsWithoutPause && first.first == last.last && first.first?.isEmpty == false ? 1 : 0
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

    /// The last words of a text, among which repeated ones are looked for.
    private static func lastWords(of words: [Hypothesis.Word]) -> [String] { words.suffix(50).map(\.text) }

    /// Returns the text of the first window, or of its beginning, as final.
    private mutating func final(
        _ text: PlacedText, _ range: Range<Int64>, _ window: SpeechWindow, _ confidence: Double?
    ) -> Action {
        let count = repeatedCount(in: text.words, of: window, after: lastWords)
        let text = text.dropFirst(count).beginning(after: lastWords.last)
        lastWords = Self.lastWords(of: text.words)
        return .final(text, range, confidence: confidence)
    }

    /// Makes the windows final that are decided, up to the first that is not.
    ///
    /// - Parameter now: the time; nil if no text is waited for any more.
    private mutating func deliver(_ now: Duration? = nil) -> [Action] {
        var actions: [Action] = []
        if let now {
            check(now, &actions)
            joinTurns(now, &actions)
        }
        while let window = windows.first, window.isDecided, now == nil || window.isReady {
            windows.removeFirst()
            if window.isNonsense {
                lastWords = []
                actions.append(.nonsense(window.start..<window.end))
                continue
            }
            let known = window.failure == nil ? nil : window.known
            let undecoded = known.map { window.speech.after($0.end) }
            let range = window.start..<(undecoded?.first?.lowerBound ?? window.end)
            if !range.isEmpty {
                // A guess may have been heard a little further than speech turned out to go.
                let text = (known?.text ?? window.draft?.text ?? PlacedText()).clamped(to: range)
                actions.append(final(text, range, window, window.draft?.confidence))
            }
            if let failure = window.failure, range.upperBound < window.end {
                lastWords = []
                actions.append(.lost(range.upperBound..<window.end, failure))
            }
        }
        return actions
    }
}
