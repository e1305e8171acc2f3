import Testing

@testable import Speech

@Suite("A steady guess")
struct SteadyGuessTests {
    private func words(_ text: String, from start: Int64 = 0) -> [Hypothesis.Word] {
        text.split(separator: " ").enumerated().map { index, word in
            let place = start + Int64(index) * 100
            return Hypothesis.Word(text: String(word), range: place..<place + 100, confidence: nil)
        }
    }

    private func shown(_ decoded: String, over shown: String, before: String?) -> String {
        SteadyGuess.words(words(decoded), shown: words(shown), before: before.map { words($0) }).map(\.text)
            .joined(separator: " ")
    }

    @Test("New words at the end are shown, and changed ones there")
    func end() {
        #expect(shown("we go home now", over: "we go", before: "we go") == "we go home now")
        #expect(shown("we go home", over: "we go hum", before: "we go hum") == "we go home")
        #expect(shown("we", over: "we go hum", before: "we go hum") == "we")
        #expect(shown("", over: "we go", before: "we go").isEmpty)
        #expect(shown("we go", over: "", before: "") == "we go")
        #expect(shown("all is new", over: "we go", before: "we go") == "all is new")
    }

    @Test("A word that is changed, new or missing in the middle waits for a second decoding")
    func middle() {
        #expect(shown("we went home now", over: "we go home", before: "we go home") == "we go home now")
        #expect(shown("we went home now", over: "we go home", before: "we went home") == "we went home now")
        #expect(shown("we all go home", over: "we go home", before: "we go home") == "we go home")
        #expect(shown("we all go home", over: "we go home", before: "we all go") == "we all go home")
        #expect(shown("we home", over: "we go home", before: "we go home") == "we go home")
        #expect(shown("we home", over: "we go home", before: "we home") == "we home")
        #expect(shown("He goes", over: "she goes", before: "she goes") == "she goes")
    }

    @Test("A word that five others follow stays, whatever is decoded; one that four follow may change")
    func far() {
        #expect(shown("a too b c d e", over: "a two b c d", before: "a too b c") == "a too b c d e")
        #expect(shown("a too b c d e f", over: "a two b c d e f", before: "a too b c d e") == "a two b c d e f")
        #expect(shown("a too b c d e f", over: "a two b c d e f", before: nil) == "a two b c d e f")
        #expect(shown("well a b c d e f", over: "a b c d e f", before: nil) == "a b c d e f")
    }

    @Test("The beginning of speech behind a cut is that of the newest decoding, and the rest stays")
    func beginsAnew() {
        func shown(_ decoded: String, over shown: String) -> String {
            SteadyGuess.words(words(decoded), shown: words(shown), before: words(shown), beginsAnew: true).map(\.text)
                .joined(separator: " ")
        }
        #expect(shown("it a b c d e f", over: "a b c d e f") == "it a b c d e f")
        #expect(shown("a b c d e f", over: "it a b c d e f") == "a b c d e f")
        #expect(shown("it a b c too d e f g h", over: "a b c two d e f g h") == "it a b c two d e f g h")
    }

    @Test("At a pause, a word in the middle needs no second decoding")
    func pause() {
        #expect(shown("we went home now", over: "we go home", before: nil) == "we went home now")
        #expect(shown("we home", over: "we go home", before: nil) == "we home")
    }

    @Test("Marks and capitals are those of the newest decoding")
    func marks() {
        #expect(shown("We go. Home", over: "we go home", before: "we go home") == "We go. Home")
    }

    @Test("Times ascend although words are from two decodings")
    func times() {
        let steady = SteadyGuess.words(
            words("we went home now"), shown: words("we go home", from: 10_000), before: words("we go home"))
        for (word, next) in zip(steady, steady.dropFirst()) { #expect(word.range.upperBound <= next.range.lowerBound) }
    }
}
