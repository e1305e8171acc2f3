/// Who has heard a text, and which of the two a model is for.
public enum RecognitionPass: String, Hashable, Sendable, CaseIterable {
    /// The engine that guesses at once and finds where utterances end: libvosk, whose models are folders.
    case first
    /// The stronger model that decodes an utterance when it has ended: libtranscribe, whose models are GGUF files.
    case second
}
