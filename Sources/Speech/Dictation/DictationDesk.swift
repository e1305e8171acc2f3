/// Decides what of a stream is decoded when, and when its text is final: the detector cuts the stream into windows, and one
/// engine decodes each, live again and again while someone speaks. It is pure state: its methods are events and return
/// actions. Positions are in samples at 16 kHz, in the order of delivery.
///
/// A window holds speech and the short pauses in it. The last one may be open. It closes at a long pause, or at its longest
/// pause when it is as long as a model takes. The text of the windows becomes final in order. On wish, a sentence before a
/// pause, whose last words are the same in two decodings of the open window in a row, is final before (local agreement: Liu,
/// Spanakis and Niehues, "Low-latency sequence-to-sequence speech recognition", Interspeech 2020).
///
/// Here are its events, requests and final text; beside it stand when guesses are decoded (`+Guesses`), where speech is cut and divided
/// (`+Windows`), what becomes of a text (`+Texts`), what is decoded once more (`+Retries`), and which windows wait for the next ones
/// (`+Sentences`).
struct DictationDesk {
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
    /// The sound before and after the speech that is decoded with it, in seconds.
    static let surroundings = 0.2
    /// The beginning of a stream that is decoded with speech in it, in seconds. The detector has learnt what speech is after
    /// silence, and finds speech that begins with the first sample up to 0.32 s late.
    private static let beginning = 0.4

    let settings: Settings
    /// Which windows are decoded once more as one; nil where none are.
    let turns: SpeechTurns?
    /// Returns the quietest moment of a range, where speech without a pause is divided.
    var quietest: (Range<Int64>) -> Int64 = { $0.upperBound }
    var windows: [SpeechWindow] = []
    var languages = SpokenLanguages()
    /// The number of samples that were heard.
    var heard: Int64 = 0
    /// The end of the speech that is in closed windows, or final.
    var cut: Int64 = 0
    private var lastIdentifier: UInt64 = 0
    /// The last words of the window before; empty if that has none.
    private var lastWords: [String] = []
    /// When the open window may be decoded again while someone speaks.
    var pace: GuessPace
    /// Whether guesses are rough.
    var guessesRoughly = false

    init(_ settings: Settings) {
        self.settings = settings
        pace = GuessPace(share: settings.share)
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
                window.repeatedCount(in: shown, after: words.isEmpty ? lastWords : Self.lastWords(of: words)))
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
    var open: SpeechWindow {
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

    func lead(of window: SpeechWindow) -> Int64 {
        let isFirst = window.floor == 0 && window.start <= Self.samples(Self.beginning)
        return isFirst ? 0 : max(window.floor, window.start - Self.samples(Self.surroundings))
    }

    /// Requests that a window, or its end, is decoded, in place of any other request for it.
    mutating func request(
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
    mutating func ask(
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
    func isOnItsWay(_ window: SpeechWindow) -> Bool {
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

    // MARK: Final text

    /// The last words of a text, among which repeated ones are looked for.
    private static func lastWords(of words: [Hypothesis.Word]) -> [String] { words.suffix(50).map(\.text) }

    /// Returns the text of the first window, or of its beginning, as final.
    mutating func final(
        _ text: PlacedText, _ range: Range<Int64>, _ window: SpeechWindow, _ confidence: Double?
    ) -> Action {
        let count = window.repeatedCount(in: text.words, after: lastWords)
        let text = text.dropFirst(count).beginning(after: lastWords.last)
        lastWords = Self.lastWords(of: text.words)
        return .final(text, range, confidence: confidence)
    }

    /// Makes the windows final that are decided, up to the first that is not.
    ///
    /// - Parameter now: the time; nil if no text is waited for any more.
    mutating func deliver(_ now: Duration? = nil) -> [Action] {
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
