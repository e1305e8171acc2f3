/// The state machine of a memo: handles keys, speech and failures, and returns the actions to perform. Pure.
struct MemoMachine {
    private enum Capture { case starting, on, off }

    /// Whether words were said, even if they are no longer in the text.
    enum SaidSpeech {
        /// All sound was recognized, and there were no words in it.
        case none
        case words
        /// Unknown, because not all sound was recognized.
        case unknown
        /// Unknown, because the user did not wait until all sound was recognized.
        case unawaited

        /// Whether words may be missing in the text.
        var isDoubtful: Bool { self == .unknown || self == .unawaited }
    }

    /// The stage that the memo has reached.
    private enum Phase {
        /// The memo is spoken, typed and edited.
        case open
        /// The last speech is being recognized; then the memo is kept.
        case finishing(Finishing)
        /// The memo could not be kept, for the given reason, and is open again.
        case keepFailed(String)
        /// It is decided what to do with the text. Of all events only `keepFailed` still has an effect.
        indirect case over(after: Phase)
    }

    private struct Finishing {
        /// Whether the memo must end, so that the user can no longer be asked.
        var isForced = false
        /// Whether the memo goes to a file of its own, because it could not be kept in its place.
        var isElsewhere = false
        /// When finishing began, in seconds; nil until the next `time` event, unless a key began it.
        var since: Double?
        /// Whether a key was pressed since.
        var hasKeys = false
    }

    var savesSound = false
    private(set) var text = MemoText()
    private(set) var speech = SaidSpeech.none
    private var capture = Capture.starting
    /// Whether the microphone is to be on. A microphone that is starting may be unwanted by now; one that is off always is.
    private var isCaptureWanted = true
    private var isModelReady = false
    private var canRecognize = true
    /// Whether the microphone failed, or could not be opened, while it was wanted. It is tried again from time to time.
    private var isCaptureLost = false
    /// When the microphone was lost, in seconds; nil until the next `time` event.
    private var lossTime: Double?
    private var isTryingAgain = false
    private var hasOpenedMicrophone = false
    /// Why the microphone could not be opened the last time.
    private var openingFailure: CommandError?
    /// Why no sound was heard at all; nil where some may have been.
    var unheard: CommandError? { speech == .none && !hasOpenedMicrophone ? openingFailure : nil }
    /// What is wrong with the open microphone.
    private var microphoneTrouble: String?
    private var phase = Phase.open
    private var hasSpeechEnded = false
    /// The number of utterances that are not decided, while the memo finishes.
    private var undecidedCount = 0
    /// When the recognizer was last heard of, in seconds; nil until the next `time` event.
    private var lastResultTime: Double?
    /// Until when it counts as speaking that it is loud, in seconds.
    private var loudUntil = -Double.infinity
    /// The time of the last `time` event, in seconds.
    private var now = 0.0
    /// When the earlier memo that is offered began, and its place if that is another; nil when none is offered.
    private var abandoned: String?
    /// A sentence that says where the restored memo will go; nil when that is the place of this memo anyway.
    private var placeNotice: String?
    /// Why nothing is heard.
    private var hearingTrouble: String?
    /// Why the text is not on the disk.
    private var diskTrouble: String?
    /// What the user has not dismissed, the oldest first. At most three are shown, and the first goes for another only after a while.
    private var warnings: [String] = []
    /// Since when the first of more warnings than are shown has been there, in seconds; nil until the next `time` event.
    private var warningTime: Double?
    /// What this memo lacks besides lost sound, each a sentence.
    private(set) var losses: [String] = []
    /// What the capture has lost of the sound, each a sentence.
    private var soundLosses: [String] = []
    /// What needs the user's attention in the outbox.
    private var waitingNotice: String?
    /// When Esc was pressed, in seconds; nil after another key, or when `escapeWindow` has passed.
    private var escapeTime: Double?
    private(set) var showsKeys = false
    /// Whether the last key was Control-X.
    private var isAfterControlX = false

    /// The time, in seconds, within which a second Esc discards the memo.
    static let escapeWindow = 1.0
    /// The time, in seconds, after which a lost microphone is tried again.
    static let retryInterval = 3.0
    /// The time of finishing, in seconds, within which a second Enter is a double press.
    static let doublePress = 1.0
    /// The time of finishing, in seconds, after which the notice says how to stop waiting.
    static let finishPatience = 2.0
    /// The time without a result, in seconds, after which the next speech begins at the cursor. Results of the same speech follow at
    /// once.
    static let speechPause = 0.5
    /// The number of warnings that are shown.
    static let mostWarnings = 3
    /// The time, in seconds, after which a warning may go for another.
    static let readingTime = 10.0
    /// The time, in seconds, for which someone counts as speaking after a loud sound; longer than a pause between two words.
    static let hearingTime = 1.0

    var state: LiveState {
        switch lastPhase {
        case .finishing: return .finishing
        case .keepFailed: return .failed
        case .open, .over: break
        }
        if !isCaptureWanted || !canRecognize { return .paused }
        return isModelReady && capture == .on ? .listening : .gettingReady
    }

    /// The state in a few words, with what is known about it.
    var status: String {
        switch state {
        case .listening where isHearing: "hearing you"
        // A slow machine has not even a guess.
        case .listening where undecidedCount > 0: "listening, text to come"
        case .failed where usesMicrophone && isModelReady && capture == .on:
            "\(state.text), \(isHearing ? "hearing you" : LiveState.listening.text)"
        case .paused where canRecognize && (isCaptureLost || isTryingAgain): "no microphone"
        case .finishing where undecidedCount == 1: "finishing: 1 utterance"
        case .finishing where undecidedCount > 1: "finishing: \(undecidedCount) utterances"
        default: state.text
        }
    }

    /// Whether the last key would have erased the guess.
    private var hasTriedToErase = false
    /// Whether somebody speaks. What was said before the microphone gave nothing more may still be decoded.
    private var isHearing: Bool { !text.guess.isEmpty && microphoneTrouble == nil || now < loudUntil }

    /// The sentences that the user should see now; nil when there are none.
    var notice: String? {
        if escapeTime != nil { return "Esc again discards the memo" }
        switch lastPhase {
        case .finishing(let finishing) where now - (finishing.since ?? now) > Self.finishPatience:
            // What is waited for is in `status`.
            return (undecidedCount > 0 ? "" : "the recognizer takes long: ") + outcomeOfHurry
        case .keepFailed(let trouble):
            let keys = "Enter tries again, Ctrl-O keeps it in a file of its own, Ctrl-C leaves it on the screen"
            return (["\(keys): \(trouble)"] + troublesOfHearing).joined(separator: "; ")
        default: break
        }
        let offer =
            canRestore
            ? abandoned.map { "a memo of \($0) was cut off: Ctrl-R brings it back, Ctrl-T throws it away" } : nil
        let erasing = hasTriedToErase && text.isBehindGuess ? "what is dim can be erased once it is final" : nil
        let disk = diskTrouble.map { "nothing is safe before Enter: \($0)" }
        // The longest sentence comes last, for the end of the notice may be cut off.
        let sentences =
            [erasing, offer, placeNotice, waitingNotice, disk].compactMap { $0 } + warnings.prefix(Self.mostWarnings)
            + troublesOfHearing
        return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
    }

    /// What becomes of the memo if the user does not wait.
    private var outcomeOfHurry: String {
        if !MemoText.kept(text.text).isEmpty || !text.guess.isEmpty { return "Enter again keeps what is here" }
        return "Enter again keeps \(savesSound ? "the sound alone" : "nothing"): there is no text yet"
    }

    private var troublesOfHearing: [String] {
        soundLosses + [usesMicrophone ? microphoneTrouble : nil, hearingTrouble].compactMap { $0 }
    }

    /// Whether to show the hint about keys: only while the memo is empty.
    var showsHint: Bool { text.text.isEmpty && text.guess.isEmpty && !isFinishing && !hasKeepFailed && !showsKeys }

    /// The phase, or the phase before the memo was over.
    private var lastPhase: Phase { if case .over(let last) = phase { last } else { phase } }
    /// Whether the microphone is on or starting, for speech that belongs to the memo.
    var usesMicrophone: Bool { capture != .off && isCaptureWanted && canRecognize && !isFinishing }
    private var isFinishing: Bool { if case .finishing = lastPhase { true } else { false } }
    private var hasKeepFailed: Bool { if case .keepFailed = lastPhase { true } else { false } }
    /// Whether the memo is to be kept in a file of its own.
    var keepsElsewhere: Bool { if case .finishing(let finishing) = lastPhase { finishing.isElsewhere } else { false } }
    private var isForced: Bool { if case .finishing(let finishing) = lastPhase { finishing.isForced } else { false } }
    private var isOver: Bool { if case .over = phase { true } else { false } }

    mutating func handle(_ event: Event) -> Action? {
        if isOver, !event.isKeepFailure { return nil }
        switch event {
        case .key(let key, let columns, let time): return handle(key, columns, time)
        case .time(let now): return passTime(now)
        case .volatile(let guess): hear(words: !guess.isEmpty) { $0.setGuess(guess) }
        case .final(let words): hear(words: !words.isEmpty) { $0.acceptFinal(words) }
        case .written(let speech): hear(words: true) { $0.acceptWritten(speech) }
        case .recognitionFailed(let reason): return recognitionHasFailed(reason)
        case .modelReady: isModelReady = true
        case .undecided(let count):
            undecidedCount = count
            if !hasSpeechEnded { text.awaitSpeech(count > 0) }
        case .loud: loudUntil = now + Self.hearingTime
        case .captureStarted: return captureHasStarted()
        case .captureEnded: return isFinishing ? nil : .finalize
        case .captureFailed(let reason, let code): return captureHasFailed(CommandError(reason, code))
        case .recorded(let failure): diskTrouble = failure
        case .warning(let sentence): warn(sentence)
        case .loss(let sentence):
            warn(sentence)
            note(sentence)
        case .soundLost(let sentences): soundLosses = sentences
        case .waits(let sentence): waitingNotice = sentence
        case .microphoneTrouble(let sentence): microphoneTrouble = sentence
        case .foundAbandoned(let time, let place): abandoned = time + (place.map { " for \($0)" } ?? "")
        case .restored(let earlier, let mayHaveGuess, let notice):
            text = MemoText(earlier)
            if speech == .none { speech = .words }
            abandoned = nil
            placeNotice = notice
            dismissWarnings()
            if mayHaveGuess { warn("what was said last may be a guess") }
        case .mustEnd, .mustHurry:
            guard case .finishing(var finishing) = phase else { return finish(isForced: true) }
            // It does as Enter does, and may come more than once when a terminal goes away.
            finishing.isForced = true
            phase = .finishing(finishing)
            return event == .mustEnd ? nil : hurry()
        case .speechEnded:
            speechHasEnded()
            if isFinishing { return end(.keep) }
        case .keepFailed(let reason): return handleKeepFailure(reason)
        }
        return nil
    }

    private mutating func captureHasStarted() -> Action? {
        capture = .on
        hasOpenedMicrophone = true
        // Nothing may be able to hear by now; then it is turned off again.
        if isTryingAgain { isCaptureWanted = canRecognize }
        (isCaptureLost, isTryingAgain) = (false, false)
        if canRecognize { hearingTrouble = nil }
        return isCaptureWanted ? nil : turnOff()
    }

    private mutating func captureHasFailed(_ error: CommandError) -> Action? {
        openingFailure = error
        if capture == .on, isCaptureWanted, !isFinishing { note(Self.microphoneGone) }
        capture = .off
        // After another try in vain there is nothing to make final: that was done when the microphone was lost.
        let isKnown = isTryingAgain
        isCaptureLost = isCaptureWanted || isTryingAgain
        (isCaptureWanted, isTryingAgain, lossTime) = (false, false, nil)
        // Without a recognizer, the reason that is shown stays that of the recognizer.
        if canRecognize { hearingTrouble = "can't hear, typing works, Ctrl-P tries at once: \(error.message)" }
        return isFinishing || isKnown ? nil : .finalize
    }

    private mutating func hear(words: Bool, _ change: (inout MemoText) -> Void) {
        // What was on its way when the last guess became text has its words already.
        if hasSpeechEnded { return }
        lastResultTime = nil
        if words, speech == .none { speech = .words }
        change(&text)
    }

    private mutating func recognitionHasFailed(_ reason: String) -> Action? {
        if hasSpeechEnded { return nil }
        (speech, canRecognize, lastResultTime) = (.unknown, false, nil)
        hearingTrouble = "can't hear, typing works: \(reason)"
        return turnOff()
    }

    private mutating func speechHasEnded() {
        hasSpeechEnded = true
        text.settle()
    }

    private mutating func passTime(_ now: Double) -> Action? {
        self.now = now
        if let first = escapeTime, now - first > Self.escapeWindow { escapeTime = nil }
        passWarnings()
        guard case .finishing(var finishing) = phase else {
            let last = lastResultTime ?? now
            lastResultTime = last
            if now - last >= Self.speechPause { text.endSpeech() }
            return tryAgain(now)
        }
        finishing.since = finishing.since ?? now
        phase = .finishing(finishing)
        return nil
    }

    /// Tries a lost microphone again, at intervals.
    private mutating func tryAgain(_ now: Double) -> Action? {
        guard isCaptureLost, canRecognize, capture == .off else { return nil }
        let start = lossTime ?? now
        lossTime = start
        guard now - start >= Self.retryInterval else { return nil }
        capture = .starting
        isTryingAgain = true
        return .resume
    }

    /// Opens the memo again; leaves the text on the screen if the memo must end.
    private mutating func handleKeepFailure(_ reason: String) -> Action? {
        if isForced { return end(.leave) }
        phase = .keepFailed(reason)
        guard canRecognize else { return nil }
        (hasSpeechEnded, undecidedCount, isModelReady) = (false, 0, false)
        (isTryingAgain, lossTime, lastResultTime, microphoneTrouble) = (false, nil, nil, nil)
        capture = isCaptureWanted ? .starting : .off
        return .hearAgain(isOn: isCaptureWanted)
    }

    // MARK: Warnings

    private static let microphoneGone = "the microphone was gone for a time"

    /// Whether the microphone went while it was on.
    var hasLostMicrophone: Bool { losses.contains(Self.microphoneGone) }

    private mutating func warn(_ sentence: String) {
        if !warnings.contains(sentence) { warnings.append(sentence) }
    }

    /// Notes a loss of which the user is told already.
    private mutating func note(_ loss: String) { if !losses.contains(loss) { losses.append(loss) } }

    /// Removes the first warning when more wait than are shown, and it was there long enough to be read.
    private mutating func passWarnings() {
        let since = warningTime ?? now
        warningTime = warnings.count > Self.mostWarnings ? since : nil
        guard warningTime != nil, now - since >= Self.readingTime else { return }
        warnings.removeFirst()
        warningTime = now
    }

    /// Removes the warnings that are shown.
    private mutating func dismissWarnings() {
        warnings.removeFirst(min(Self.mostWarnings, warnings.count))
        warningTime = nil
    }

    private mutating func handle(_ key: Key, _ columns: Int, _ time: Double) -> Action? {
        // Control-X Control-U and Control-X U undo, as in readline and Emacs. Alone, Control-U deletes to the line's start.
        let undoes = isAfterControlX && [.deleteToLineStart, .text("u")].contains(key)
        isAfterControlX = key == .control("X")
        return handleOne(undoes ? .undo : key, columns, time)
    }

    private mutating func handleOne(_ key: Key, _ columns: Int, _ time: Double) -> Action? {
        if showsKeys || key == .help && !isFinishing {
            showsKeys.toggle()
            if key.onlyHidesKeys { return nil }
        }
        // A memo that must end has nobody who could want it gone.
        if key == .escape, !isForced {
            if let first = escapeTime, time - first <= Self.escapeWindow { return end(.discard) }
            escapeTime = time
            return nil
        }
        if escapeTime != nil {
            escapeTime = nil
            dismissWarnings()
        }
        if isFinishing {
            // The text is still on the screen: what is typed into it is kept with it. A user who presses a key of the end again does not
            // want to wait, unless it was one press too many.
            guard [.enter, .control("C"), .control("D")].contains(key) else {
                typeBehindEnd(key, columns, time)
                return nil
            }
            return isPressedAgain(time) ? hurry() : nil
        }
        switch key {
        case .control("C") where hasKeepFailed, .control("D") where hasKeepFailed:
            speechHasEnded()
            return end(.leave)
        case .control("O") where hasKeepFailed: return finish(since: time, isElsewhere: true)
        case .enter, .control("C"), .control("D"): return finish(since: time)
        case .control("P"): return toggleMicrophone()
        case .control("R"): return restore()
        case .control("T"): return dropEarlier()
        case .control("Z"): return .suspend
        case .control("L"): return .redraw
        default:
            hasTriedToErase = text.erasesGuess(key)
            text.apply(key, columns: columns, time: time)
            return nil
        }
    }

    /// Applies a key that is pressed while the memo finishes. A word that is typed behind the key of the end begins a line: in a paste
    /// without brackets, the words before and behind that key are not one.
    private mutating func typeBehindEnd(_ key: Key, _ columns: Int, _ time: Double) {
        if case .finishing(var finishing) = phase, !finishing.hasKeys {
            finishing.hasKeys = true
            phase = .finishing(finishing)
            if case .text(let typed) = key, !text.isEmpty, typed.first.map({ $0.isLetter || $0.isNumber }) == true {
                text.apply(.newLine, columns: columns, time: time)
            }
        }
        text.apply(key, columns: columns, time: time)
    }

    /// Whether a key that is pressed while the memo finishes is no double press of the one that began it.
    private func isPressedAgain(_ time: Double) -> Bool {
        guard case .finishing(let finishing) = lastPhase, let since = finishing.since, !finishing.isForced else {
            return true
        }
        return time - since >= Self.doublePress
    }

    private mutating func finish(isForced: Bool = false, since: Double? = nil, isElsewhere: Bool = false) -> Action? {
        phase = .finishing(Finishing(isForced: isForced, isElsewhere: isElsewhere, since: since))
        showsKeys = false
        escapeTime = nil
        return hasSpeechEnded ? end(.keep) : .finish
    }

    private mutating func hurry() -> Action {
        if !hasSpeechEnded, unheard == nil, speech != .unknown { speech = .unawaited }
        speechHasEnded()
        return end(.hurry)
    }

    private mutating func end(_ action: Action) -> Action {
        if !isOver { phase = .over(after: phase) }
        return action
    }

    private mutating func toggleMicrophone() -> Action? {
        guard canRecognize else { return nil }
        hearingTrouble = nil
        dismissWarnings()
        if isCaptureWanted { return turnOff() }
        isCaptureWanted = true
        guard capture == .off else { return nil }
        capture = .starting
        return .resume
    }

    /// Makes the microphone unwanted, and turns it off. A microphone that is starting is turned off when it has started.
    private mutating func turnOff() -> Action? {
        isCaptureWanted = false
        // It is not tried again either, and not used if it comes.
        (isCaptureLost, isTryingAgain) = (false, false)
        guard capture == .on, !isFinishing else { return nil }
        capture = .off
        return .pause
    }

    /// Declines the offer to restore the earlier memo.
    private mutating func dropEarlier() -> Action? {
        guard abandoned != nil, canRestore else { return nil }
        abandoned = nil
        return .dropEarlier
    }

    private var canRestore: Bool { text.isEmpty && text.guess.isEmpty && !isFinishing }

    private mutating func restore() -> Action? {
        guard abandoned != nil else { return nil }
        // Two memos can't be joined safely: after a kill in between, text could be kept twice.
        guard canRestore else {
            warn("the memo that was cut off waits: keep this one first")
            return nil
        }
        return .restore
    }
}
