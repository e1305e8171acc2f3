import TestSupport

@testable import utter

/// Random material for the command's tests.
extension SplitMix64 {
    /// A text of random scalars, half of them from troublesome ranges.
    mutating func text(maximumLength: Int = 24) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...maximumLength, using: &self) {
            let range: ClosedRange<UInt32> =
                [
                    0...0x2F, 0x60...0xFF, 0x300...0x36F, 0x2000...0x206F, 0x3000...0xD7FF, 0x1F300...0x1FAFF,
                    0...0x10FFFF,
                ]
                .randomElement(using: &self)!
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &self)) { text.append(scalar) }
        }
        return String(text)
    }

    /// An utterance as a recognizer might return it, with words, pauses between them, and some oddities.
    mutating func segment(from start: Double, maximumWords: Int = 60, channel: Int? = nil) -> TranscribedSegment {
        var words: [TranscribedWord] = []
        var time = start
        for _ in 0..<Int.random(in: 0...maximumWords, using: &self) {
            time += [0, 0, 0, 0.05, 0.3, 1.5, 4].randomElement(using: &self)!
            let length = [1, 2, 3, 5, 8, 13, 30, 43, 100].randomElement(using: &self)!
            let letters = ["abcdefgh", "äßéñ", "안녕하세요", "日本語", "👩‍👩‍👧🇩🇪", "a&<>-"].randomElement(using: &self)!
            let word = String((0..<length).map { _ in letters.randomElement(using: &self)! })
            let end = time + Double.random(in: 0...0.8, using: &self)
            words.append(TranscribedWord(text: word, start: time, end: end, confidence: nil))
            time = end
        }
        return TranscribedSegment(
            text: words.map(\.text).joined(separator: " "), start: start, end: time, words: words, channel: channel)
    }
}
