/// What a memo does about what happens: keys, words, troubles. Pure: it returns what is to be done.
struct MemoMachine {
    private enum Capture { case starting, on, off }

    private(set) var text = MemoText()
    private var capture = Capture.starting
    /// What the user wants. While it is being started, the microphone may lag behind that; when it is off it is not wanted.
    private var isCaptureWanted = true
    private var isModelReady = false
    private var canRecognize = true
    /// The user can still have it tried.
    private var isVoiceWithheld = false
    /// Nothing more comes from it.
    private(set) var hasRecognizerStopped = false
    private var isFinishing = false
    /// Since when, once that is known.
    private var finishingTime: Double?
    private var isFinishLong = false
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
    /// After so many seconds of finishing it is said how to wait no longer.
    static let finishPatience = 2.0

    var state: MemoState {
        if isFinishing { return .finishing }
        if keepTrouble != nil { return .failed }
        if !isCaptureWanted || !canRecognize { return .paused }
        return isModelReady && capture == .on ? .listening : .gettingReady
    }

    /// What the user should know now.
    var notice: String? {
        if escapeTime != nil { return "Esc again discards the memo" }
        if isFinishing, isFinishLong { return "the recognizer takes long: Enter again keeps what is here" }
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
        case .time(let now): passTime(now)
        // Its guess has been taken for what was said.
        case .volatile, .waiting, .final, .recognitionFailed: return hasRecognizerStopped ? nil : hear(event)
        case .modelReady: isModelReady = true
        case .recognizerStopped(let reason):
            hasRecognizerStopped = true
            isVoiceWithheld = false
            canRecognize = false
            hearingTrouble = "can't hear, typing works: \(reason)"
            if isFinishing { return hurry() }
            speechHasEnded()
            return turnOff()
        case .voiceWithheld(let reason):
            isVoiceWithheld = true
            canRecognize = false
            hasSpeechEnded = true
            hearingTrouble = reason
            return isFinishing ? end(.keep) : turnOff()
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
            // Of a terminal that goes away we are told more than once.
            let hurries = isFinishing && !isForced
            isForced = true
            return hurries ? hurry() : finish()
        case .speechEnded:
            if hasRecognizerStopped { return nil }
            speechHasEnded()
            if isFinishing { return end(.keep) }
        case .keepFailed(let reason): return handleKeepFailure(reason)
        }
        return nil
    }

    private mutating func hear(_ event: Event) -> Action? {
        switch event {
        case .volatile(let guess): text.setGuess(guess)
        case .waiting(let words): text.acceptWaiting(words)
        case .final(let words): text.acceptFinal(words)
        case .recognitionFailed(let reason):
            canRecognize = false
            hearingTrouble = "can't hear, typing works: \(reason)"
            return turnOff()
        default: break
        }
        return nil
    }

    private mutating func speechHasEnded() {
        hasSpeechEnded = true
        text.settle()
    }

    private mutating func passTime(_ now: Double) {
        if let first = escapeTime, now - first > Self.escapeWindow { escapeTime = nil }
        guard isFinishing else { return }
        let start = finishingTime ?? now
        finishingTime = start
        isFinishLong = now - start > Self.finishPatience
    }

    /// The memo is open again, without the microphone.
    private mutating func handleKeepFailure(_ reason: String) -> Action? {
        if isForced { return end(.leave) }
        keepTrouble = reason
        isOver = false
        isFinishing = false
        (finishingTime, isFinishLong) = (nil, false)
        canRecognize = false
        isVoiceWithheld = false
        hearingTrouble = nil
        return nil
    }

    private mutating func handle(_ key: Key, _ columns: Int, _ time: Double) -> Action? {
        if isFinishing {
            // Who presses it again does not want to wait.
            return [.enter, .control("C"), .control("D")].contains(key) ? hurry() : nil
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

    private mutating func hurry() -> Action {
        speechHasEnded()
        return end(.hurry)
    }

    private mutating func end(_ action: Action) -> Action {
        isOver = true
        return action
    }

    private mutating func toggleMicrophone() -> Action? {
        if isVoiceWithheld { return tryVoice() }
        guard canRecognize else { return nil }
        hearingTrouble = nil
        warning = nil
        if isCaptureWanted { return turnOff() }
        return turnOn() ? .resume : nil
    }

    private mutating func tryVoice() -> Action {
        isVoiceWithheld = false
        canRecognize = true
        hasSpeechEnded = false
        hearingTrouble = nil
        warning = nil
        return .tryVoice(resumes: turnOn())
    }

    /// - Returns: whether the microphone is to be started; it may still be about to start.
    private mutating func turnOn() -> Bool {
        isCaptureWanted = true
        guard capture == .off else { return false }
        capture = .starting
        return true
    }

    /// A microphone that is about to start is turned off once it has.
    private mutating func turnOff() -> Action? {
        isCaptureWanted = false
        guard capture == .on, !isFinishing else { return nil }
        capture = .off
        return .pause
    }

    private var canRestore: Bool { text.isEmpty && text.guess.isEmpty && text.waiting.isEmpty && !isFinishing }

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
