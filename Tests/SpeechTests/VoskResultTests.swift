import Foundation
import Testing

@testable import Speech

@Suite("A result of libvosk")
struct VoskResultTests {
    private func read(_ json: String) -> Hypothesis? {
        VoskResult.hypothesis(from: Data(json.utf8), sampleRate: 16_000)
    }

    @Test("has its words with times in samples and confidences, without words that are not in the vocabulary")
    func words() throws {
        let hypothesis = try #require(
            read(
                """
                {"result":[{"conf":1.0,"end":0.81,"start":0.48,"word":"one"},{"conf":0.5,"end":1.11,"start":0.81,"word":"[unk]"},
                           {"conf":0.5,"end":1.5,"start":1.2,"word":"two"}],"text":"one [unk] two"}
                """))
        #expect(hypothesis.alternatives.count == 1 && hypothesis.best.text == "one two")
        #expect(hypothesis.best.words.map(\.range) == [7680..<12_960, 19_200..<24_000])
        #expect(hypothesis.best.words.map(\.confidence) == [1, 0.5] && hypothesis.best.confidence == 0.75)
    }

    @Test("with invalid figures has its text, and figures within their bounds")
    func senseless() throws {
        let hypothesis = try #require(
            read(
                """
                {"result":[{"conf":1e308,"end":1e308,"start":-1e308,"word":"a"},{"conf":-7,"end":2,"start":5,"word":"b"}],"text":"a b"}
                """))
        #expect(hypothesis.best.text == "a b" && hypothesis.best.confidence == 0.5)
        #expect(hypothesis.best.words.map(\.confidence) == [1, 0])
        #expect(hypothesis.best.words.map(\.range) == [0..<51_200_000_000_000, 80_000..<80_000])
        let alternatives = try #require(
            read(#"{"alternatives":[{"confidence":1e308,"text":" a"},{"confidence":-1e308,"text":"b "}]}"#))
        #expect(
            alternatives.alternatives.map(\.confidence) == [1, 0]
                && alternatives.alternatives.map(\.text) == ["a", "b"])
    }

    @Test(
        "in another form is refused",
        arguments: [
            "", "{}", "[]", "null", #"{"text":1}"#, #"{"result":[]}"#, #"{"text":"a","result":[{"word":"a"}]}"#,
        ])
    func refused(_ json: String) {
        #expect(read(json) == nil)
    }
}
