extension MemoMachine {
    enum Event: Equatable {
        /// A key was pressed, at a time in seconds on a clock that never goes back.
        case key(Key, columns: Int, time: Double)
        /// The present time, in seconds on the clock of the keys.
        case time(Double)
        /// A guess at what is being said.
        case volatile(String)
        /// A final, in the order in which they were said, which replaces the guess; empty when that is withdrawn. A guess at the speech
        /// after it follows at once.
        case final(String)
        /// The final of an utterance, as the text rules have written it.
        case written(WrittenSpeech)
        case modelReady
        /// The number of utterances that are not decided, while the memo finishes.
        case undecided(Int)
        /// The microphone hears something as loud as speech.
        case loud
        /// Nothing can be recognized, for a reason that is a sentence.
        case recognitionFailed(String)
        case captureStarted
        /// The microphone was turned off, and all of its sound has reached the recognizer.
        case captureEnded
        /// The microphone can't be opened, or is gone, for a reason that is a sentence; with the exit code for a memo without text.
        case captureFailed(String, ExitCode = .unavailable)
        /// The text was written to the disk, or could not be; `failure` is then a sentence that says why.
        case recorded(failure: String?)
        /// A warning for the user, in a sentence.
        case warning(String)
        /// Something that this memo lacks, in a sentence: a warning that the last line repeats.
        case loss(String)
        /// What the capture has lost of the sound until now, a sentence for each kind, in place of what was lost before.
        case soundLost([String])
        /// What needs the user's attention in the outbox, in a sentence.
        case waits(String)
        /// What is wrong with an open microphone as long as it lasts: a sentence, or nil.
        case microphoneTrouble(String?)
        /// An earlier memo was cut off, which began at a time such as `14:22`. Its place is nil when that is this memo's, or unknown.
        case foundAbandoned(time: String, place: String? = nil)
        /// The text of the earlier memo, which becomes this memo's, and a sentence that says where it will go, unless that is the
        /// place of this memo anyway.
        case restored(String, mayHaveGuess: Bool = false, notice: String? = nil)
        /// The memo must end, because of a signal or because the terminal is gone.
        case mustEnd
        /// The memo must end at once, because of another signal.
        case mustHurry
        /// No more results come from the recognizer.
        case speechEnded
        /// The memo could not be kept, for a reason that is a sentence.
        case keepFailed(String)
    }

    /// An action that the caller must perform.
    enum Action: Equatable {
        /// Turn the microphone off; `captureEnded` follows.
        case pause
        /// Turn the microphone on; `captureStarted` or `captureFailed` follows.
        case resume
        /// Make the speech that was heard so far final.
        case finalize
        /// Restore the earlier memo; `restored` follows, or a `warning`.
        case restore
        /// Throw the earlier memo away; `foundAbandoned` follows if there is another, or if that fails.
        case dropEarlier
        /// Stop the process, as Ctrl-Z does.
        case suspend
        case redraw
        /// Turn the microphone off for good, and recognize the rest; `speechEnded` follows.
        case finish
        /// End the memo as `keep` does, without waiting for the recognizer any longer.
        case hurry
        /// Hear again, with another recognizer, for the memo is open again; `captureStarted` or `captureFailed` follows if the microphone is
        /// to be on.
        case hearAgain(isOn: Bool)
        /// End the memo: keep the text, where `keepsElsewhere` says.
        case keep
        /// End the memo: leave the text on the screen.
        case leave
        /// End the memo: discard the text.
        case discard
    }
}

extension Key {
    /// Whether the key has no other effect while the list of keys is shown than to hide it: F1, Enter, Esc, and a typed character. Several
    /// characters at once are no key: they were typed ahead.
    var onlyHidesKeys: Bool {
        switch self {
        case .help, .enter, .escape: true
        case .text(let typed): typed.count == 1
        default: false
        }
    }
}

extension MemoMachine.Event {
    static func captureFailure(_ error: any Error) -> Self {
        let error = CommandError(error)
        return .captureFailed(error.message, error.exitCode)
    }

    var isKeepFailure: Bool { if case .keepFailed = self { true } else { false } }
}
