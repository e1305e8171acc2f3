import Observation

/// A `Transcript` that a view can observe.
///
/// ```swift
/// let model = TranscriptModel()
/// try await model.follow(transcriber)   // returns when the session has ended
/// ```
@MainActor
@Observable
public final class TranscriptModel {
    /// The text so far.
    public private(set) var transcript = Transcript()
    /// Whether results may still come.
    public private(set) var isFollowing = false

    /// Creates a model with an empty transcript.
    public init() {}

    /// Adds the results of a transcriber until they end.
    ///
    /// - Throws: the error that ended the transcriber. The text so far is kept.
    public func follow(_ transcriber: SpeechTranscriber) async throws {
        isFollowing = true
        defer { isFollowing = false }
        for try await result in transcriber.results { transcript.apply(result) }
    }
}
