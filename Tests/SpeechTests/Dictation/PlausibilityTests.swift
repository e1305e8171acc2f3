import TestSupport
import Testing

@testable import Speech

@Suite("What is plausible as the text of speech")
struct PlausibilityTests {
    private func judge(_ text: String, _ seconds: Double = 3, confidence: Double? = nil) -> String {
        switch Plausibility.judge(DecodedText(text: text, confidence: confidence), seconds: seconds) {
        case .speech(let text): text.text
        case .nothing: "nothing"
        case .doubtful(nil): "doubtful"
        case .doubtful(let text?): "doubtful: \(text.text)"
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

    @Test("A text is doubtful in which three or more words come four times in a row, whatever stands around them")
    func loop() {
        let begun = "It was the best of times, it was the worst of times, it was the age of wisdom, it was "
        let loop = begun + "the age of the age of the age of the age of the"
        #expect(Repetition.compressionRatio(of: loop) < Repetition.highestCompression)
        #expect(judge(loop, 6) == "doubtful")
        #expect(judge(loop, 6, confidence: 0.7) == "doubtful: " + begun + "the age of the age of the age of")
        #expect(judge(loop + " age of wisdom. No.", 6) == "doubtful")
        #expect(
            judge(loop + " age of wisdom. No.", 6, confidence: 0.7) == "doubtful: " + begun
                + "the age of the age of the age of wisdom. No.")
        for said in ["the age of the age of the age", "no, no, no, no, no", "come on, come on, come on, come on"] {
            #expect(judge(begun + said, 6) == begun + said)
        }
    }

    @Test("Of words that are said again and again, a sure model's text has few, if someone may say that in the time")
    func shortened() {
        let loop = String(repeating: "no ", count: 250)
        let begun = "Because he said " + loop
        #expect(judge(begun, 3.5, confidence: 0.8) == "doubtful: Because he said no no no")
        #expect(
            judge(begun, 3.5, confidence: 0.5) == "doubtful"
                && judge("Then " + begun, 0.5, confidence: 0.8) == "doubtful")
        #expect(judge(begun, 28, confidence: 0.8) == "doubtful")
        // The last word is cut off, and the commas are those of a list.
        #expect(judge(String(repeating: "No, no, ", count: 60) + "n", 3, confidence: 0.9) == "doubtful: No, no, No,")
        let phrase = String(repeating: "I needed to know ", count: 40)
        #expect(judge(phrase, 5, confidence: 0.7) == "doubtful: I needed to know I needed to know I needed to know")
        #expect(Repetition.shortened("It was the best of times, it was the worst of times.") == nil)
        #expect(Repetition.shortened("") == nil && Repetition.shortened("yes yes yes") == nil)
    }

    @Test("Speech without any pause may be faster than speech with pauses")
    func fast() {
        let fast = "It was the best of times, it was the worst of times, it was the age of wisdom, it was foolish."
        #expect(judge(fast, 2.9) == "doubtful" && judge(fast, 3) == fast)
        #expect(judge(fast + " " + String(fast.reversed()), 4.5) == "doubtful")
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
