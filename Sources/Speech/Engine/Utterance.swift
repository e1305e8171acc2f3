/// What was said from one pause to the next, with the times of the stream; positions are in samples at the model's rate.
struct Utterance: Equatable, Sendable {
    /// The ranges of final utterances follow on one another through the whole stream, silences aside.
    var range: Range<Int64>
    /// Best first, never empty. The words' ranges lie inside the utterance's.
    var alternatives: [Hypothesis.Alternative]
    var isFinal: Bool

    var text: String { alternatives[0].text }
}
