import Foundation

/// The text of a session in two strings: the final text, and the guess at the speech after it.
///
/// ```swift
/// var transcript = Transcript()
/// for try await result in transcriber.results {
///     transcript.apply(result)
///     draw(transcript.finalized, dimmed: transcript.volatile)
/// }
/// ```
public struct Transcript: Equatable, Sendable {
    /// The text of the final results, one after the other. It only grows.
    public private(set) var finalized = AttributedString()
    /// The guess at the speech after the final text; empty if there is none.
    public private(set) var volatile = AttributedString()

    /// Creates an empty transcript.
    public init() {}

    /// Adds a result: a final one is appended and clears the guess, a volatile one replaces the guess.
    public mutating func apply(_ result: SpeechTranscriber.Result) {
        apply(result.text, isFinal: result.isFinal)
    }

    /// Adds text from any source, with no space before it: final text is appended and clears the guess, other text replaces
    /// the guess.
    public mutating func apply(_ text: AttributedString, isFinal: Bool) {
        guard isFinal else {
            volatile = text
            return
        }
        volatile = AttributedString()
        finalized += text
    }

    /// The final text followed by the guess.
    public var text: AttributedString { finalized + volatile }
}
