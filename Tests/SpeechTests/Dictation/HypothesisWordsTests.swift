import Testing

@testable import Speech

@Suite("Words with times")
struct HypothesisWordsTests {
    /// Returns words of which each is 100 samples long.
    private func words(_ text: String) -> [Hypothesis.Word] {
        text.split(separator: " ").enumerated().map { index, word in
            let start = Int64(index) * 100
            return Hypothesis.Word(text: String(word), range: start..<start + 100, confidence: nil)
        }
    }

    @Test("The words before a pause end with the mark beside it, if their times are not exact")
    func beforePause() {
        #expect(words("so it was, and it is").count(before: 350..<600) == 3)
        #expect(words("so it was and, it is").count(before: 350..<600) == 4)
        #expect(words("so it, was and it is").count(before: 350..<600) == 2)
        #expect(words("so, it was and it is").count(before: 350..<600) == 4)
        #expect(words("so it was and it is").count(before: 350..<600) == 4)
        #expect(words("so it was, and it is").count(before: 350..<350) == 4)
        #expect(words("so it.").count(before: 150..<600) == 2 && words("").count(before: 1..<2) == 0)
    }
}
