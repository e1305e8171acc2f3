import Models

/// The text from one pause to the next, with its times in the stream. Positions are in samples at the model's rate.
struct Utterance: Equatable, Sendable {
    /// The range in the stream. The ranges of final utterances follow each other through the whole stream, except for
    /// silence.
    var range: Range<Int64>
    /// The alternatives, best first; never empty. The words' ranges lie in the utterance's.
    var alternatives: [Hypothesis.Alternative]
    var isFinal: Bool
    /// The pass that has recognized the text.
    var pass = RecognitionPass.first
    /// The code of the language, where the engine was told it or has detected it.
    var language: String?
    var text: String { alternatives[0].text }

    /// Whether the language has spaces between sentences.
    var writesSpaces: Bool { !["ja", "zh", "yue", "th", "lo", "km", "my"].contains(language ?? "") }
}
