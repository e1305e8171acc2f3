/// Who has heard a text, and which of the two a model is for.
public enum RecognitionPass: String, Hashable, Sendable, CaseIterable {
    /// The engine that guesses at once and finds where utterances end: libvosk, whose models are folders.
    case first
    /// The stronger model that decodes an utterance when it has ended: libtranscribe, whose models are GGUF files.
    case second
}

/// What was said from one pause to the next, with the times of the stream; positions are in samples at the model's rate.
struct Utterance: Equatable, Sendable {
    /// The ranges of final utterances follow on one another through the whole stream, silences aside.
    var range: Range<Int64>
    /// Best first, never empty. The words' ranges lie inside the utterance's.
    var alternatives: [Hypothesis.Alternative]
    var isFinal: Bool
    /// Whose text it is.
    var pass = RecognitionPass.first
    /// Those of a final utterance, where somebody asked for them.
    var samples: [Int16] = []
    /// Of a guess at several: those that have ended and wait for their second pass, then what is being said.
    var parts: [Utterance] = []

    var text: String { alternatives[0].text }
}
