import TestSupport
import Testing

@testable import utter

@Suite struct WindowGuessTests {
    private struct Window {
        var guess = WindowGuess()
        var text = ""

        mutating func bring(to other: String) {
            while let step = guess.step(to: other) {
                switch step {
                case .erase(let end):
                    #expect(!end.isEmpty && end.count <= WindowGuess.longestStep && text.hasSuffix(end))
                    text.removeLast(end.count)
                case .type(let end):
                    #expect(!end.isEmpty && end.count <= WindowGuess.longestStep)
                    text += end
                }
                guess.take(step)
            }
        }

        mutating func end(with final: String) {
            if guess.end(with: final) { return }
            let common = guess.common(with: final)
            bring(to: common)
            text += final.dropFirst(common.count)
            guess = WindowGuess()
        }
    }

    @Test("Only what differs is erased and typed")
    func steps() {
        var guess = WindowGuess()
        #expect(guess.step(to: "") == nil && guess.step(to: "their own") == .type("their own"))
        guess.take(.type("their own"))
        #expect(guess.step(to: "there is") == .erase("ir own"))
        guess.take(.erase("ir own"))
        #expect(guess.text == "the" && guess.step(to: "there is") == .type("re is"))
        guess.take(.type("re is"))
        #expect(guess.step(to: "there is") == nil && guess.step(to: "") == .erase("there is"))
    }

    @Test("A long guess changes in short steps")
    func longSteps() {
        var window = Window()
        window.bring(to: String(repeating: "ab ", count: 50))
        #expect(window.text.count == 150)
        window.bring(to: "ab")
        #expect(window.text == "ab")
    }

    @Test("What stands behind the final text stays, as a guess at what follows")
    func rest() {
        var window = Window()
        window.bring(to: "One. Two")
        window.end(with: "One.")
        #expect(window.guess.text == " Two" && window.text == "One. Two")
        window.end(with: " Too.")
        #expect(window.guess.text == "" && window.text == "One. Too.")
    }

    @Test(
        "Before it is final, no Return and no Tab is typed, and nothing that more than one Backspace may erase",
        arguments: [
            ("one two", "one two"), ("one\ntwo", "one"), ("\none", ""), ("one\ttwo", "one"), ("größe", "größe"),
            ("a e\u{301}", "a "), ("ok 👩‍👩‍👧", "ok "), ("a\r\nb", "a"), ("", ""),
        ])
    func part(_ guess: String, _ expected: String) { #expect(WindowGuess.part(of: guess) == expected) }

    @Test("Whatever is guessed, in the end the window has the final texts, each once and in order")
    func random() {
        var random = SplitMix64(for: "guesses in a window")
        func text() -> String {
            let words = ["the", "their", "there", " ", ". ", "ä", "\n", "e\u{301}", "One", "Two", "👍🏽", "\t"]
            return (0..<Int.random(in: 0...6, using: &random)).map { _ in words.randomElement(using: &random)! }
                .joined()
        }
        for _ in 0..<Tier.count(2_000, long: 50_000) {
            var (window, finals) = (Window(), "")
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                for _ in 0..<Int.random(in: 0...4, using: &random) {
                    let guess = WindowGuess.part(of: text())
                    window.bring(to: guess)
                    #expect(window.guess.text == guess && window.text == finals + guess)
                }
                // What is final is often what was guessed, or its beginning.
                let final = Bool.random(using: &random) ? text() : String(window.guess.text.prefix(5))
                window.end(with: final)
                finals += final
                #expect(window.text == finals + window.guess.text)
            }
            window.bring(to: "")
            #expect(window.text == finals)
        }
    }

    @Test("A guess is read as it was written, and nothing else is")
    func lines() {
        for text in ["", " ä \"b\"\n"] {
            let guess = HeardGuess(text: text, textCount: 3)
            #expect(HeardGuess(json: guess.jsonLine.utf8) == guess)
        }
        for nonsense in ["", "{}", "[]", #"{"guess":"a"}"#, #"{"type":"status","state":"listening"}"#] {
            #expect(HeardGuess(json: nonsense.utf8) == nil)
        }
    }
}
