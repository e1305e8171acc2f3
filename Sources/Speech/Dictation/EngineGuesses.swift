import Models

/// The guesses of an engine that hears a stream while it comes, at words that another engine will decide.
final class EngineGuesses {
    /// Nil after a failure: its guesses never become final, so there are just no more.
    private var pipeline: RecognitionPipeline?
    private let heard: Words

    private final class Words {
        /// The words of the engine's final utterances, then those of the one being spoken.
        var ended: [Hypothesis.Word] = []
        var spoken: [Hypothesis.Word] = []
        var hasChanged = false
    }

    init(engine: any SpeechEngine, configuration: RecognizerConfiguration, guessesEarly: Bool) throws(SpeechError) {
        var configuration = configuration
        configuration.volatileWordTimes = true
        let heard = Words()
        self.heard = heard
        pipeline = try RecognitionPipeline(
            engine: engine, configuration: configuration,
            settings: RecognitionPipeline.Settings(reportsVolatile: true, guessesEarly: guessesEarly)
        ) { utterance in
            let words = utterance.alternatives[0].words
            if utterance.isFinal { heard.ended += words }
            heard.spoken = utterance.isFinal ? [] : words
            heard.hasChanged = true
        }
    }

    /// Whether the words have changed since `words(after:)` was called.
    var hasChanged: Bool { heard.hasChanged }

    /// Takes the next samples.
    func append(_ samples: UnsafeBufferPointer<Int16>) {
        do throws(SpeechError) { try pipeline?.append(samples) } catch { pipeline = nil }
    }

    /// Takes the words of the samples so far as final.
    func finalize() {
        do throws(SpeechError) { try pipeline?.finalize() } catch { pipeline = nil }
    }

    /// Returns the words after a delivered sample, and forgets those before.
    func words(after start: Int64) -> [Hypothesis.Word] {
        forget(before: start)
        heard.hasChanged = false
        return heard.ended + heard.spoken.filter { $0.range.middle > start }
    }

    /// Forgets the words before a delivered sample.
    func forget(before start: Int64) { heard.ended.removeAll { $0.range.middle <= start } }

    func retire() { pipeline?.retire() }
}
