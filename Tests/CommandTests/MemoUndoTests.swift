import TestSupport
import Testing

@testable import utter

@Suite("Undo, redo, kill and yank in a memo")
struct MemoUndoTests {
    private func marked(_ memo: MemoText) -> String {
        var result = memo.text
        result.insert("|", at: memo.index(memo.cursor))
        return result
    }

    /// The texts of a memo after each undo, or redo, until nothing changes.
    private func steps(_ memo: inout MemoText, _ key: Key = .undo) -> [String] {
        var steps: [String] = []
        while steps.count < 100 {
            let before = memo.text
            memo.apply(key, columns: 80)
            if memo.text == before { break }
            steps.append(marked(memo))
        }
        return steps
    }

    @Test("Text that is typed in a run is one step, up to a pause or another kind of key")
    func grouping() {
        var memo = MemoText()
        for (number, key) in [Key.text("a"), .text("b"), .text(" c"), .backspace, .backspace, .newLine, .text("d")]
            .enumerated()
        {
            memo.apply(key, columns: 80, time: Double(number))
        }
        memo.apply(.text("e"), columns: 80, time: 6 + MemoText.longestPause)
        memo.apply(.text("f"), columns: 80, time: 6.1 + 2 * MemoText.longestPause)
        memo.apply(.left, columns: 80, time: 9)
        memo.apply(.text("g"), columns: 80, time: 9)
        for piece in ["1", "2\n"] { memo.apply(.paste(piece), columns: 80, time: 9) }
        #expect(marked(memo) == "ab\ndeg12\n|f")
        let undone = ["ab\ndeg|f", "ab\nde|f", "ab\nde|", "ab\n|", "ab|", "ab c|", "|"]
        #expect(steps(&memo) == undone)
        #expect(steps(&memo, .redo) == ["ab c|", "ab|", "ab\n|", "ab\nde|", "ab\nde|f", "ab\ndeg|f", "ab\ndeg12\n|f"])
    }

    @Test(
        "Of several sentences that the rules have written, the words that were heard come back first, then one goes after the other"
    )
    func writtenSentences() {
        var memo = MemoText()
        memo.acceptFinal("Meet at 14:30. Bring 3 eggs.", heard: "Meet at fourteen thirty. Bring three eggs.")
        for text in ["Meet at fourteen thirty. Bring three eggs.", "Meet at 14:30.", ""] {
            memo.undo()
            #expect(memo.text == text)
        }
    }

    @Test(
        "An utterance is one step; if rules have written it, the first undo shows what was heard, the next removes it")
    func speech() {
        var memo = MemoText(marked: "Call| now")
        memo.setGuess("on")
        memo.acceptFinal("on monday")
        memo.acceptFinal("at 14:30", heard: "at fourteen thirty")
        memo.acceptFinal("sharp", heard: "sharp")
        memo.acceptFinal("", heard: "noise")
        memo.acceptFinal("")
        #expect(marked(memo) == "Call on monday at 14:30 sharp| now")
        #expect(memo.finals == ["on monday", "at 14:30", "sharp"])
        let undone = [
            "Call on monday at 14:30 sharp noise| now", "Call on monday at 14:30 sharp| now",
            "Call on monday at 14:30| now",
            "Call on monday at fourteen thirty| now", "Call on monday| now", "Call| now",
        ]
        #expect(steps(&memo) == undone)
        #expect(steps(&memo, .redo).last == "Call on monday at 14:30 sharp| now")
    }

    @Test("Each sentence of a final is a step")
    func sentences() {
        var memo = MemoText(marked: "So|, he said.")
        memo.acceptFinal("it is. Is it? Mr. Ray knows.")
        #expect(marked(memo) == "So it is. Is it? Mr. Ray knows|, he said.")
        let undone = ["So it is. Is it?|, he said.", "So it is|, he said.", "So|, he said."]
        #expect(steps(&memo) == undone)
        #expect(steps(&memo, .redo) == undone.dropLast().reversed() + ["So it is. Is it? Mr. Ray knows|, he said."])
    }

    @Test("An utterance that is undone before the next final stays away, and is not lost when other speech comes")
    func goingOn() {
        var memo = MemoText()
        memo.acceptFinal("One.")
        memo.setGuess("two")
        memo.apply(.undo, columns: 80)
        #expect(memo.text == "" && memo.textWithGuess == "two")
        memo.acceptFinal("Two.")
        #expect(marked(memo) == "Two.|")
        #expect(steps(&memo) == ["|", "One.|", "|"])
        #expect(steps(&memo, .redo) == ["One.|", "|", "Two.|"])
    }

    @Test("The current utterance stays where it is while others are undone")
    func guess() {
        var memo = MemoText("one")
        memo.acceptFinal("two")
        memo.setGuess("three")
        memo.apply(.undo, columns: 80)
        #expect(memo.textWithGuess == "one three")
        memo.apply(.redo, columns: 80)
        memo.acceptFinal("three")
        #expect(marked(memo) == "one two three|")
        // Also when the user is elsewhere, in whatever is left of the text.
        memo = MemoText(marked: "one| four")
        memo.setGuess("two three")
        memo.apply(.lineStart, columns: 80)
        memo.acceptFinal("two")
        memo.setGuess("three")
        memo.apply(.undo, columns: 80)
        #expect(marked(memo) == "|one four" && memo.textWithGuess == "one three four")
        memo.acceptFinal("three")
        #expect(marked(memo) == "|one three four")
    }

    @Test(
        "What was typed behind a guess stays behind it when it is undone and comes back",
        arguments: [
            ([.text(" Fix"), .undo, .redo], "one two Fix"),
            ([.text(" Fix"), .backspace, .backspace, .backspace, .backspace, .undo], "one two Fix"),
            ([.text(" call Ada"), .deleteToLineStart, .undo], "one two call Ada"),
            ([.text(" a"), .deleteWordBackward, .text("b"), .deleteWordBackward, .yank, .yankPrevious], "one two a"),
            ([.paste(" x\ny"), .undo, .redo, .undo, .redo], "one two x\ny"),
        ] as [([Key], String)])
    func typedBehindGuess(_ keys: [Key], _ expected: String) {
        for earlier in ["", "Begun."] {
            var memo = MemoText(earlier)
            let start = earlier.isEmpty ? "" : earlier + " "
            memo.setGuess("one two")
            for key in keys {
                // Not one kind of key after another in a run.
                memo.apply(key, columns: 80)
                memo.setGuess("one two")
            }
            #expect(memo.textWithGuess == start + expected)
            memo.acceptFinal("one two")
            #expect(memo.text == start + expected)
        }
        // What was typed before stays before.
        var memo = MemoText("Alpha ")
        memo.setGuess("one two")
        for key in [Key.deleteToLineStart, .undo] { memo.apply(key, columns: 80) }
        #expect(memo.textWithGuess == "Alpha one two")
    }

    @Test("After an undo, the next speech begins at the cursor, also where the last had gone elsewhere")
    func speakingAfterUndo() {
        var memo = MemoText(marked: "a| b")
        memo.setGuess("one two")
        memo.apply(.lineStart, columns: 80)
        memo.acceptFinal("One.")
        memo.acceptFinal("Two.")
        memo.apply(.undo, columns: 80)
        #expect(marked(memo) == "|a One. b")
        memo.acceptFinal("Three.")
        #expect(marked(memo) == "Three.| a One. b")
    }

    @Test(
        "Killed text can be yanked, successive kills are one, and Alt-Y yanks earlier ones",
        arguments: [
            ("one two|", [.deleteToLineStart, .yank], "one two|"),
            ("one two three|", [.deleteWordBackward, .deleteWordBackward, .yank], "one two three|"),
            ("one |two three", [.deleteWordForward, .deleteToLineEnd, .lineStart, .yank], "two three|one "),
            ("one |two", [.deleteToLineEnd, .deleteWordBackward, .yank, .yank], "one twoone two|"),
            ("one two|", [.deleteWordBackward, .left, .deleteToLineStart, .yank], "one| "),
            ("one two|", [.deleteWordBackward, .left, .deleteToLineStart, .yank, .yankPrevious], "two| "),
            (
                "one two|", [.deleteWordBackward, .left, .deleteToLineStart, .yank, .yankPrevious, .yankPrevious],
                "one| "
            ),
            ("one|", [.deleteToLineStart, .yank, .yank, .yankPrevious, .undo], "one|"),
            ("|", [.yank, .yankPrevious], "|"), ("a|", [.deleteToLineStart, .yank, .text("b"), .yankPrevious], "ab|"),
            ("a|", [.backspace, .yank], "|"), ("a|b", [.deleteToLineEnd, .deleteToLineEnd, .yank], "ab|"),
        ] as [(String, [Key], String)])
    func killing(_ before: String, _ keys: [Key], _ after: String) {
        var memo = MemoText(marked: before)
        for key in keys { memo.apply(key, columns: 80) }
        #expect(marked(memo) == after)
    }

    @Test("Speech after a kill does not change the killed text, and Alt-Y does not remove speech after a yank")
    func killingBesideSpeech() {
        var memo = MemoText("one two")
        memo.apply(.deleteWordBackward, columns: 80)
        memo.acceptFinal("said")
        memo.apply(.yank, columns: 80)
        memo.acceptFinal("more")
        memo.apply(.yankPrevious, columns: 80)
        #expect(marked(memo) == "one said two more|")
    }

    @Test(
        "Undoing everything restores the beginning, redoing everything the end, whatever was typed and spoken meanwhile"
    )
    func random() {
        var random = SplitMix64(for: "memo undo")
        let keys: [Key] = [
            .text("a"), .text("b "), .text("é"), .text("\u{301}"), .newLine, .backspace, .delete, .left, .right,
            .lineStart, .wordLeft,
            .deleteWordBackward, .deleteToLineEnd, .yank, .yankPrevious, .paste("x\ny"), .up,
        ]
        for _ in 0..<Tier.count(300, long: 20_000) {
            let start = ["", "begun earlier"].randomElement(using: &random)!
            var memo = MemoText(start)
            var time = 0.0
            func change(_ memo: inout MemoText) {
                time += Double.random(in: 0...3, using: &random)
                switch Int.random(in: 0..<12, using: &random) {
                case 0: memo.setGuess("guess")
                case 1: memo.endSpeech()
                case 2...3:
                    let heard = Bool.random(using: &random) ? "heard" : nil
                    memo.acceptFinal(["", "final", "two words."].randomElement(using: &random)!, heard: heard)
                case 4: memo.apply([.undo, .redo].randomElement(using: &random)!, columns: 10, time: time)
                default: memo.apply(keys.randomElement(using: &random)!, columns: 10, time: time)
                }
                for place in [memo.cursor, memo.placeOfSpeech] {
                    #expect(String.Index(memo.index(place), within: memo.text) != nil)
                }
            }
            for _ in 0..<Int.random(in: 1...40, using: &random) { change(&memo) }
            _ = steps(&memo, .redo)
            let last = memo.text
            // A guess may be shown, and change, at any step.
            func go(_ key: Key) {
                var before = ""
                repeat {
                    if Bool.random(using: &random) { memo.setGuess(["", "guess"].randomElement(using: &random)!) }
                    before = memo.text
                    memo.apply(key, columns: 10)
                } while memo.text != before
            }
            go(.undo)
            #expect(memo.text == start)
            go(.redo)
            #expect(memo.text.unicodeScalars.elementsEqual(last.unicodeScalars))
            go(.undo)
            #expect(memo.text == start)
        }
    }
}
