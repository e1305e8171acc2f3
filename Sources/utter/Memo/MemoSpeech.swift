import Audio
import Models
import Speech

/// What a memo hears with: runs a microphone and a recognizer of its sound, and sends what comes from them as events. A memo that could
/// not be kept, and is open again, hears with another.
struct MemoSpeech: Sendable {
    let microphone: Microphone
    let session: RecognitionSession
    private let send: @Sendable (MemoMachine.Event) -> Void
    /// Ends when all results have been sent, or no more can come.
    private let recognition: Task<Void, Never>

    /// Loads the model, and recognizes the sound of a microphone, whose input nobody reads yet, until that is stopped. Events are sent
    /// on any thread.
    init(
        _ microphone: Microphone, _ choice: RecognitionChoice, _ writing: Writing,
        send: @escaping @Sendable (MemoMachine.Event) -> Void
    ) {
        let warn = { @Sendable in send(.warning($0)) }
        let transcriber = choice.liveTranscriber(
            guesses: true, guessesEarly: true, finalizesFrequently: false, report: warn)
        let session = RecognitionSession(choice, transcriber, warn: warn)
        (self.microphone, self.session, self.send) = (microphone, session, send)
        recognition = Task {
            let counting = Task {
                while !Task.isCancelled {
                    send(.undecided(await transcriber.undecidedCount))
                    try? await Task.sleep(for: .milliseconds(200))
                }
            }
            defer { counting.cancel() }
            await session.run(on: microphone.input) { event in
                switch event {
                case .ready: send(.modelReady)
                case .result(let result):
                    let text = result.text.spoken
                    guard result.isFinal else { return send(.volatile(text)) }
                    for utterance in writing.divided(text, of: result.pass) {
                        send(await Self.final(utterance, of: result.pass, writing))
                    }
                case .failed(let error): send(.recognitionFailed(CommandError(error).message))
                case .ended: send(.speechEnded)
                }
            }
        }
    }

    func listen() async {
        // Of two captures at once, one could never be turned off.
        await microphone.pause()
        do throws(CaptureError) {
            try await microphone.start()
            send(.captureStarted)
        } catch {
            send(.captureFailure(error))
        }
    }

    /// Ends everything within a second, except a recognizer that does not return, which is left running.
    func end() async {
        let isLate =
            await Task { [session, recognition] in
                await session.cancel()
                await recognition.value
            }.value(within: .seconds(1)) == nil
        if isLate { Leaving.leaveBehind() }
    }

    /// The event for the text of a final, which the text rules have written if they concern it.
    private static func final(
        _ words: String, of pass: RecognitionPass, _ writing: Writing
    ) async -> MemoMachine.Event {
        guard !words.isEmpty, let speech = await writing.written(words, of: pass) else { return .final(words) }
        return .written(speech)
    }
}
