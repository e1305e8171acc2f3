import Audio
import Models
import Speech

/// The speech of a memo: runs the microphone and the recognizer, and sends what comes from them as events.
struct MemoSpeech: Sendable {
    private let microphone: Microphone
    private let analyzer: SpeechAnalyzer
    private let transcriber: ChosenTranscriber
    private let choice: RecognitionChoice
    private let writing: Writing
    private let voice: MemoVoice
    private let send: @Sendable (MemoMachine.Event) -> Void

    /// Creates the recognizer of a memo. Its model is loaded by `run`.
    ///
    /// - Parameters:
    ///   - microphone: the microphone, whose input nobody reads yet.
    ///   - choice: the model and how to use it.
    ///   - writing: writes finals by the text rules.
    ///   - options: the options of the recognition.
    ///   - send: called with each event, on any thread.
    init(
        _ microphone: Microphone, _ choice: RecognitionChoice, _ writing: Writing, _ options: RecognitionOptions,
        send: @escaping @Sendable (MemoMachine.Event) -> Void
    ) {
        self.microphone = microphone
        self.choice = choice
        self.writing = writing
        self.send = send
        voice = MemoVoice(choice.installed)
        transcriber = choice.liveTranscriber(
            guesses: true, guessesEarly: true, endpointing: options.endpointing, report: { send(.warning($0)) })
        analyzer = SpeechAnalyzer(modules: [transcriber.module])
    }

    /// Recognizes the sound of the microphone until it is stopped. Returns when all results have been sent, or no more can come.
    func run() async {
        guard await voice.begin(withhold: { send(.voiceWithheld($0)) }) else { return }
        async let results: Void = sendResults()
        do {
            if choice.hasVocabulary {
                try await analyzer.setContext(choice.context)
                if let warning = await choice.unknownWords(of: transcriber) { send(.warning(warning)) }
            }
            async let reading = analyzer.analyzeSequence(microphone.input)
            try await analyzer.prepareToAnalyze()
            await voice.loaded()
            send(.modelReady)
            // Finishing is requested only at the end of the input, for after that request a session makes nothing final at pauses.
            _ = try await reading
            try await analyzer.finalizeAndFinishThroughEndOfInput()
        } catch {
            send(.recognitionFailed(CommandError(error).message))
            await analyzer.cancelAndFinishNow()
        }
        await results
        send(.speechEnded)
    }

    /// Waits until the recognizer stops returning, and then reports that and cancels it. Returns early when the task is cancelled.
    func watch() async {
        guard await RecognizerWatch.wait() else { return }
        send(.recognizerStopped("the recognizer does not return; utter models verify \(choice.reference) says more"))
        await voice.stopped()
        await cancel()
    }

    /// Loads the model that was held back.
    func tryVoice() { voice.tryAgain() }

    /// Turns the microphone on.
    func listen() async {
        // Of two captures at once, one could never be turned off.
        await microphone.pause()
        do throws(CaptureError) {
            try await microphone.start()
            send(.captureStarted)
        } catch {
            send(.captureFailed(CommandError(error).message))
        }
    }

    /// Turns the microphone off. Its sound until then is still recognized.
    func pause() async { await microphone.pause() }

    /// Makes the speech that was heard so far final.
    func finalize() async {
        // An error is reported by `run`.
        try? await analyzer.finalize()
    }

    /// Turns the microphone off for good. `run` recognizes the rest and returns.
    func stop() async { await microphone.stop() }

    /// Ends the recognition at once. Results that were not sent yet are dropped.
    func cancel() async { await analyzer.cancelAndFinishNow() }

    /// Ends everything within a second, except a recognizer that does not return, which is left running.
    ///
    /// - Parameter hearing: the task that runs `run`.
    func end(_ hearing: Task<Void, Never>) async {
        let isLate =
            await Task { [analyzer, voice] in
                async let cancelling: Void = analyzer.cancelAndFinishNow()
                await voice.end()
                await hearing.value
                await cancelling
            }.value(within: .seconds(1)) == nil
        if isLate { Leaving.leaveBehind() }
    }

    private func sendResults() async {
        var speech = HeardSpeech()
        do {
            for try await result in transcriber.results {
                for event in speech.take(result) { send(await written(event, of: result.pass)) }
            }
        } catch {
            // `run` reports the engine's error, which finishing throws as well.
        }
    }

    /// The event, in which the text rules have written the text of a final; other events are not changed.
    private func written(_ event: MemoMachine.Event, of pass: RecognitionPass) async -> MemoMachine.Event {
        guard case .final(let words) = event, !words.isEmpty, let speech = await writing.written(words, of: pass) else {
            return event
        }
        return .written(speech)
    }
}
