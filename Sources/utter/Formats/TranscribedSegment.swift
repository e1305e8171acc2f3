import Foundation
import Speech

/// A word and when it was said.
struct TranscribedWord: Sendable, Equatable {
    var text: String
    /// When the word begins, in seconds from the start of the file.
    var start: Double
    /// When the word ends, in seconds from the start of the file.
    var end: Double
    /// The confidence, from 0 to 1; nil when the model gives none.
    var confidence: Double?
}

/// An utterance: the content of a final result.
struct TranscribedSegment: Sendable, Equatable {
    /// Another reading of the same sound.
    struct Alternative: Sendable, Equatable {
        var text: String
        var confidence: Double?
    }

    var text: String
    /// The code of the language; nil when it is not known.
    var language: String?
    /// The recognized text, before the writing rules and filters changed it; nil when they did not.
    var heard: String?
    /// Whether to keep the text's line breaks, because they were dictated or made by the user's filter.
    var hasOwnLines = false
    /// When the utterance begins, in seconds from the start of the file.
    var start: Double
    /// When the utterance ends, in seconds from the start of the file.
    var end: Double
    /// The confidence, from 0 to 1; nil when the model gives none.
    var confidence: Double?
    var words: [TranscribedWord] = []
    var alternatives: [Alternative] = []
    /// The channel, counted from 1; nil unless channels are transcribed separately.
    var channel: Int?
    /// The name of the one who speaks, which is that of the channel; nil where it has none. Untrusted.
    var speaker: String?
    /// Whether it begins while someone on another channel still speaks, for long enough to be noticed.
    var overlaps = false
    /// Whether it is the command that takes back what was said before. A transcript has its words.
    var takesBack = false
    /// The pass that the text is from; nil when there was only one pass.
    var pass: String?
    /// When the utterance began, for speech that is heard while it is spoken; nil for a recording.
    var spokenAt: Date?

    /// The sentences of a text with times, as a result without a guess before it has them; itself if it is one.
    var sentences: [TranscribedSegment] {
        // Not in a script without spaces.
        guard words.map(\.text).joined(separator: " ") == text, !words.isEmpty else { return [self] }
        return divided(at: [0] + SentenceEnd.starts(of: words.map { (text: $0.text, start: $0.start, end: $0.end) }))
    }

    /// Returns the parts that begin with the words at some places, the first of which is 0.
    func divided(at starts: [Int]) -> [TranscribedSegment] {
        zip(starts, starts.dropFirst() + [words.count]).map { start, next in
            var part = self
            part.words = Array(words[start..<next])
            part.text = part.words.map(\.text).joined(separator: " ")
            if start > 0 { part.start = words[start].start }
            if next < words.count { part.end = words[next - 1].end }
            part.spokenAt = spokenAt?.addingTimeInterval(part.start - self.start)
            return part
        }
    }

    /// Who speaks, in one line: the name, or else the number of the channel; nil where channels are not separate.
    var label: String? { speaker?.singleLine ?? channel.map(String.init) }

    /// The text in one line, except for the line breaks that `hasOwnLines` keeps.
    var lines: String {
        guard hasOwnLines else { return text.singleLine }
        return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { String($0).singleLine }
            .joined(separator: "\n")
    }
}
