/// What a memo does about what happens: keys, words, troubles. Pure: it returns what is to be done.
struct MemoMachine {
    enum Event: Equatable {
        /// - Parameter time: when it was pressed, in seconds on a clock that only goes forward.
        case key(Key, columns: Int, time: Double)
        /// So late it is on the same clock.
        case time(Double)
        /// A guess at what is being said.
        case volatile(String)
        /// What was said; empty when the guess was for nothing.
        case final(String)
        case modelReady
        /// Nothing can be recognized: a sentence.
        case recognitionFailed(String)
        case captureStarted
        /// The microphone was paused, and all that it had heard has been taken in.
        case captureEnded
        /// The microphone can't be opened, or is gone: a sentence.
        case captureFailed(String)
        /// Whether the text is on the disk: nil, or a sentence that says why not.
        case recorded(failure: String?)
        /// Something the user should know: a sentence.
        case warning(String)
        /// An earlier memo was cut off: when it began, such as `14:22`, and where it belongs if elsewhere than this one.
        case foundAbandoned(time: String, place: String? = nil)
        /// The text of the earlier memo is to be this one's; a sentence about where it will go, if the user should know.
        case restored(String, notice: String? = nil)
        /// A signal, or the terminal is gone.
        case mustEnd
        /// All that was said has come.
        case speechEnded
        /// It could not be kept: a sentence.
        case keepFailed(String)
    }

    /// What the caller is to do.
    enum Action: Equatable {
        /// Turn the microphone off; then comes `captureEnded`.
        case pause
        /// Turn it on; then comes `captureStarted` or `captureFailed`.
        case resume
        /// Make final what was heard so far.
        case finalize
        /// Bring back the earlier memo.
        case restore
        /// Stop the process, as Ctrl-Z does.
        case suspend
        case redraw
        /// Hear what was said to the end; then comes `speechEnded`.
        case finish
        /// The same, but not to the end: the user does not want to wait.
        case hurry
        /// It is over: keep the text.
        case keep
        /// It is over: keep the text in another place.
        case keepElsewhere
        /// It is over: leave the text where it can be seen.
        case leave
        /// It is over: forget the text.
        case discard
    }

    private enum Capture { case starting, on, off }

    private(set) var text = MemoText()
    private var capture = Capture.starting
    /// What the user wants. While it is being started, the microphone may lag behind that; when it is off it is not wanted.
    private var isCaptureWanted = true
    private var isModelReady = false
    private var canRecognize = true
    private var isFinishing = false
    private var hasSpeechEnded = false
    private var isOver = false
    /// Nobody is there to be asked any more.
    private var isForced = false
    /// Why it could not be kept.
    private var keepTrouble: String?
    /// When the earlier memo began, and for what.
    private var abandoned: String?
    /// Where the memo will go, if not as a matter of course.
    private var placeNotice: String?
    /// Why nothing is heard.
    private var hearingTrouble: String?
    /// Why the text is not on the disk.
    private var diskTrouble: String?
    private var warning: String?
    /// When Esc was pressed, if nothing was since.
    private var escapeTime: Double?

    /// Two Escs discard when they come within so many seconds.
    static let escapeWindow = 1.0

    var state: MemoState {
        if isFinishing { return .finishing }
        if keepTrouble != nil { return .failed }
        if !isCaptureWanted || !canRecognize { return .paused }
        return isModelReady && capture == .on ? .listening : .gettingReady
    }

    /// What the user should know now.
    var notice: String? {
        if escapeTime != nil { return "Esc again discards the memo" }
        if let keepTrouble, !isFinishing {
            return "Enter tries again, Ctrl-O keeps it in a file of its own, Ctrl-C leaves it on the screen: \(keepTrouble)"
        }
        let offer = canRestore ? abandoned.map { "a memo of \($0) was cut off: Ctrl-R brings it back" } : nil
        let disk = diskTrouble.map { "nothing is safe before Enter: \($0)" }
        // The longest comes last, where there may be no room for its end.
        let sentences = [offer, placeNotice, disk, warning, hearingTrouble].compactMap { $0 }
        return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
    }

    mutating func handle(_ event: Event) -> Action? {
        if isOver, !event.isKeepFailure { return nil }
        switch event {
        case .key(let key, let columns, let time): return handle(key, columns, time)
        case .time(let now): if let first = escapeTime, now - first > Self.escapeWindow { escapeTime = nil }
        case .volatile(let guess): text.setGuess(guess)
        case .final(let words): text.acceptFinal(words)
        case .modelReady: isModelReady = true
        case .recognitionFailed(let reason):
            canRecognize = false
            hearingTrouble = "can't hear, typing works: \(reason)"
            return turnOff()
        case .captureStarted:
            capture = .on
            if canRecognize { hearingTrouble = nil }
            return isCaptureWanted ? nil : turnOff()
        case .captureEnded: return isFinishing ? nil : .finalize
        case .captureFailed(let reason):
            capture = .off
            isCaptureWanted = false
            // Without a recognizer no microphone helps.
            if canRecognize { hearingTrouble = "can't hear, typing works, Ctrl-P tries again: \(reason)" }
            return isFinishing ? nil : .finalize
        case .recorded(let failure): diskTrouble = failure
        case .warning(let sentence): warning = sentence
        case .foundAbandoned(let time, let place): abandoned = time + (place.map { " for \($0)" } ?? "")
        case .restored(let earlier, let notice):
            text = MemoText(earlier)
            abandoned = nil
            placeNotice = notice
            warning = nil
        case .mustEnd:
            isForced = true
            return finish()
        case .speechEnded:
            hasSpeechEnded = true
            // The guess is the best there will ever be.
            text.acceptFinal(text.guess)
            if isFinishing { return end(.keep) }
        case .keepFailed(let reason): return handleKeepFailure(reason)
        }
        return nil
    }

    /// The memo is open again, without the microphone.
    private mutating func handleKeepFailure(_ reason: String) -> Action? {
        if isForced { return end(.leave) }
        keepTrouble = reason
        isOver = false
        isFinishing = false
        canRecognize = false
        hearingTrouble = nil
        return nil
    }

    private mutating func handle(_ key: Key, _ columns: Int, _ time: Double) -> Action? {
        if isFinishing {
            // Who presses it again does not want to wait.
            return [.enter, .control("C"), .control("D")].contains(key) ? .hurry : nil
        }
        if key == .escape {
            if let first = escapeTime, time - first <= Self.escapeWindow { return end(.discard) }
            escapeTime = time
            return nil
        }
        if escapeTime != nil {
            escapeTime = nil
            warning = nil
        }
        switch key {
        case .control("C") where keepTrouble != nil, .control("D") where keepTrouble != nil: return end(.leave)
        case .control("O") where keepTrouble != nil: return end(.keepElsewhere)
        case .enter, .control("C"), .control("D"): return finish()
        case .control("P"): return toggleMicrophone()
        case .control("R"): return restore()
        case .control("Z"): return .suspend
        case .control("L"): return .redraw
        default:
            text.apply(key, columns: columns)
            return nil
        }
    }

    private mutating func finish() -> Action? {
        if isFinishing { return nil }
        isFinishing = true
        escapeTime = nil
        return hasSpeechEnded ? end(.keep) : .finish
    }

    private mutating func end(_ action: Action) -> Action {
        isOver = true
        return action
    }

    private mutating func toggleMicrophone() -> Action? {
        guard canRecognize else { return nil }
        hearingTrouble = nil
        warning = nil
        if isCaptureWanted { return turnOff() }
        isCaptureWanted = true
        // It may still be about to start.
        guard capture == .off else { return nil }
        capture = .starting
        return .resume
    }

    /// A microphone that is about to start is turned off once it has.
    private mutating func turnOff() -> Action? {
        isCaptureWanted = false
        guard capture == .on, !isFinishing else { return nil }
        capture = .off
        return .pause
    }

    private var canRestore: Bool { text.isEmpty && text.guess.isEmpty && !isFinishing }

    private mutating func restore() -> Action? {
        guard abandoned != nil else { return nil }
        // Both together could not be kept so that a kill in between doubles nothing.
        guard canRestore else {
            warning = "the memo that was cut off waits: keep this one first"
            return nil
        }
        return .restore
    }
}

extension MemoMachine.Event {
    fileprivate var isKeepFailure: Bool { if case .keepFailed = self { true } else { false } }
}
