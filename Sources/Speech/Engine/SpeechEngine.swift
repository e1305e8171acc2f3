import Models

/// A loaded model that makes recognizers of streams, as libvosk's does, which guesses, or decides alone. What decodes whole stretches of
/// speech is behind `EngineHost`.
protocol SpeechEngine: Sendable {
    /// The sample rate that the model was trained for, in Hz.
    var sampleRate: Int { get }

    /// Returns an unused recognizer for one stream: one that was kept, or a new one.
    func makeRecognizer(_ configuration: RecognizerConfiguration) throws(SpeechError) -> any SpeechRecognizer

    /// Keeps an unused recognizer for the next stream of its configuration. A used recognizer is not kept: the state of
    /// its graph influences how it decides ties, and equal samples must give equal text.
    func keep(_ recognizer: any SpeechRecognizer)

    /// Returns the words of the phrases that the model does not know.
    ///
    /// - Throws: `.vocabularyNotSupported` if the model's vocabulary is fixed.
    func unknownWords(in phrases: [String]) throws(SpeechError) -> [String]
}

/// The configuration of a recognizer. Recognizers with equal configurations are interchangeable.
struct RecognizerConfiguration: Hashable, Sendable {
    /// The number of alternatives for each utterance; 0 gives one, with a confidence for each word.
    var maximumAlternatives = 0
    /// Whether volatile results have times for their words as well, which costs the engine more than half as much work
    /// again.
    var volatileWordTimes = false
    /// The only phrases to recognize; empty for all.
    var phrases: [String] = []
    /// The rules for the end of an utterance, with which the engine was loaded.
    var endpointing = Endpointing()
}

/// The recognition of one stream. For one thread at a time.
protocol SpeechRecognizer: AnyObject {
    /// The number of samples taken since the recognizer was made; the times of words count from the first.
    var samplesAccepted: Int64 { get }

    /// Decodes more audio, and returns whether an utterance has ended; the caller then calls `endUtterance()`.
    func accept(_ samples: UnsafeBufferPointer<Int16>) throws(SpeechError) -> Bool

    /// Returns the hypothesis of the utterance so far.
    func volatileHypothesis() throws(SpeechError) -> Hypothesis

    /// Returns the hypothesis of the utterance that `accept` has just ended.
    func endUtterance() throws(SpeechError) -> Hypothesis

    /// Decodes all audio that was taken, to the last sample, ends the utterance, and resets the recognizer.
    func flush() throws(SpeechError) -> Hypothesis
}

/// The hypothesis of an engine about an utterance.
struct Hypothesis: Equatable, Sendable {
    struct Word: Equatable, Sendable {
        var text: String
        /// The samples of the word, counted from the recognizer's first sample.
        var range: Range<Int64>
        /// The confidence, 0…1; `nil` if the engine gives none.
        var confidence: Double?
    }

    struct Alternative: Equatable, Sendable {
        var text: String
        /// The words; empty if no times were requested.
        var words: [Word]
        /// The confidence, 0…1; `nil` if the engine gives none.
        var confidence: Double?
    }

    /// The alternatives, best first; never empty.
    var alternatives: [Alternative]

    var best: Alternative { alternatives[0] }
    /// Whether most likely nothing was said.
    var isEmpty: Bool { best.text.isEmpty }

    /// The hypothesis with all times later by a number of samples.
    func moved(by count: Int64) -> Hypothesis {
        Hypothesis(alternatives: alternatives.placed { ($0.lowerBound + count)..<($0.upperBound + count) })
    }

    static let empty = Hypothesis(alternatives: [Alternative(text: "", words: [], confidence: nil)])
}

extension Hypothesis {
    /// Joins the best alternatives of consecutive utterances.
    init(joining parts: [Hypothesis]) {
        let best = parts.map(\.best).filter { !$0.text.isEmpty }
        if best.count == 1, let only = parts.first(where: { !$0.best.text.isEmpty }) {
            self = only
            return
        }
        let confidences = best.compactMap(\.confidence)
        alternatives = [
            Alternative(
                text: best.map(\.text).joined(separator: " "), words: best.flatMap(\.words),
                confidence: confidences.min())
        ]
    }
}

extension [Hypothesis.Alternative] {
    /// The alternatives with other times for their words.
    func placed(_ place: (Range<Int64>) -> Range<Int64>) -> [Hypothesis.Alternative] {
        map { alternative in
            var placed = alternative
            for word in placed.words.indices { placed.words[word].range = place(placed.words[word].range) }
            return placed
        }
    }
}
