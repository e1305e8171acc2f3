import Foundation

@testable import Speech

/// libvosk's results: words are in the order of their times, and numbers are within their bounds.
enum ResultSubject {
    static func check(_ bytes: [UInt8]) {
        for sampleRate in [8000, 16_000, 768_000] {
            guard let hypothesis = VoskResult.hypothesis(from: Data(bytes), sampleRate: sampleRate) else { return }
            check(hypothesis)
            check(Hypothesis(joining: [hypothesis, .empty, hypothesis]))
        }
    }

    private static func check(_ hypothesis: Hypothesis) {
        require(!hypothesis.alternatives.isEmpty, "there is a best reading")
        for alternative in hypothesis.alternatives {
            check(confidence: alternative.confidence)
            require(
                !alternative.text.split(separator: " ").contains { $0 == "[unk]" },
                "what is not in the vocabulary has no text")
            require(alternative.text.first != " " && alternative.text.last != " ", "no space around the text")
            for word in alternative.words {
                check(confidence: word.confidence)
                require(word.text != "[unk]", "what is not in the vocabulary is no word")
                // A hundred years, so that adding the time of a stream can't overflow.
                require(word.range.lowerBound >= 0 && word.range.upperBound < 1 << 52, "the word lies in the stream")
            }
        }
        let sum = hypothesis.alternatives.reduce(0) { $0 + ($1.confidence ?? 0) }
        if hypothesis.alternatives.count > 1 { require(abs(sum - 1) < 1e-6, "shares of one, not \(sum)") }
    }

    private static func check(confidence: Double?) {
        guard let confidence else { return }
        require((0...1).contains(confidence), "a confidence from 0 to 1, not \(confidence)")
    }
}
