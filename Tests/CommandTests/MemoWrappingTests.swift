import TestSupport
import Testing

@testable import utter

@Suite("The rows of a long memo")
struct MemoWrappingTests {
    private static let pieces = [
        "a", "word ", "two words ", "\n", "\t", "日本", "e\u{301}", "\u{301}", "👩‍👩‍👧", "\u{200D}", "🇩🇪", "🇩", "\u{202E}",
        "\u{200B}",
        "x\u{FE0F}", "  ",
    ]

    private static func change(_ memo: inout MemoText, columns: Int, using random: inout SplitMix64) {
        let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in pieces.randomElement(using: &random)! }
            .joined()
        switch Int.random(in: 0..<8, using: &random) {
        case 0...2: memo.insert(text)
        case 3: memo.setGuess(text)
        case 4: memo.acceptFinal(text)
        case 5:
            let keys: [Key] = [.backspace, .delete, .deleteWordBackward, .deleteToLineEnd, .deleteToLineStart]
            memo.apply(keys.randomElement(using: &random)!, columns: columns)
        default:
            let keys: [Key] = [.left, .right, .up, .down, .wordLeft, .lineStart, .lineEnd]
            for _ in 0..<5 { memo.apply(keys.randomElement(using: &random)!, columns: columns) }
        }
    }

    @Test(
        "Rows are broken between words; long words, and text without spaces, inside",
        arguments: [
            (10, "one two three four", ["one two ", "three four"]), (9, "one two three", ["one two ", "three"]),
            // A space beyond the margin is not shown.
            (7, "one two three", ["one two", "three"]), (3, "one two", ["one", "two"]),
            (5, "abcdefgh ij", ["abcde", "fgh ", "ij"]),
            (5, "ab cdefghij k", ["ab ", "cdefg", "hij k"]), (4, "ab  cd", ["ab  ", "cd"]),
            (3, "ab  cd", ["ab ", "cd"]),
            (2, "ab  c", ["ab", " c"]), (5, "abc\tdef", ["abc  ", "def"]), (6, "日本語日本", ["日本語", "日本"]),
            (6, "ab 日本語", ["ab 日", "本語"]), (6, "日本語。日", ["日本", "語。日"]), (6, "日「本」", ["日", "「本」"]),
            (7, "한국어 한국", ["한국어 ", "한국"]),
            // A character with marks does not stand in the last column, where tmux gives them to the one before.
            (4, "abce\u{301}f", ["abc", "e\u{301}f"]), (3, "नमस्ते", ["नम", "स्ते"]), (1, "e\u{301}a", ["e\u{301}", "a"]),
            (4, "ab \ncd", ["ab ", "cd"]), (2, "ab \ncd", ["ab", "cd"]), (2, "ab ", ["ab"]), (1, "a b", ["a", "b"]),
        ] as [(Int, String, [String])])
    func words(_ columns: Int, _ text: String, _ rows: [String]) {
        var wrapping = MemoWrapping()
        let layout = MemoLayout(MemoText(text), columns: columns, &wrapping)
        let shown = (0..<wrapping.starts.count).map { number in
            layout.row(number).cells.filter { $0.width > 0 }.map(\.text).joined()
        }
        #expect(shown == rows)
        // Speech is broken in the same places, as a guess and as a final.
        for isFinal in [false, true] {
            var memo = MemoText()
            if isFinal { memo.acceptFinal(text) } else { memo.setGuess(text) }
            var other = MemoWrapping()
            _ = MemoLayout(memo, columns: columns, &other)
            let tidied = SpeechSpacing.tidied(text)
            if tidied == text { #expect(other.starts == wrapping.starts) }
        }
    }

    @Test("The cursor moves through rows that are broken between words")
    func cursor() {
        var memo = MemoText("one two three four")
        func place() -> [Int] {
            var wrapping = MemoWrapping()
            let layout = MemoLayout(memo, columns: 7, &wrapping)
            return [layout.cursorRow, layout.cursorColumn]
        }
        // The rows are "one two", "three ", "four".
        #expect(place() == [2, 4])
        memo.apply(.up, columns: 7)
        #expect(place() == [1, 4])
        memo.apply(.up, columns: 7)
        #expect(place() == [0, 4])
        // The cursor is before the space beyond the margin, and after it.
        memo.move(to: 7)
        #expect(place() == [0, 6])
        memo.apply(.right, columns: 7)
        #expect(place() == [1, 0])
        memo.apply(.down, columns: 7)
        #expect(place() == [2, 0])
    }

    @Test("Laid out change by change, a memo has the same rows and the same cursor as laid out at once")
    func changeByChange() {
        var random = SplitMix64(for: "memo rows")
        for _ in 0..<Tier.count(20, long: 60) {
            var columns = Int.random(in: 1...12, using: &random)
            let brackets = Bool.random(using: &random)
            var memo = MemoText()
            var kept = MemoWrapping()
            for _ in 0..<30 {
                Self.change(&memo, columns: columns, using: &random)
                if Int.random(in: 0..<30, using: &random) == 0 { columns = Int.random(in: 1...12, using: &random) }
                var new = MemoWrapping()
                let one = MemoLayout(memo, columns: columns, bracketsGuess: brackets, &kept)
                let other = MemoLayout(memo, columns: columns, bracketsGuess: brackets, &new)
                guard kept.starts == new.starts, (0..<one.rowCount).map(one.row) == (0..<other.rowCount).map(other.row),
                    one.cursorRow == other.cursorRow, one.cursorColumn == other.cursorColumn,
                    one.guessEndRow == other.guessEndRow
                else {
                    Issue.record("in \(columns) columns: \(memo)")
                    return
                }
            }
        }
    }

    @Test(
        "However long the memo is, a key or a pasted piece lays out only the rows that it changes",
        arguments: Tier.every(3, of: ["word ", "日本語 ", "line\n"]))
    func work(_ unit: String) {
        var memo = MemoText()
        var screen = MemoWrapping()
        func draw() { _ = MemoLayout(memo, columns: 80, &screen) }
        // A terminal delivers 4095 bytes at once.
        let piece = String(repeating: unit, count: 4095 / unit.utf8.count)
        for _ in 0..<20 {
            memo.insert(piece)
            draw()
        }
        let rows = screen.starts.count
        #expect(screen.rowsLaidOut <= rows + 20 * 4)
        // At the end and in the middle, with a growing guess.
        for place in [memo.text.utf8.count, memo.text.utf8.count / 2 / unit.utf8.count * unit.utf8.count] {
            memo.move(to: place)
            draw()
            let before = (screen.rowsLaidOut, memo.wrapping.rowsLaidOut)
            for _ in 0..<3 {
                memo.insert("x")
                draw()
                memo.setGuess("hello")
                draw()
                memo.acceptFinal("")
                memo.apply(.up, columns: 80)
                memo.apply(.down, columns: 80)
                draw()
            }
            // In a line that has become longer, all later rows change up to the line's end.
            let following = unit == "line\n" ? 0 : rows
            #expect(screen.rowsLaidOut - before.0 <= 3 * 3 * (4 + following))
            #expect(memo.wrapping.rowsLaidOut - before.1 <= rows + 3 * (4 + following))
        }
    }
}
