/// What a memo does about what happens: keys, words, troubles. Pure: it returns what is to be done.
struct MemoMachine {
    private enum Capture { case starting, on, off }

    /// What may have been said, whatever has become of it in the text.
    enum SaidSpeech {
        /// Nothing: all was heard, and no word was among it.
        case none
        case words
        /// Nobody knows, since not all was heard.
        case unknown
    }

    /// How far the memo is.
    private enum Phase {
        /// It is spoken, typed and edited.
        case open
        /// What was said last is being recognized.
        case finishing(Finishing)
        /// It could not be kept, and why; it is open again.
        case keepFailed(String)
        /// What is done with the text is decided. Only that keeping it has failed still counts.
        indirect case over(after: Phase)
    }

    private struct Finishing {
        /// Nobody is there to be asked any more.
        var isForced = false
        /// Since when, once that is known.
        var since: Double?
        var isLong = false
    }

    private(set) var text = MemoText()
    private(set) var speech = SaidSpeech.none
    private var capture = Capture.starting
    /// What the user wants. While it is being started, the microphone may lag behind that; when it is off it is not wanted.
    private var isCaptureWanted = true
    private var isModelReady = false
    private var canRecognize = true
    /// It was wanted when it went, or could not be opened: it is tried again when there may be one.
    private var isCaptureLost = false
    /// Since when.
    private var lossTime: Double?
    private var isTryingAgain = false
    /// What is wrong with the open microphone.
    private var microphoneTrouble: String?
    /// The user can still have it tried.
    private var isVoiceWithheld = false
    /// Nothing more comes from it.
    private(set) var hasRecognizerStopped = false
    private var phase = Phase.open
    private var hasSpeechEnded = false
    /// When the earlier memo began, and for what.
    private var abandoned: String?
    /// Where the memo will go, if not as a matter of course.
    private var placeNotice: String?
    /// Why nothing is heard.
    private var hearingTrouble: String?
    /// Why the text is not on the disk.
    private var diskTrouble: String?
    private var warning: String?
    /// What waits for the user.
    private var waitingNotice: String?
    /// When Esc was pressed, if nothing was since.
    private var escapeTime: Double?
    private(set) var showsKeys = false
    /// Control-X was pressed, and nothing since.
    private var isAfterControlX = false

    /// Two Escs discard when they come within so many seconds.
    static let escapeWindow = 1.0
    /// A microphone that has gone is tried again after so many seconds, as long as the memo lasts.
    static let retryInterval = 3.0
    /// After so many seconds of finishing it is said how to wait no longer.
    static let finishPatience = 2.0

    var state: MemoState {
        switch lastPhase {
        case .finishing: return .finishing
        case .keepFailed: return .failed
        case .open, .over: break
        }
        if !isCaptureWanted || !canRecognize { return .paused }
        return isModelReady && capture == .on ? .listening : .gettingReady
    }

    /// What the user should know now.
    var notice: String? {
        if escapeTime != nil { return "Esc again discards the memo" }
        switch lastPhase {
        case .finishing(let finishing) where finishing.isLong: return "the recognizer takes long: Enter again keeps what is here"
        case .keepFailed(let trouble):
            return "Enter tries again, Ctrl-O keeps it in a file of its own, Ctrl-C leaves it on the screen: \(trouble)"
        default: break
        }
        let offer = canRestore ? abandoned.map { "a memo of \($0) was cut off: Ctrl-R brings it back, Ctrl-T throws it away" } : nil
        let disk = diskTrouble.map { "nothing is safe before Enter: \($0)" }
        // The longest comes last, where there may be no room for its end.
        let microphone = [.listening, .gettingReady].contains(state) ? microphoneTrouble : nil
        let sentences = [offer, placeNotice, waitingNotice, disk, warning, microphone, hearingTrouble].compactMap { $0 }
        return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
    }

    /// Whether the first keys are named: as long as nothing was said or typed.
    var showsHint: Bool { text.text.isEmpty && text.guess.isEmpty && !isFinishing && !hasKeepFailed && !showsKeys }

    /// Where it was before it was over.
    private var lastPhase: Phase { if case .over(let last) = phase { last } else { phase } }
    private var isFinishing: Bool { if case .finishing = lastPhase { true } else { false } }
    private var hasKeepFailed: Bool { if case .keepFailed = lastPhase { true } else { false } }
    private var isForced: Bool { if case .finishing(let finishing) = lastPhase { finishing.isForced } else { false } }
    private var isOver: Bool { if case .over = phase { true } else { false } }

    mutating func handle(_ event: Event) -> Action? {
        if isOver, !event.isKeepFailure { return nil }
        switch event {
        case .key(let key, let columns, let time): return handle(key, columns, time)
        case .time(let now): return passTime(now)
        // Its guess has been taken for what was said.
        case .volatile, .waiting, .final, .written, .recognitionFailed: return hasRecognizerStopped ? nil : hear(event)
        case .modelReady: isModelReady = true
        case .recognizerStopped(let reason):
            speech = .unknown
            hasRecognizerStopped = true
            isVoiceWithheld = false
            canRecognize = false
            hearingTrouble = "can't hear, typing works: \(reason)"
            if isFinishing { return hurry() }
            speechHasEnded()
            return turnOff()
        case .voiceWithheld(let reason):
            speech = .unknown
            isVoiceWithheld = true
            canRecognize = false
            hasSpeechEnded = true
            hearingTrouble = reason
            return isFinishing ? end(.keep) : turnOff()
        case .captureStarted:
            capture = .on
            if isTryingAgain { isCaptureWanted = true }
            (isCaptureLost, isTryingAgain) = (false, false)
            if canRecognize { hearingTrouble = nil }
            return isCaptureWanted ? nil : turnOff()
        case .captureEnded: return isFinishing ? nil : .finalize
        case .captureFailed(let reason):
            capture = .off
            // What it heard before has been made final when it went.
            let isKnown = isTryingAgain
            isCaptureLost = isCaptureWanted || isTryingAgain
            (isCaptureWanted, isTryingAgain, lossTime) = (false, false, nil)
            // Without a recognizer no microphone helps.
            if canRecognize { hearingTrouble = "can't hear, typing works, Ctrl-P tries again: \(reason)" }
            return isFinishing || isKnown ? nil : .finalize
        case .recorded(let failure): diskTrouble = failure
        case .warning(let sentence): warning = sentence
        case .waits(let sentence): waitingNotice = sentence
        case .microphoneTrouble(let sentence): microphoneTrouble = sentence
        case .foundAbandoned(let time, let place): abandoned = time + (place.map { " for \($0)" } ?? "")
        case .restored(let earlier, let notice):
            text = MemoText(earlier)
            if speech == .none { speech = .words }
            abandoned = nil
            placeNotice = notice
            warning = nil
        case .mustEnd:
            // Of a terminal that goes away we are told more than once.
            guard case .finishing(var finishing) = phase else { return finish(isForced: true) }
            if finishing.isForced { return nil }
            finishing.isForced = true
            phase = .finishing(finishing)
            return hurry()
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
        case .volatile(let words), .waiting(let words), .final(let words):
            if !words.isEmpty, speech == .none { speech = .words }
        case .written: if speech == .none { speech = .words }
        default: break
        }
        switch event {
        case .volatile(let guess): text.setGuess(guess)
        case .waiting(let words): text.acceptWaiting(words)
        case .final(let words): text.acceptFinal(words)
        case .written(let speech): text.acceptWritten(speech)
        case .recognitionFailed(let reason):
            speech = .unknown
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

    private mutating func passTime(_ now: Double) -> Action? {
        if let first = escapeTime, now - first > Self.escapeWindow { escapeTime = nil }
        guard case .finishing(var finishing) = phase else { return tryAgain(now) }
        let start = finishing.since ?? now
        finishing.since = start
        finishing.isLong = now - start > Self.finishPatience
        phase = .finishing(finishing)
        return nil
    }

    /// A microphone that has gone may be there again.
    private mutating func tryAgain(_ now: Double) -> Action? {
        guard isCaptureLost, canRecognize, capture == .off else { return nil }
        let start = lossTime ?? now
        lossTime = start
        guard now - start >= Self.retryInterval else { return nil }
        capture = .starting
        isTryingAgain = true
        return .resume
    }

    /// The memo is open again, without the microphone.
    private mutating func handleKeepFailure(_ reason: String) -> Action? {
        if isForced { return end(.leave) }
        phase = .keepFailed(reason)
        canRecognize = false
        isVoiceWithheld = false
        hearingTrouble = nil
        return nil
    }

    private mutating func handle(_ key: Key, _ columns: Int, _ time: Double) -> Action? {
        // As Emacs and readline undo too; else the second would delete the line.
        let undoes = isAfterControlX && [.deleteToLineStart, .text("u")].contains(key)
        isAfterControlX = key == .control("X")
        return handleOne(undoes ? .undo : key, columns, time)
    }

    private mutating func handleOne(_ key: Key, _ columns: Int, _ time: Double) -> Action? {
        if isFinishing {
            // Who presses it again does not want to wait.
            return [.enter, .control("C"), .control("D")].contains(key) ? hurry() : nil
        }
        if showsKeys || key == .help {
            // Who has read them goes back to the memo with one of these; any other key does what it does.
            showsKeys.toggle()
            if [.help, .enter, .escape].contains(key) { return nil }
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
        case .control("C") where hasKeepFailed, .control("D") where hasKeepFailed: return end(.leave)
        case .control("O") where hasKeepFailed: return end(.keepElsewhere)
        case .enter, .control("C"), .control("D"): return finish()
        case .control("P"): return toggleMicrophone()
        case .control("R"): return restore()
        case .control("T"): return dropEarlier()
        case .control("Z"): return .suspend
        case .control("L"): return .redraw
        default:
            text.apply(key, columns: columns, time: time)
            return nil
        }
    }

    private mutating func finish(isForced: Bool = false) -> Action? {
        phase = .finishing(Finishing(isForced: isForced))
        showsKeys = false
        escapeTime = nil
        return hasSpeechEnded ? end(.keep) : .finish
    }

    private mutating func hurry() -> Action {
        speechHasEnded()
        return end(.hurry)
    }

    private mutating func end(_ action: Action) -> Action {
        if !isOver { phase = .over(after: phase) }
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

    /// The offer is declined.
    private mutating func dropEarlier() -> Action? {
        guard abandoned != nil, canRestore else { return nil }
        abandoned = nil
        return .dropEarlier
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
