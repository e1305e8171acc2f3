import Testing

@testable import utter

@Suite("Written speech in a memo")
struct MemoRulesTests {
    private func speech(_ heard: String, _ text: String, inside: String? = nil) -> WrittenSpeech {
        WrittenSpeech(heard: heard, text: text, textInsideSentence: inside ?? text)
    }

    private let scratch = WrittenSpeech(
        heard: "scratch that", text: "scratch that", textInsideSentence: "scratch that", takesBack: true)

    @Test("A sentence begins with a capital at the beginning, after its end and on a new line, and nowhere else")
    func capitals() {
        func after(_ before: String) -> String {
            var memo = MemoText(before)
            memo.acceptWritten(speech("so it is", "So it is", inside: "so it is"))
            return memo.text
        }
        #expect(after("") == "So it is")
        #expect(after("Well") == "Well so it is" && after("Note:") == "Note: so it is")
        #expect(after("Done.") == "Done. So it is" && after("Really? ") == "Really? So it is")
        #expect(after("He said \"no.\"") == "He said \"no.\" So it is" && after("(one)") == "(one) so it is")
        #expect(after("milk\n") == "milk\nSo it is")
    }

    @Test(
        "A mark that is said takes the place of the mark at the end of the utterance before, but of none that the user typed"
    )
    func markAlone() {
        var memo = MemoText()
        memo.acceptFinal("Is the door locked.")
        memo.setGuess("Question mark.")
        memo.acceptWritten(speech("Question mark.", "?"))
        #expect(memo.text == "Is the door locked?")
        // The marks of before were said.
        memo.acceptWritten(speech("Exclamation mark.", "!"))
        #expect(memo.text == "Is the door locked?!")
        var typed = MemoText("Typed.")
        typed.acceptWritten(speech("comma", ","))
        #expect(typed.text == "Typed.,")
    }

    @Test("The place of the utterance determines whether a sentence begins, not the end of the text")
    func place() {
        var memo = MemoText("One. two")
        memo.setGuess("so")
        memo.apply(.lineStart, columns: 80)
        memo.acceptWritten(speech("so", "So", inside: "so"))
        #expect(memo.text == "One. two so")
        // The cursor is at the beginning, and after a pause so is the speech.
        memo.endSpeech()
        memo.acceptWritten(speech("and", "And", inside: "and"))
        #expect(memo.text == "And One. two so")
    }

    @Test("Spoken line breaks are line breaks, and later text is on the new line")
    func lineBreaks() {
        var memo = MemoText()
        memo.acceptWritten(speech("dear anna comma new line", "Dear anna,\n"))
        memo.acceptWritten(speech("thank you new paragraph bye", "Thank  you\n\nBye"))
        #expect(memo.text == "Dear anna,\nThank you\n\nBye")
        memo.acceptWritten(speech("new line", "\n"))
        memo.acceptWritten(speech("comma", ","))
        #expect(memo.text == "Dear anna,\nThank you\n\nBye\n,")
        // A final that the rules did not write is one line.
        memo.acceptFinal("a\nb")
        #expect(memo.text.hasSuffix(", a b"))
    }

    @Test("Finals in a row that are written go one after another to where their guess was, as sentences")
    func inARow() {
        var memo = MemoText("Call.")
        memo.setGuess("twenty five so it is")
        memo.apply(.lineStart, columns: 80)
        memo.acceptWritten(speech("twenty five", "25"))
        memo.acceptWritten(speech("so it is", "So it is", inside: "so it is"))
        memo.setGuess("and")
        #expect(memo.textWithGuess == "Call. 25 so it is and" && memo.cursor == 0)
    }

    @Test("Speech that follows a command that took something back goes to that place, wherever the cursor is")
    func afterTakingBack() {
        var memo = MemoText("End.")
        memo.acceptFinal("one two")
        memo.setGuess("scratch that and three")
        memo.apply(.lineStart, columns: 80)
        memo.acceptWritten(scratch)
        memo.setGuess("and three")
        #expect(memo.textWithGuess == "End. and three" && memo.cursor == 0)
        memo.acceptFinal("And three.")
        #expect(memo.text == "End. And three." && memo.cursor == 0)
        // Later speech begins at the cursor.
        memo.endSpeech()
        memo.acceptFinal("Zero.")
        #expect(memo.text == "Zero. End. And three.")
    }

    /// The text after an utterance, keys, and the command that takes the utterance back.
    private func scratched(_ said: String, _ keys: Key...) -> String {
        var memo = MemoText()
        memo.acceptFinal(said)
        for key in keys { memo.apply(key, columns: 80) }
        memo.acceptWritten(scratch)
        return memo.text
    }

    @Test("The first undo shows the words as they were heard, the next removes them; redo writes them again")
    func undoing() {
        for guesses in [false, true] {
            var memo = MemoText("Call")
            memo.apply(.lineEnd, columns: 80)
            if guesses { memo.setGuess("twenty five") }
            memo.acceptWritten(speech("twenty five", "25"))
            #expect(memo.text == "Call 25")
            memo.undo()
            #expect(memo.text == "Call twenty five")
            memo.undo()
            #expect(memo.text == "Call")
            memo.redo()
            memo.redo()
            #expect(memo.text == "Call 25")
            memo.acceptWritten(scratch)
            #expect(memo.text == "Call")
            memo.undo()
            #expect(memo.text == "Call 25", "what was taken back comes back")
        }
    }

    @Test("The command scratch that removes the last sentence of what was said at once, then the one before it")
    func takingBackSentences() {
        for heard in [nil, "We need three eggs and. Milk new line bread."] {
            var memo = MemoText("Note:")
            memo.acceptFinal("We need 3 eggs and.\nMilk. Bread.", heard: heard)
            for left in ["We need 3 eggs and. Milk.", "We need 3 eggs and.", ""] {
                memo.acceptWritten(scratch)
                #expect(memo.text.split(whereSeparator: \.isWhitespace).dropFirst().joined(separator: " ") == left)
            }
        }
    }

    @Test("The command scratch that removes the last utterance, then the one before it")
    func takingBack() {
        var memo = MemoText("Note:")
        memo.acceptFinal("one two")
        memo.acceptWritten(speech("twenty five", "25"))
        memo.setGuess("scratch")
        memo.acceptWritten(scratch)
        #expect(memo.text == "Note: one two" && memo.guess == "" && memo.cursor == memo.text.utf8.count)
        memo.acceptWritten(scratch)
        #expect(memo.text == "Note:")
        // No spoken text is left, and typed text is not removed.
        memo.acceptWritten(scratch)
        #expect(memo.text == "Note: scratch that")
    }

    @Test(
        "An utterance that was edited, or that the cursor has left, is not removed: then the command's words are text")
    func notTakingBack() {
        #expect(scratched("one two", .backspace) == "one tw scratch that")
        #expect(scratched("one two", .text(" and more")) == "one two and more scratch that")
        #expect(scratched("one two", .lineStart) == "scratch that one two")
    }

    @Test("Typed or loaded text is not removed, though it has the words that were said")
    func typedWords() {
        // Said, deleted and typed again; said elsewhere in a text that was loaded; said before the typed words.
        #expect(scratched("buy milk", .deleteToLineStart, .text("buy milk")) == "buy milk scratch that")

        var memo = MemoText("buy milk")
        memo.acceptFinal("buy milk")
        memo.acceptWritten(scratch)
        memo.acceptWritten(scratch)
        #expect(memo.text == "buy milk scratch that")
        #expect(scratched("milk", .text(" milk")) == "milk milk scratch that")
        #expect(
            scratched("buy milk", .deleteWordBackward, .yank) == "buy milk scratch that",
            "a part of it was put back by hand")
    }

    @Test("A space that was typed stays when the utterance behind it is removed, and text that is typed before it too")
    func typedSpace() {
        var memo = MemoText("Note: ")
        memo.acceptFinal("one")
        memo.acceptWritten(scratch)
        #expect(memo.text == "Note: ")
        memo.acceptFinal("two")
        memo.apply(.lineStart, columns: 80)
        memo.apply(.text("My "), columns: 80)
        memo.apply(.lineEnd, columns: 80)
        memo.acceptWritten(scratch)
        #expect(memo.text == "My Note: ")
    }

    @Test("A typed full stop is not replaced by a mark that is said, though the words before it were said with one")
    func typedMark() {
        var memo = MemoText()
        memo.acceptFinal("Is it locked.")
        memo.apply(.backspace, columns: 80)
        memo.apply(.text("."), columns: 80)
        memo.acceptWritten(speech("Question mark.", "?"))
        #expect(memo.text == "Is it locked.?")
    }

    @Test("After an undo, the utterance that came back can be taken back again")
    func takingBackAgain() {
        var memo = MemoText("Note:")
        memo.acceptWritten(speech("twenty five", "25"))
        memo.acceptWritten(scratch)
        memo.undo()
        #expect(memo.text == "Note: 25")
        memo.acceptWritten(scratch)
        #expect(memo.text == "Note:")
        for _ in 1...4 { memo.undo() }
        #expect(memo.text == "Note: twenty five")
        memo.acceptWritten(scratch)
        #expect(memo.text == "Note:")
    }

    @Test("A cursor elsewhere keeps its place in the text when an utterance is removed")
    func cursor() {
        var memo = MemoText("end")
        memo.apply(.lineStart, columns: 80)
        memo.acceptFinal("one")
        memo.setGuess("scratch")
        memo.apply(.lineEnd, columns: 80)
        memo.acceptWritten(scratch)
        #expect(memo.text == " end" && memo.cursor == 4)
    }

    @Test("The machine handles written speech like finals")
    func machine() {
        var machine = MemoMachine()
        #expect(machine.handle(.volatile("twenty")) == nil)
        #expect(machine.handle(.written(speech("twenty five", "25"))) == nil)
        #expect(machine.text.text == "25" && machine.text.guess == "")
    }
}
