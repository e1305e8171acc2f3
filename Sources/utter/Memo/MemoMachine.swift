/// What a memo does about what happens: keys, words, troubles. Pure: it returns what is to be done.
struct MemoMachine {
    enum Event {
        /// - Parameter time: in seconds, on a clock that only goes forward.
        case key(Key, columns: Int, time: Double)
        /// A guess at what is being said.
        case volatile(String)
        /// What was said; empty when the guess was for nothing.
        case final(String)
        case modelReady
        /// Nothing can be recognized: a sentence.
        case recognitionFailed(String)
        case captureStarted
        /// The microphone can't be opened, or is gone: a sentence.
        case captureFailed(String)
        /// Something the user should know: a sentence.
        case warning(String)
        /// An earlier memo was cut off: when it began, such as `14:22`.
        case foundAbandoned(time: String)
        /// The text of the earlier memo is to be this one's.
        case restored(String)
        /// A signal, or the terminal is gone.
        case mustEnd
        /// All that was said has come.
        case speechEnded
    }

    /// What the caller is to do.
    enum Action: Equatable {
        case pause
        case resume
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
        /// It is over: forget the text.
        case discard
    }

    private(set) var text = MemoText()
    private(set) var state = MemoState.gettingReady
    private(set) var notice: String?
    private var isModelReady = false
    private var hasMicrophone = false
    private var canRecognize = true
    private var hasAbandoned = false
    private var hasSpeechEnded = false
    /// When Esc was pressed, if nothing was since.
    private var escapeTime: Double?

    /// Two Escs discard when they come within so many seconds.
    static let escapeWindow = 1.0

    mutating func handle(_ event: Event) -> Action? {
        switch event {
        case .key(let key, let columns, let time): return handle(key, columns, time)
        case .volatile(let guess): text.setGuess(guess)
        case .final(let words): text.acceptFinal(words)
        case .modelReady:
            isModelReady = true
            updateState()
        case .recognitionFailed(let reason):
            canRecognize = false
            notice = "can't hear: \(reason). Typing works"
            updateState()
        case .captureStarted:
            hasMicrophone = true
            updateState()
        case .captureFailed(let reason):
            hasMicrophone = false
            notice = "can't hear: \(reason). Typing works; Ctrl-P tries the microphone again"
            updateState()
        case .warning(let sentence): notice = sentence
        case .foundAbandoned(let time):
            hasAbandoned = true
            notice = notice ?? "a memo of \(time) was cut off: Ctrl-R brings it back"
        case .restored(let earlier):
            text = MemoText(earlier)
            hasAbandoned = false
            notice = nil
        case .mustEnd: return state == .finishing ? nil : finish()
        case .speechEnded:
            hasSpeechEnded = true
            return state == .finishing ? .keep : nil
        }
        return nil
    }

    private mutating func handle(_ key: Key, _ columns: Int, _ time: Double) -> Action? {
        if state == .finishing {
            // Who presses it again does not want to wait.
            guard key == .enter || key == .control("C") else { return nil }
            // The guess is the best there is then.
            text.acceptFinal(text.guess)
            return .hurry
        }
        if key == .escape {
            if let first = escapeTime, time - first <= Self.escapeWindow { return .discard }
            escapeTime = time
            notice = "Esc again discards the memo"
            return nil
        }
        if escapeTime != nil {
            escapeTime = nil
            notice = nil
        }
        switch key {
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

    private mutating func finish() -> Action {
        state = .finishing
        return hasSpeechEnded ? .keep : .finish
    }

    private mutating func toggleMicrophone() -> Action? {
        guard canRecognize else { return nil }
        notice = nil
        if hasMicrophone {
            hasMicrophone = false
            updateState()
            return .pause
        }
        return .resume
    }

    private mutating func restore() -> Action? {
        guard hasAbandoned else { return nil }
        // Both together could not be kept so that a kill in between doubles nothing.
        guard text.isEmpty, text.guess.isEmpty else {
            notice = "the memo that was cut off waits: keep this one first"
            return nil
        }
        return .restore
    }

    private mutating func updateState() {
        guard state != .finishing else { return }
        if !hasMicrophone || !canRecognize {
            state = isModelReady || notice != nil || !canRecognize ? .paused : .gettingReady
        } else {
            state = isModelReady ? .listening : .gettingReady
        }
    }
}
