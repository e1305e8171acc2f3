/// A word and when it was said.
struct TranscribedWord: Sendable, Equatable {
    var text: String
    /// In seconds from the start of the file.
    var start: Double
    /// In seconds from the start of the file.
    var end: Double
    /// From 0 to 1; nil when the model gives none.
    var confidence: Double?
}

/// What a final result says: an utterance.
struct TranscribedSegment: Sendable, Equatable {
    /// Another reading of the same sound.
    struct Alternative: Sendable, Equatable {
        var text: String
        var confidence: Double?
    }

    var text: String
    /// The text as it was before it was written otherwise; nil when it is the same.
    var heard: String?
    /// Whether its line breaks are meant: a user has said or made them.
    var hasOwnLines = false
    /// In seconds from the start of the file.
    var start: Double
    /// In seconds from the start of the file.
    var end: Double
    /// From 0 to 1; nil when the model gives none.
    var confidence: Double?
    var words: [TranscribedWord] = []
    var alternatives: [Alternative] = []
    /// Counted from 1; nil unless channels are transcribed apart.
    var channel: Int?
    /// Whose text it is; nil when there was one pass only.
    var pass: String?

    /// The text for outputs in which line breaks mean something: one line, but for those that are meant.
    var lines: String {
        guard hasOwnLines else { return text.singleLine }
        return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { String($0).singleLine }
            .joined(separator: "\n")
    }
}
