/// Which of the two passes a model is for.
public enum ModelPass: String, Hashable, Sendable, CaseIterable {
    /// It hears while one speaks: a folder that libvosk reads.
    case first
    /// It hears each utterance again when that has ended, and writes capitals and punctuation: one GGUF file, which libtranscribe reads.
    case second
}
