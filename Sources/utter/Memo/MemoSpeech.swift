import Audio
import Models
import Speech

/// The hearing half of a memo: the microphone and the recognizer, and what comes from them as events.
struct MemoSpeech: Sendable {
    private let microphone: Microphone
    private let analyzer: SpeechAnalyzer
    private let transcriber: ChosenTranscriber
    private let choice: RecognitionChoice
    private let writing: Writing
    private let voice: MemoVoice
    private let send: @Sendable (MemoMachine.Event) -> Void

    /// - Parameters:
    ///   - microphone: whose input nobody reads yet.
    ///   - send: takes the events, on any thread.
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

    /// Recognizes what comes from the microphone until it is stopped. Returns when all of it has been sent, or nothing more can come.
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
            // Not before its end: a session that is asked to finish makes nothing final in between.
            _ = try await reading
            try await analyzer.finalizeAndFinishThroughEndOfInput()
        } catch {
            send(.recognitionFailed(CommandError(error).message))
            await analyzer.cancelAndFinishNow()
        }
        await results
        send(.speechEnded)
    }

    /// Returns when the recognizer has stopped, after it was said, or the task is cancelled.
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
        // Two at once would leave one that nobody can turn off.
        await microphone.pause()
        do throws(CaptureError) {
            try await microphone.start()
            send(.captureStarted)
        } catch {
            send(.captureFailed(CommandError(error).message))
        }
    }

    /// Turns it off. What it had heard is still taken in.
    func pause() async { await microphone.pause() }

    /// Makes final what has been taken in.
    func finalize() async {
        // What is wrong with it comes by way of `run`.
        try? await analyzer.finalize()
    }

    /// Ends the hearing: `run` goes on to the last word.
    func stop() async { await microphone.stop() }

    /// Ends it at once, with what has been heard so far.
    func cancel() async { await analyzer.cancelAndFinishNow() }

    /// Leaves nothing behind but a recognizer that does not return.
    ///
    /// - Parameter hearing: runs `run`.
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
            // The engine's own failure is thrown by the finish as well.
        }
    }

    /// A final as it is to be written; another event as it is.
    private func written(_ event: MemoMachine.Event, of pass: RecognitionPass) async -> MemoMachine.Event {
        guard case .final(let words) = event, !words.isEmpty, let speech = await writing.written(words, of: pass) else { return event }
        return .written(speech)
    }
}
