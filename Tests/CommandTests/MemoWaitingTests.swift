import TestSupport
import Testing

@testable import utter

/// In the texts, `|` is the cursor, and `<…>` speech that waits for its second pass.
@Suite("Speech in a memo that waits for its second pass")
struct MemoWaitingTests {
    private func marked(_ memo: MemoText) -> String {
        var marks = [(memo.cursor, 1, "|")]
        for place in memo.waiting.compactMap(\.place) {
            marks += [(place.lowerBound, 2, "<"), (place.upperBound, 0, ">")]
        }
        var result = memo.text
        for (offset, _, mark) in marks.sorted(by: { ($0.0, $0.1) > ($1.0, $1.1) }) {
            result.insert(contentsOf: mark, at: result.utf8.index(result.startIndex, offsetBy: offset))
        }
        return result
    }

    @Test("It is where its guess was, with the cursor after it, and its final replaces nothing else")
    func replacing() {
        var memo = MemoText(marked: "Call| now")
        memo.setGuess("on mon")
        memo.acceptWaiting("on monday")
        #expect(marked(memo) == "Call <on monday>| now" && memo.guess.isEmpty && memo.finals.isEmpty)
        memo.setGuess("wed")
        #expect(memo.textWithGuess == "Call on monday wed now")
        memo.acceptWaiting("wednesday")
        #expect(marked(memo) == "Call <on monday> <wednesday>| now")
        memo.acceptFinal("On Monday,")
        #expect(marked(memo) == "Call On Monday, <wednesday>| now" && memo.finals == ["On Monday,"])
        memo.acceptFinal("Wednesday.")
        #expect(marked(memo) == "Call On Monday, Wednesday.| now" && memo.finals == ["On Monday,", "Wednesday."])
        memo.acceptFinal("And more.")
        #expect(marked(memo) == "Call On Monday, Wednesday. And more.| now")
    }

    @Test(
        "Text that is typed around it stays, the cursor keeps its place, and spaces are right",
        arguments: [
            // The text, the keys after the utterance, its final, and the result.
            ("|", [.text("!")], "Buy milk.", "Buy milk!|"), ("|", [.text(" and")], "Buy milk.", "Buy milk. and|"),
            ("|", [.text("...")], "Buy milk.", "Buy milk...|"), ("|", [.newLine], "Buy milk.", "Buy milk.\n|"),
            ("|", [.lineStart], "Buy milk.", "|Buy milk."),
            ("|", [.lineStart, .text("- ")], "Buy milk.", "- |Buy milk."),
            ("one|", [.lineStart], "Two.", "|one Two."), ("one|two", [.left], "Three.", "one Three.| two"),
            ("one|two", [.lineEnd, .text("!")], "Three.", "one Three. two!|"),
            ("one|two", [.deleteToLineEnd], "Three.", "one Three.|"),
            ("(|)", [], "Two.", "(Two.|)"), ("日本|", [], "語。", "日本語。|"), ("a|b", [], "", "a|b"),
            ("a |b", [], "", "a |b"),
            ("a|", [.text(",")], "Two.", "a Two,|"), ("|", [.left], "Buy milk.", "Buy milk.|"),
        ] as [(String, [Key], String, String)])
    func typing(_ before: String, _ keys: [Key], _ final: String, _ after: String) {
        var memo = MemoText(marked: before)
        memo.acceptWaiting("x y")
        for key in keys { memo.apply(key, columns: 80) }
        memo.acceptFinal(final)
        #expect(marked(memo) == after)
    }

    @Test(
        "When the user has edited it, it stays as edited, without its final, and the next utterance has its own final",
        arguments: [
            ([.backspace], "buy mil|"), ([.left, .text("u")], "buy milu|k"), ([.deleteToLineStart], "|"),
            ([.deleteWordBackward, .text("bread")], "buy bread|"), ([.left, .left, .newLine], "buy mi\n|lk"),
        ] as [([Key], String)])
    func editing(_ keys: [Key], _ after: String) {
        var memo = MemoText()
        memo.acceptWaiting("buy milk")
        for key in keys { memo.apply(key, columns: 80) }
        #expect(marked(memo) == after)
        memo.move(to: memo.text.utf8.count)
        memo.acceptWaiting("soon")
        memo.acceptFinal("Buy milk.")
        memo.acceptFinal("Soon.")
        let edited = after.filter { $0 != "|" }
        #expect(memo.text == (edited.isEmpty ? "Soon." : edited + " Soon.") && memo.waiting.isEmpty)
    }

    @Test("Speech inside it counts as an edit, and a guess inside it stays beside its final")
    func speakingInside() {
        var memo = MemoText()
        memo.acceptWaiting("one three")
        memo.move(to: 3)
        memo.setGuess("two")
        memo.acceptFinal("One, three.")
        #expect(memo.textWithGuess == "One, three. two")
        memo.acceptFinal("Two.")
        #expect(memo.text == "One, three. Two.")

        memo = MemoText()
        memo.acceptWaiting("one three")
        memo.move(to: 3)
        memo.acceptWaiting("two")
        memo.acceptFinal("One, three.")
        #expect(marked(memo) == "one <two>| three")
    }

    @Test("When it is waited for no longer, it keeps the first pass's text, and so does the guess")
    func settling() {
        var memo = MemoText("zero")
        memo.acceptWaiting("one")
        memo.acceptWaiting("two")
        memo.setGuess("three")
        memo.settle()
        #expect(
            marked(memo) == "zero one two three|" && memo.finals == ["one", "two", "three"] && memo.waiting.isEmpty)
    }

    @Test("It is dim with the space before it, wherever the guess is")
    func drawing() {
        var wrapping = MemoWrapping()
        var memo = MemoText(marked: "Call| now")
        memo.acceptWaiting("one")
        memo.apply(.lineStart, columns: 80)
        memo.setGuess("guess")
        let layout = MemoLayout(memo, columns: 80, &wrapping)
        let row = layout.row(0).cells.map { $0.isUndecided ? $0.text.uppercased() : $0.text }.joined()
        #expect(row == "GUESS Call ONE now")
    }

    /// Compares a memo with a simple model: a list of pieces of text.
    @Test("Whatever is typed around waiting speech, each utterance is in the text once, with its final if it has one")
    func random() {
        var random = SplitMix64(for: "memo waiting")
        for _ in 0..<Tier.count(500, long: 20_000) {
            var memo = MemoText()
            var (count, typed, expected, waiting) = (0 as UInt32, "", [] as [String], [] as [Int])
            func token() -> String {
                count += 1
                return String(Unicode.Scalar(0xAC00 + count)!)
            }
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                switch Int.random(in: 0..<8, using: &random) {
                case 0...1:
                    typed += token()
                    memo.apply(.text(String(typed.last!)), columns: 20)
                case 2: memo.apply([.left, .right, .lineStart, .lineEnd].randomElement(using: &random)!, columns: 20)
                case 3: memo.setGuess("guess")
                case 4...5:
                    waiting.append(expected.count)
                    expected.append(token())
                    memo.acceptWaiting(expected.last!)
                default:
                    let final = Int.random(in: 0..<4, using: &random) == 0 ? "" : token()
                    if waiting.isEmpty { expected.append(final) } else { expected[waiting.removeFirst()] = final }
                    memo.acceptFinal(final)
                }
                #expect(memo.waiting.count == waiting.count && memo.waiting.allSatisfy { $0.place != nil })
                for (speech, number) in zip(memo.waiting, waiting) {
                    let place = speech.place!
                    #expect(memo.text[memo.index(place.lowerBound)..<memo.index(place.upperBound)] == expected[number])
                }
                #expect(String.Index(memo.index(memo.cursor), within: memo.text) != nil)
            }
            let letters = memo.text.filter { $0 != " " }.sorted()
            #expect(letters == (typed + expected.joined()).sorted(), "\(memo.text)")
            #expect(!memo.text.contains("  "))
        }
    }
}
