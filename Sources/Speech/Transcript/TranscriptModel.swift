import Observation

/// A `Transcript` that whoever draws it can observe.
///
/// ```swift
/// let model = TranscriptModel()
/// try await model.follow(transcriber)   // returns when the session has ended
/// ```
@MainActor
@Observable
public final class TranscriptModel {
    public private(set) var transcript = Transcript()
    /// Whether results may still come.
    public private(set) var isFollowing = false

    public init() {}

    /// Takes in a transcriber's results until they end.
    ///
    /// - Throws: what went wrong in the transcriber. The text so far stays.
    public func follow(_ transcriber: SpeechTranscriber) async throws {
        isFollowing = true
        defer { isFollowing = false }
        for try await result in transcriber.results { transcript.apply(result) }
    }
}
