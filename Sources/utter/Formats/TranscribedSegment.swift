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
}
