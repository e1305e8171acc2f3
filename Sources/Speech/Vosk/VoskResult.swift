import Foundation
import System

/// A result of libvosk, which it writes as JSON.
struct VoskResult: Decodable {
    struct Word: Decodable {
        var word: String
        var start: Double
        var end: Double
        var conf: Double?
    }

    struct Alternative: Decodable {
        var text: String
        /// The raw likelihood of the path, not a probability.
        var confidence: Double
        var result: [Word]?
    }

    var text: String?
    var partial: String?
    var result: [Word]?
    var partial_result: [Word]?
    var alternatives: [Alternative]?

    /// Decodes a result of libvosk, with times in seconds; `nil` if `json` is not one.
    static func hypothesis(from json: Data, sampleRate: Int) -> Hypothesis? {
        guard let result = VoskResult(json: json) else { return nil }
        if let alternatives = result.alternatives, !alternatives.isEmpty {
            let confidences = softmax(alternatives.map(\.confidence))
            return Hypothesis(
                alternatives: zip(alternatives, confidences).map { alternative, confidence in
                    make(alternative.text, alternative.result, confidence: confidence, sampleRate: sampleRate)
                })
        }
        guard let text = result.text ?? result.partial else { return nil }
        return Hypothesis(
            alternatives: [make(text, result.result ?? result.partial_result, confidence: nil, sampleRate: sampleRate)])
    }

    private static func make(_ text: String, _ words: [Word]?, confidence: Double?, sampleRate: Int)
        -> Hypothesis.Alternative
    {
        let known = (words ?? []).filter { $0.word != VoskModel.unknownWord }.map { word in
            let start = samples(word.start, sampleRate)
            return Hypothesis.Word(
                text: word.word, range: start..<max(start, samples(word.end, sampleRate)),
                confidence: word.conf.map { min(max($0, 0), 1) })
        }
        // Words that are not in the vocabulary have no text. The text of an alternative also ends with a space.
        let text = text.split(separator: " ").filter { $0 != VoskModel.unknownWord }.joined(separator: " ")
        let spoken = known.compactMap(\.confidence)
        return Hypothesis.Alternative(
            text: text, words: known,
            confidence: confidence ?? (spoken.isEmpty ? nil : spoken.reduce(0, +) / Double(spoken.count)))
    }

    private static func samples(_ seconds: Double, _ sampleRate: Int) -> Int64 {
        // Limited to a hundred years, so that no number in a result can overflow.
        guard seconds.isFinite else { return 0 }
        return Int64((min(max(seconds, 0), 3.2e9) * Double(sampleRate)).rounded())
    }

    /// Converts likelihoods, which have no scale, to shares of 1.
    private static func softmax(_ values: [Double]) -> [Double] {
        let greatest = values.max() ?? 0
        let powers = values.map { exp($0 - greatest) }
        let sum = powers.reduce(0, +)
        return powers.map { $0 / sum }
    }
}
