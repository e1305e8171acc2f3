import Speech
import Synchronization

/// The recognition of live sound, for `listen` and `memo`: loads the model, reads the input to its end, makes the rest final, and reports
/// what happens meanwhile. The rules of finishing:
///
/// - A finish is requested only at the end of the input, for after that request nothing becomes final at pauses.
/// - After a failure no more results come; those before it stay reported. `ended` comes after all of them.
/// - A recognizer that does not return is left behind. The session ends all the same, with the results until then.
final class RecognitionSession: Sendable {
    enum Event: Sendable {
        /// The model is loaded. Results may come a little earlier.
        case ready
        /// A volatile or final result.
        case result(SpeechTranscriber.Result)
        /// No more can be recognized.
        case failed(any Error)
        /// No more results come. This is the last event, and comes exactly once.
        case ended
    }

    private let choice: RecognitionChoice
    let transcriber: any ChosenTranscriber
    private let analyzer: SpeechAnalyzer
    private let warn: @Sendable (String) -> Void
    /// Whether `cancel()` was called. What fails after that is no failure.
    private let isCancelled = Atomic(false)

    /// Creates a session. Its model is loaded by `run`. Warnings about the vocabulary come on any thread.
    init(
        _ choice: RecognitionChoice, _ transcriber: any ChosenTranscriber, warn: @escaping @Sendable (String) -> Void
    ) {
        (self.choice, self.transcriber, self.warn) = (choice, transcriber, warn)
        analyzer = SpeechAnalyzer(modules: [transcriber])
    }

    /// Recognizes the input to its end. Returns when `ended` has been reported. Results are reported one after another, in order;
    /// `ready` and `failed` may be reported by another task at the same time.
    func run(on input: LiveInput, report: @escaping @Sendable (Event) async -> Void) async {
        async let results: Void = reportResults(report)
        do {
            try await recognize(input, report)
        } catch {
            if !isCancelled.load(ordering: .acquiring) { await report(.failed(error)) }
            // This ends the results, but returns only if the recognizer does.
            Task { [analyzer] in await analyzer.cancelAndFinishNow() }
        }
        await results
        await report(.ended)
    }

    private func reportResults(_ report: @Sendable (Event) async -> Void) async {
        do {
            for try await result in transcriber.results { await report(.result(result)) }
        } catch {
            // The finish throws the engine's error too, and `run` reports it.
        }
    }

    private func recognize(_ input: LiveInput, _ report: @escaping @Sendable (Event) async -> Void) async throws {
        if let warning = try await choice.setVocabulary(of: analyzer, transcriber) { warn(warning) }
        async let reading = analyzer.analyzeSequence(input)
        try await analyzer.prepareToAnalyze()
        await report(.ready)
        _ = try await reading
        try await analyzer.finalizeAndFinishThroughEndOfInput()
    }

    /// Calls `handler` with the time, in seconds, up to which it is known what was said, whenever that changes, on any thread.
    func setProgressHandler(_ handler: @escaping @Sendable (Double) -> Void) async {
        let isDecidedLater = choice.plan.deciding != nil
        await analyzer.setVolatileRangeChangedHandler { range, startChanged, _ in
            guard let range else { return }
            handler(
                isDecidedLater
                    ? SilenceWatch.knownTime(undecided: range, isMoving: startChanged) : range.upperBound.seconds)
        }
    }

    /// Makes the speech that was heard so far final, although the input goes on.
    func finalize() async {
        // An error is reported by `run`.
        try? await analyzer.finalize()
    }

    /// Ends the session at once. Results that were not reported yet are dropped.
    func cancel() async {
        isCancelled.store(true, ordering: .releasing)
        await analyzer.cancelAndFinishNow()
    }
}
