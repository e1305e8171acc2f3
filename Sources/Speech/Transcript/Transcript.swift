import Foundation

/// The text of a session in two strings: what is final, and the guess at what is being said.
///
/// ```swift
/// var transcript = Transcript()
/// for try await result in transcriber.results {
///     transcript.apply(result)
///     draw(transcript.finalized, dimmed: transcript.volatile)
/// }
/// ```
public struct Transcript: Equatable, Sendable {
    /// Final results, one after another with a space between them. It only ever grows.
    public private(set) var finalized = AttributedString()
    /// The guess at what comes next; empty when there is none.
    public private(set) var volatile = AttributedString()

    public init() {}

    /// A final result is appended and clears the guess, a volatile one replaces it.
    public mutating func apply(_ result: SpeechTranscriber.Result) {
        apply(result.text, isFinal: result.isFinal)
    }

    /// The same for text from elsewhere.
    public mutating func apply(_ text: AttributedString, isFinal: Bool) {
        guard isFinal else {
            volatile = text
            return
        }
        volatile = AttributedString()
        guard !text.characters.isEmpty else { return }
        if !finalized.characters.isEmpty { finalized += AttributedString(" ") }
        finalized += text
    }

    /// Both strings as one, the guess at the end.
    public var text: AttributedString {
        finalized.characters.isEmpty || volatile.characters.isEmpty
            ? finalized + volatile : finalized + AttributedString(" ") + volatile
    }
}
