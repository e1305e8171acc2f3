import TestSupport
import Testing

@testable import Speech

@Suite("What is plausible as the text of speech")
struct PlausibilityTests {
    private func judge(_ text: String, _ seconds: Double = 3) -> String {
        switch Plausibility.judge(DecodedText(text: text), seconds: seconds) {
        case .speech(let text): text.text
        case .nothing: "nothing"
        case .doubtful: "doubtful"
        }
    }

    @Test(
        "Remarks on sounds are no text",
        arguments: [
            "", " ", "...", "[Music]", "(keyboard clicking)", "♪", "♪ ♪", "(a note)", "(laughs) (coughs)", "*sighs*",
            "[noise] [noise]", "*laughs* (coughs)",
        ])
    func remarks(_ text: String) { #expect(judge(text) == "nothing") }

    @Test(
        "What is said beside a remark is kept",
        arguments: [
            ("Hello, world.", "Hello, world."), ("[noise] Yes, sir. [noise]", "Yes, sir."), ("[Yes, sir.", "Yes, sir."),
            ("(laughs) Yes, sir. (laughs)", "(laughs) Yes, sir. (laughs)"), ("(Yes, sir.", "(Yes, sir."),
            ("*sighs* Yes, sir. *laughs*", "*sighs* Yes, sir. *laughs*"), ("♪ la la ♪", "la la"), ("]so[", "so"),
            ("No, no, no, no.", "No, no, no, no."), ("(yes", "(yes"), ("a) b", "a) b"),
        ])
    func kept(_ text: String, _ kept: String) { #expect(judge(text) == kept) }

    @Test("Words and segments that are remarks go with them")
    func pieces() {
        let pieces = ["[noise]", "Yes.", "♪"].map { DecodedText.Piece(text: $0, time: 0..<100) }
        let text = DecodedText(text: "[noise] Yes. ♪", confidence: 0.5, words: pieces, segments: pieces)
        guard case .speech(let spoken) = Plausibility.judge(text, seconds: 1) else {
            Issue.record("there is speech")
            return
        }
        #expect(spoken.words.map(\.text) == ["Yes."] && spoken.segments.map(\.text) == ["Yes."])
        #expect(spoken.text == "Yes." && spoken.confidence == 0.5)
    }

    @Test("A text that repeats itself is doubtful")
    func repetition() {
        #expect(judge(String(repeating: "and then we went there ", count: 12), 30) == "doubtful")
        #expect(judge(String(repeating: "you ", count: 60), 30) == "doubtful")
    }

    @Test("A text that is longer or shorter than anyone speaks is doubtful; a short word is not")
    func speed() {
        let long = "What a lot of different things to have been said in such a short time"
        #expect(judge(long, 2) == "doubtful" && judge(long, 3) == long)
        #expect(judge("Extraordinarily.", 0.4) == "Extraordinarily.")
        #expect(judge("Yes.", 5.9) == "Yes." && judge("Yes.", 6) == "doubtful")
        #expect(judge("It was so.", 5) == "It was so." && judge("It was so.", 5.1) == "It was so.")
    }

    @Test("No words in much speech are doubtful, in little speech they are nothing")
    func nothing() {
        #expect(judge("", 5.9) == "nothing" && judge("[Music]", 6) == "doubtful")
    }
}
