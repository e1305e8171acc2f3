extension MemoMachine {
    enum Event: Equatable {
        /// - Parameter time: when it was pressed, in seconds on a clock that only goes forward.
        case key(Key, columns: Int, time: Double)
        /// So late it is on the same clock.
        case time(Double)
        /// A guess at what is being said.
        case volatile(String)
        /// What was said, as the first pass has it. The final comes later.
        case waiting(String)
        /// What was said, the first first; empty when the guess was for nothing.
        case final(String)
        /// What was said, as the rules of text have written it.
        case written(WrittenSpeech)
        case modelReady
        /// Nothing can be recognized: a sentence.
        case recognitionFailed(String)
        /// The recognizer does not return: a sentence.
        case recognizerStopped(String)
        /// The model is not loaded, since its last use ended badly: a sentence that names Ctrl-P.
        case voiceWithheld(String)
        case captureStarted
        /// The microphone was paused, and all that it had heard has been taken in.
        case captureEnded
        /// The microphone can't be opened, or is gone: a sentence.
        case captureFailed(String)
        /// Whether the text is on the disk: nil, or a sentence that says why not.
        case recorded(failure: String?)
        /// Something the user should know: a sentence.
        case warning(String)
        /// What waits for the user: a sentence.
        case waits(String)
        /// What is wrong with an open microphone as long as it lasts: a sentence, or nil.
        case microphoneTrouble(String?)
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
        /// Throw the earlier memo away; if there is another, then comes `foundAbandoned`.
        case dropEarlier
        /// Stop the process, as Ctrl-Z does.
        case suspend
        case redraw
        /// Hear what was said to the end; then comes `speechEnded`.
        case finish
        /// It is over: keep the text, and wait for the recognizer no longer.
        case hurry
        /// Load the model that was held back.
        ///
        /// - Parameter resumes: whether the microphone is to be turned on as well; then comes `captureStarted` or `captureFailed`.
        case tryVoice(resumes: Bool)
        /// It is over: keep the text.
        case keep
        /// It is over: keep the text in another place.
        case keepElsewhere
        /// It is over: leave the text where it can be seen.
        case leave
        /// It is over: forget the text.
        case discard
    }
}

extension MemoMachine.Event {
    var isKeepFailure: Bool { if case .keepFailed = self { true } else { false } }
}
