import TestSupport
import Testing

@testable import utter

struct MemoTextTests {
    /// The text with `|` as the cursor and the guess in brackets.
    private func marked(_ memo: MemoText) -> String {
        let placed = memo.placedGuess
        let guess = placed.before + (placed.guess.isEmpty ? "" : "[\(placed.guess)]") + placed.behind
        var result = memo.text
        let cursor = memo.index(memo.cursor)
        if placed.offset > memo.cursor {
            result.insert(contentsOf: guess, at: memo.index(placed.offset))
            result.insert("|", at: cursor)
        } else {
            result.insert("|", at: cursor)
            result.insert(contentsOf: guess, at: result.utf8.index(result.startIndex, offsetBy: placed.offset))
        }
        return result
    }

    private func apply(_ keys: [Key], to text: String, columns: Int = 80) -> String {
        var memo = MemoText(marked: text)
        for key in keys { memo.apply(key, columns: columns) }
        return marked(memo)
    }

    @Test("Speech grows at the cursor: guesses replace one another, finals stay, with single spaces between")
    func speech() {
        var memo = MemoText()
        memo.setGuess("hello")
        #expect(marked(memo) == "[hello]|")
        #expect(memo.text == "" && memo.textWithGuess == "hello" && memo.isEmpty && memo.revision == 0)
        memo.setGuess("hello wor")
        memo.acceptFinal("hello world")
        #expect(marked(memo) == "hello world|")
        #expect(memo.revision == 1 && memo.finals == ["hello world"] && !memo.isEmpty)
        memo.setGuess("and")
        #expect(marked(memo) == "hello world [and]|")
        #expect(memo.textWithGuess == "hello world and")
        memo.acceptFinal("and more")
        #expect(marked(memo) == "hello world and more|")
        memo.setGuess("two")
        memo.acceptFinal(" \n")
        #expect(marked(memo) == "hello world and more|")
    }

    @Test("Text that is typed while a guess is shown comes behind it, and stays as it was typed")
    func typingWhileSpeaking() {
        var memo = MemoText(marked: "Note:|")
        memo.setGuess("hello")
        memo.apply(.text("and"), columns: 80)
        #expect(marked(memo) == "Note: [hello] and|")
        memo.setGuess("hello there")
        memo.apply(.newLine, columns: 80)
        memo.apply(.text("x"), columns: 80)
        memo.apply(.undo, columns: 80)
        #expect(marked(memo) == "Note: [hello there] and\n|")
        memo.acceptFinal("Hello there.")
        #expect(marked(memo) == "Note: Hello there. and\n|")
        memo.setGuess("more")
        #expect(marked(memo) == "Note: Hello there. [more] and\n|", "it follows at once")
        memo.acceptFinal("More.")
        memo.endSpeech()
        memo.setGuess("end")
        #expect(marked(memo) == "Note: Hello there. More. and\n[end]|")
    }

    @Test("Nothing is erased behind a guess, for what is before it are other words; what was typed behind it is")
    func erasingBehindGuess() {
        for key in [Key.backspace, .deleteWordBackward, .deleteToLineStart] {
            var memo = MemoText(marked: "one two|")
            memo.setGuess("three")
            #expect(memo.erasesGuess(key))
            memo.apply(key, columns: 80)
            #expect(marked(memo) == "one two [three]|")
            memo.apply(.text("x"), columns: 80)
            memo.apply(.backspace, columns: 80)
            #expect(marked(memo) == "one two [three]|")
            memo.apply(.left, columns: 80)
            #expect(marked(memo) == "one tw|o [three]" && !memo.erasesGuess(key))
            memo.apply(.right, columns: 80)
            memo.acceptFinal("three")
            #expect(marked(memo) == "one two three|" && !memo.erasesGuess(key))
        }
    }

    @Test(
        "What is typed while speech is heard stands behind it, although there is no guess yet, wherever the cursor has gone"
    )
    func typedBeforeGuess() {
        var memo = MemoText(marked: "Note:|")
        memo.awaitSpeech(true)
        for letter in [" ", "-", "x"] { memo.apply(.text(letter), columns: 80) }
        memo.awaitSpeech(true)
        memo.apply(.lineStart, columns: 80)
        memo.setGuess("one tw")
        #expect(marked(memo) == "|Note: [one tw] -x")
        memo.acceptFinal("One two.")
        memo.awaitSpeech(false)
        #expect(marked(memo) == "|Note: One two. -x")
        // Where nothing was said after all, the next speech begins at the cursor.
        memo.awaitSpeech(true)
        memo.apply(.lineEnd, columns: 80)
        memo.awaitSpeech(false)
        memo.apply(.text("y"), columns: 80)
        memo.setGuess("three")
        #expect(marked(memo) == "Note: One two. -xy [three]|")
        // Before there is a guess, nothing keeps what is typed from being erased.
        var other = MemoText(marked: "ab|")
        other.awaitSpeech(true)
        other.apply(.backspace, columns: 80)
        other.acceptFinal("One.")
        #expect(marked(other) == "a One.|")
    }

    @Test("Finals in a row, and the guess that follows them, go on where the guess was, wherever the cursor has gone")
    func inARow() {
        var memo = MemoText(marked: "Call| now")
        memo.setGuess("on monday wednesday and fr")
        memo.acceptFinal("On Monday,")
        #expect(marked(memo) == "Call On Monday,| now" && memo.guess.isEmpty)
        memo.setGuess("wednesday and fri")
        memo.apply(.lineEnd, columns: 80)
        memo.acceptFinal("Wednesday")
        memo.acceptFinal("and")
        #expect(marked(memo) == "Call On Monday, Wednesday and now|")
        memo.setGuess("friday")
        #expect(marked(memo) == "Call On Monday, Wednesday and [friday] now|")
        memo.acceptFinal("Friday.")
        #expect(marked(memo) == "Call On Monday, Wednesday and Friday. now|")
        #expect(memo.finals == ["On Monday,", "Wednesday", "and", "Friday."])
    }

    @Test("What is typed after a final, before the next guess, stands before that, and speech is at the cursor again")
    func typingBetween() {
        var memo = MemoText()
        memo.setGuess("one two")
        memo.acceptFinal("One.")
        memo.apply(.text("!"), columns: 80)
        memo.setGuess("two")
        memo.apply(.text("?"), columns: 80)
        #expect(marked(memo) == "One.! [two]?|")
        memo.acceptFinal("Two.")
        #expect(marked(memo) == "One.! Two?|")

        memo = MemoText(marked: "a|b")
        memo.setGuess("one two")
        memo.apply(.lineStart, columns: 80)
        memo.acceptFinal("One.")
        memo.apply(.text("x"), columns: 80)
        memo.setGuess("two")
        #expect(marked(memo) == "x [two] |a One. b")
    }

    @Test("Where two characters become one, the cursor and the place of speech go behind it")
    func joining() {
        var memo = MemoText(marked: "e|\n\u{301}x")
        memo.setGuess("one")
        memo.apply(.delete, columns: 80)
        memo.apply(.lineEnd, columns: 80)
        #expect(marked(memo) == "e\u{301} [one] x|")
        memo.apply(.lineStart, columns: 80)
        memo.acceptFinal("one")
        #expect(marked(memo) == "|e\u{301} one x")
    }

    @Test("Before a mark that is there, a final has no full stop, and the cursor is between them")
    func beforeMarks() {
        for (before, after) in [
            ("one|!", "one Two|!"), ("one|.", "one Two|."), ("one|\nthree", "one Two.|\nthree"), ("(|)", "(Two.|)"),
        ] {
            var memo = MemoText(marked: before)
            memo.setGuess("two")
            memo.acceptFinal("Two.")
            #expect(marked(memo) == after)
        }
    }

    @Test("When no more results come, the guess that is shown is taken as final, in its place")
    func settling() {
        var memo = MemoText(marked: "zero| four")
        memo.setGuess("one two three")
        memo.acceptFinal("One")
        memo.setGuess("two three")
        memo.apply(.lineStart, columns: 80)
        memo.settle()
        #expect(marked(memo) == "|zero One two three four" && memo.finals == ["One", "two three"])
        memo.settle()
        #expect(marked(memo) == "|zero One two three four" && memo.guess.isEmpty)
    }

    @Test(
        "Keys edit whole characters",
        arguments: [
            ("ab|", [.text("c")], "abc|"), ("|ab", [.left], "|ab"), ("ab|", [.right], "ab|"),
            ("|", [.backspace, .delete], "|"),
            ("한국|", [.left], "한|국"), ("👩‍👩‍👧|", [.left], "|👩‍👩‍👧"), ("e\u{301}|", [.backspace], "|"),
            ("🇩🇪🇫🇷|", [.backspace], "🇩🇪|"),
            ("|👍🏽x", [.delete], "|x"), ("a\n|b", [.backspace], "a|b"), ("a|\nb", [.delete], "a|b"),
            ("a|b", [.newLine], "a\n|b"),
            ("e|x", [.text("\u{301}")], "e\u{301}|x"), ("👩|x", [.text("\u{200D}"), .text("👧")], "👩‍👧|x"),
            ("🇩|", [.text("🇪")], "🇩🇪|"), ("한글|", [.text("\u{11A8}")], "한글\u{11A8}|"),
            ("one two|", [.lineStart], "|one two"), ("a\nb|c\nd", [.lineEnd], "a\nbc|\nd"),
            ("a\nbc|\nd", [.lineStart], "a\n|bc\nd"),
            ("a|", [.paste("b\nc\td")], "ab\nc\td|"),
            ("a|", [.paste("b\r\nc\rd\u{2028}e\0\u{1B}[f")], "ab\nc\nd\ne[f|"),
            ("one two|", [.deleteToLineStart], "|"), ("a\n|b", [.deleteToLineStart], "a|b"),
            ("a|b\nc", [.deleteToLineEnd, .deleteToLineEnd], "a|c"),
            ("one two|", [.wordLeft], "one |two"), ("one, two|", [.wordLeft, .wordLeft], "|one, two"),
            ("|one, two", [.wordRight], "one|, two"),
            ("|one, two", [.wordRight, .wordRight], "one, two|"), ("don't|", [.wordLeft], "|don't"),
            ("a 'quote'|", [.wordLeft], "a '|quote'"),
            ("日本語のテキスト|", [.wordLeft], "日本語の|テキスト"), ("日本語の|", [.wordLeft, .wordLeft], "|日本語の"),
            ("one 😀😀|", [.wordLeft], "one |😀😀"),
            ("안녕 세상|", [.deleteWordBackward], "안녕 |"), ("one two  |", [.deleteWordBackward], "one |"),
            ("one\n|two", [.deleteWordBackward], "one|two"),
            ("one\n  |two", [.deleteWordBackward], "one\n|two"), ("|one two", [.deleteWordForward], "| two"),
            ("one| \ntwo", [.deleteWordForward], "one|\ntwo"),
            ("one|\ntwo", [.deleteWordForward], "one|two"),
            ("|", [.wordLeft, .wordRight, .deleteWordForward, .deleteWordBackward], "|"),
            ("one\ntwo|", [.wordLeft, .wordLeft], "|one\ntwo"), ("x_1 é2|", [.wordLeft, .wordLeft], "|x_1 é2"),
        ] as [(String, [Key], String)])
    func keys(_ before: String, _ keys: [Key], _ after: String) {
        #expect(apply(keys, to: before) == after)
    }

    @Test(
        "Up and down keep the column, in columns of the terminal, over lines and wrapped rows",
        arguments: [
            ("abcd\nef\nghij|", [.up], "abcd\nef|\nghij", 80), ("abcd\nef\nghij|", [.up, .up], "abcd|\nef\nghij", 80),
            ("abcd\nef\nghij|", [.up, .up, .down, .down], "abcd\nef\nghij|", 80),
            ("abcd\nef\nghij|", [.up, .left, .up], "a|bcd\nef\nghij", 80),
            ("日本語\nabcdef|", [.up], "日本語|\nabcdef", 80), ("日本語\nabc|def", [.up], "日|本語\nabcdef", 80),
            ("|ab", [.up], "|ab", 80),
            ("ab|", [.down], "ab|", 80), ("abcdefgh|", [.up], "abcd|efgh", 4), ("abcdefg|h", [.up], "abc|defgh", 4),
            ("abc|defgh\nij", [.down, .down], "abcdefgh\nij|", 4),
            ("a|bcd\n\nefgh", [.down, .down], "abcd\n\ne|fgh", 80),
            ("\tb|\nabcdefghijk", [.down], "\tb\nabcdefghi|jk", 80),
        ] as [(String, [Key], String, Int)])
    func upAndDown(_ before: String, _ keys: [Key], _ after: String, _ columns: Int) {
        #expect(apply(keys, to: before, columns: columns) == after)
    }

    @Test("Rows with only a guess don't stop the cursor, whose place is behind it")
    func upAndDownOverGuess() {
        var memo = MemoText(marked: "abcd|efgh")
        memo.setGuess("one two three four")
        memo.move(to: 2)
        for _ in 0..<3 { memo.apply(.down, columns: 6) }
        #expect(memo.cursor == 6)
        for _ in 0..<3 { memo.apply(.up, columns: 6) }
        #expect(memo.cursor == 2)
        memo = MemoText(marked: "abcd|")
        memo.setGuess("one two three four")
        for (key, cursor) in [(Key.up, 3), (.up, 3), (.down, 4), (.down, 4)] {
            memo.apply(key, columns: 6)
            #expect(memo.cursor == cursor)
        }
    }

    @Test("Keys that don't edit the text are left to the caller")
    func others() {
        var memo = MemoText(marked: "a|")
        for key in [Key.enter, .escape, .control("C"), .control("P")] { memo.apply(key, columns: 80) }
        #expect(marked(memo) == "a|" && memo.revision == 0)
        memo.apply(.left, columns: 80)
        #expect(marked(memo) == "|a" && memo.revision == 0)
    }

    @Test("A memo that begins with text has the cursor after it")
    func restored() {
        #expect(marked(MemoText("one\r\ntwo")) == "one\ntwo|")
        #expect(MemoText(" \n\t").isEmpty)
    }
}

extension MemoTextTests {
    @Test(
        "A word that is typed right after speech gets a space; marks, and text after another key, get none",
        arguments: [
            ("|", [.text("U"), .text("P")], "seven UP|"), ("|", [.text("!")], "seven!|"),
            ("|", [.text(" UP")], "seven UP|"),
            ("|", [.text("(")], "seven (|"), ("|", [.text("-")], "seven-|"), ("|", [.text("s")], "seven s|"),
            ("|", [.left, .right, .text("s")], "sevens|"), ("|", [.text("x"), .backspace, .text("s")], "seven s|"),
            ("|", [.backspace, .text("n")], "seven|"), ("| eight", [.text("or")], "seven or| eight"),
            ("|", [.paste("UP")], "seven UP|"),
            ("|", [.text("UP"), .undo, .text("up")], "seven up|"), ("|", [.newLine, .text("up")], "seven\nup|"),
        ] as [(String, [Key], String)])
    func typingBehindSpeech(_ before: String, _ keys: [Key], _ after: String) {
        for hasGuess in [false, true] {
            var memo = MemoText(marked: before)
            if hasGuess { memo.setGuess("severn") }
            memo.acceptFinal("seven")
            for key in keys { memo.apply(key, columns: 80) }
            #expect(marked(memo) == after)
        }
        for (said, keys, after) in [
            ("We go.", [.left, .right, .text("By")], "We go. By|"), ("We go.", [.left, .text("x")], "We gox|."),
            ("We go.", [.left, .right, .text("!")], "We go.!|"), ("3.", [.left, .right, .text("x")], "3.x|"),
            ("We go.", [.text("a.b.")], "We go. a.b.|"),
            ("We go.", [.lineStart, .deleteWordForward, .text("I"), .lineEnd, .text("s")], "I go. s|"),
        ] as [(String, [Key], String)] {
            var memo = MemoText()
            memo.acceptFinal(said)
            for key in keys { memo.apply(key, columns: 80) }
            #expect(marked(memo) == after)
        }
        // What was only typed stays as it is typed.
        var typed = MemoText()
        for key in [.text("www."), .left, .right, .text("x")] as [Key] { typed.apply(key, columns: 80) }
        #expect(marked(typed) == "www.x|")
        // The next speech has its space as well, and empty speech leaves none.
        var memo = MemoText(marked: "a|")
        memo.setGuess("noise")
        memo.acceptFinal("")
        memo.apply(.text("b"), columns: 80)
        #expect(marked(memo) == "ab|")
        #expect(MemoText.kept("a b \n\t ") == "a b" && MemoText.kept(" \n") == "" && MemoText.kept(" a") == " a")
    }

    @Test("Moves and deletions by word always end between characters, and reach both ends")
    func randomWords() {
        var random = SplitMix64(for: "words of memo text")
        for _ in 0..<Tier.count(80, long: 200) {
            var memo = MemoText(random.text(maximumLength: 60) + random.text(maximumLength: 60))
            memo.setGuess("guess")
            for _ in 0..<30 {
                let key: Key = [.wordLeft, .wordRight, .deleteWordBackward, .deleteWordForward, .up, .down, .left]
                    .randomElement(
                        using: &random)!
                let before = memo
                memo.apply(key, columns: Int.random(in: 1...20, using: &random))
                #expect(String.Index(memo.index(memo.cursor), within: memo.text) != nil)
                #expect(memo.anchor.map { String.Index(memo.index($0), within: memo.text) != nil } == true)
                if key == .wordLeft { #expect(memo.cursor < before.cursor || before.cursor == 0) }
                if key == .wordRight { #expect(memo.cursor > before.cursor || before.cursor == before.text.utf8.count) }
            }
        }
    }
}
