import TestSupport
import Testing

@testable import utter

struct MemoScreenTests {
    private let size = TerminalSize(columns: 20, rows: 8)

    private struct Session {
        var terminal: TerminalEmulator
        var screen: MemoScreen
        var size: TerminalSize

        init(_ size: TerminalSize, traits: TerminalTraits = TerminalTraits(), prompt: [String] = ["$ utter memo"]) {
            self.size = size
            terminal = TerminalEmulator(columns: size.columns, rows: size.rows)
            screen = MemoScreen(traits: traits)
            terminal.write(prompt.map { $0 + "\r\n" }.joined())
        }

        mutating func draw(
            _ memo: MemoText, _ state: LiveState = .listening, status: String? = nil, level: LiveLevel? = nil,
            notice: String? = nil, keys: MemoScreen.Keys = .none
        ) {
            terminal.write(
                screen.draw(
                    memo, state: state, status: status, level: level, notice: notice, keys: keys, size: size))
        }
    }

    @Test("A remark about the whole memo is in the status line after the state, cut to the width")
    func remark() {
        let remark = ModelAdvice(locale: "de", ["LANG": "C"]).status
        #expect(remark == "133 words only: utter models install de")
        for (columns, text) in [
            (80, "listening  133 words only: utter models install de"), (24, "listening  133 words o…"),
        ] {
            var screen = MemoScreen(traits: TerminalTraits(hasColour: false), remark: remark)
            let drawn = screen.draw(MemoText(), state: .listening, size: TerminalSize(columns: columns, rows: 10))
            #expect(drawn.contains(text), "\(drawn)")
        }
    }

    @Test("The memo grows in place below the prompt, with the guess dim before the cursor, and the state below")
    func growing() {
        var session = Session(size)
        var memo = MemoText()
        session.draw(memo, .gettingReady)
        #expect(session.terminal.lines == ["$ utter memo", "", "getting ready"])
        #expect(session.terminal.cursorLine == 1 && session.terminal.column == 0 && session.terminal.showsCursor)
        memo.acceptFinal("hello")
        memo.setGuess("wor")
        session.draw(memo)
        #expect(session.terminal.lines == ["$ utter memo", "hello wor", "listening"])
        #expect(session.terminal.screen[1].cells.map(\.isDim) == (0..<20).map { (5..<9).contains($0) })
        #expect(session.terminal.screen[2].cells[0].isDim)
        #expect(session.terminal.cursorLine == 1 && session.terminal.column == 9)
        memo.acceptFinal("world and all of its people")
        session.draw(memo, .paused)
        #expect(session.terminal.lines == ["$ utter memo", "hello world and all", "of its people", "paused"])
        #expect(session.terminal.cursorLine == 2 && session.terminal.column == 13)
        #expect(!session.terminal.screen[1].cells.contains { $0.isDim })
    }

    @Test("Only what has changed is written: nothing, the cursor's move, or the changed row")
    func differences() {
        var screen = MemoScreen(traits: TerminalTraits())
        var memo = MemoText("one\ntwo")
        _ = screen.draw(memo, state: .listening, size: size)
        #expect(screen.draw(memo, state: .listening, size: size) == "")
        memo.apply(.left, columns: 20)
        #expect(screen.draw(memo, state: .listening, size: size) == "\r\u{1B}[2C")
        let level = screen.draw(memo, state: .listening, level: LiveLevel(peak: -10, rms: -40), size: size)
        #expect(level.contains("listening ▁▂") && !level.contains("one") && !level.contains("two"))
        #expect(screen.draw(memo, state: .listening, level: LiveLevel(peak: -11, rms: -41), size: size) == "")
    }

    @Test("Without attributes the guess is in brackets, and no attribute is ever sent")
    func withoutColour() {
        var session = Session(size, traits: TerminalTraits(hasColour: false))
        var memo = MemoText("hello")
        memo.setGuess("wor")
        let output = session.screen.draw(memo, state: .listening, size: size)
        session.terminal.write(output)
        #expect(session.terminal.lines == ["$ utter memo", "hello [wor]", "listening"])
        #expect(output.firstRange(of: /\x1b\[[0-9;:]*m/) == nil)
    }

    @Test("Wide characters break whole at the margin; tabs, marks and dangerous characters take their columns")
    func wrapping() {
        var session = Session(TerminalSize(columns: 5, rows: 12), prompt: [])
        var memo = MemoText("日本語\na\tb\ncafe\u{301}!\n\u{202E}x\n\u{200B}z\u{FE0F}\n\u{301}y")
        session.draw(memo)
        #expect(
            session.terminal.lines == [
                "日本", "語", "a", "b", "cafe\u{301}!", "\\u{20", "2E}x", "z\u{FE0F}", "\u{25CC}\u{301}y", "lis…",
            ])
        for (text, cursor, lines, line, column) in [
            // The next character will be in the next row.
            ("abcde", 5, ["abcde", "", "lis…"], 1, 0), ("abcde\nf", 5, ["abcde", "f", "lis…"], 0, 4),
            ("abcd日", 4, ["abcd", "日", "lis…"], 1, 0),
        ] as [(String, Int, [String], Int, Int)] {
            memo = MemoText(text)
            memo.move(to: cursor)
            session.draw(memo)
            #expect(session.terminal.lines == lines, "\(text)")
            #expect(session.terminal.cursorLine == line && session.terminal.column == column, "\(text)")
        }
    }

    @Test("A memo taller than the terminal shows the part around the cursor, and as much of the guess as fits")
    func tall() {
        var session = Session(TerminalSize(columns: 10, rows: 4), prompt: ["$ memo"])
        var memo = MemoText((1...9).map { "line \($0)" }.joined(separator: "\n"))
        session.draw(memo)
        #expect(session.terminal.screen.map(\.text) == ["line 7", "line 8", "line 9", "listening"])
        for _ in 0..<5 { memo.apply(.up, columns: 10) }
        session.draw(memo)
        #expect(session.terminal.screen.map(\.text) == ["line 4", "line 5", "line 6", "listening"])
        memo.setGuess("and this is a long guess")
        session.draw(memo)
        #expect(session.terminal.screen.map(\.text) == ["line 4 and", "this is a", "long guess", "listening"])
        #expect(session.terminal.row == 2 && session.terminal.column == 9)
        memo.setGuess("and this is a long guess of which the end is shown")
        session.draw(memo)
        #expect(session.terminal.screen.map(\.text) == ["of which", "the end is", "shown", "listening"])
        memo.apply(.lineStart, columns: 10)
        session.draw(memo)
        #expect(session.terminal.screen.map(\.text) == ["line 4 and", "this is a", "long guess", "listening"])
        #expect(session.terminal.row == 0 && session.terminal.column == 0)
        #expect(session.terminal.scrollback.map(\.text) == ["$ memo"])
    }

    @Test("The keys are below the notices, dim, in as many rows as fit, and are erased completely")
    func keys() {
        var session = Session(TerminalSize(columns: 60, rows: 30))
        session.draw(MemoText(), notice: "mind", keys: .hint)
        #expect(
            session.terminal.lines == [
                "$ utter memo", "", "mind", "F1 shows the keys · Enter keeps · Esc Esc discards", "listening",
            ])
        #expect(session.terminal.screen[3].cells[0].isDim)
        session.draw(MemoText("hi"), keys: .all)
        let lines = session.terminal.lines
        #expect(lines[2].hasPrefix("Enter                   keep the memo and end;") && lines.last == "listening")
        #expect(lines.count >= 3 + MemoKeys.all.count && session.terminal.screen[2].cells[0].isDim)
        session.draw(MemoText("hi"))
        #expect(session.terminal.lines == ["$ utter memo", "hi", "listening"])
        var low = Session(TerminalSize(columns: 80, rows: 10), prompt: [])
        low.draw(MemoText("h"), keys: .all)
        #expect(low.terminal.lines.count == 10 && low.terminal.lines[8] == "utter help memo shows them all")
        for rows in 1...6 {
            for columns in [4, 10, 30] {
                var small = Session(TerminalSize(columns: columns, rows: rows), prompt: [])
                small.draw(MemoText("h"), notice: "mind", keys: .all)
                #expect(small.terminal.lines.count <= rows && small.terminal.lines.first == "h")
            }
        }
        #expect(MemoKeys.lines(columns: 79).allSatisfy { $0.count <= 79 } && MemoKeys.lines(columns: 79).count < 21)
    }

    @Test("Notices take the room that there is, and show when they were cut")
    func notices() {
        var session = Session(size)
        session.draw(MemoText("hi"), notice: "can't hear: no microphone\u{1B}[2J; plug one in")
        #expect(
            session.terminal.lines == [
                "$ utter memo", "hi", "can't hear: no", "microphone\\x1B[2J;", "plug one in", "listening",
            ])
        session.draw(MemoText("hi"), notice: String(repeating: "word ", count: 40))
        #expect(session.terminal.lines.count == 6 && session.terminal.lines[4].hasSuffix("…"))
        session.draw(MemoText("hi"))
        #expect(session.terminal.lines == ["$ utter memo", "hi", "listening"])
        var small = Session(TerminalSize(columns: 20, rows: 2), prompt: [])
        small.draw(MemoText("hi"), notice: "lost")
        #expect(small.terminal.lines == ["hi", "listening"])
        var row = Session(TerminalSize(columns: 20, rows: 1), prompt: [])
        row.draw(MemoText("hi\nthere"), notice: "lost")
        // On a usual terminal three long warnings have room.
        var usual = Session(TerminalSize(columns: 80, rows: 24))
        let warnings = ["one", "two", "three"].map { word in
            Array(repeating: word, count: 25).joined(separator: " ") + " end"
        }
        usual.draw(MemoText("hi"), notice: warnings.joined(separator: "; "))
        #expect(usual.terminal.lines.joined(separator: " ").contains("three end"))
        #expect(row.terminal.lines == ["there"])
    }

    @Test("The level is shown while listening, from quiet to too loud, and in ASCII if the terminal can't show more")
    func levels() {
        func meter(_ rms: Double, peak: Double = -20) -> String { LiveLevel(peak: peak, rms: rms).meter(isUTF8: true) }
        #expect(
            [-120, -54, -46, -38, -30, -22, 0].map { meter($0) } == ["", "▁", "▁▂", "▁▂▃", "▁▂▃▅", "▁▂▃▅▇", "▁▂▃▅▇"])
        #expect(meter(-.infinity) == "" && meter(.nan) == "" && meter(-3, peak: 0) == "▁▂▃▅▇!")
        #expect(LiveLevel(peak: -20, rms: -38).meter(isUTF8: false) == "===")
        var session = Session(size, traits: TerminalTraits(isUTF8: false))
        session.draw(MemoText(), .listening, level: LiveLevel(peak: -20, rms: -38))
        #expect(session.terminal.lines.last == "listening ===")
        session.draw(MemoText(), .paused, level: LiveLevel(peak: -20, rms: -38))
        #expect(session.terminal.lines.last == "paused")
        session.draw(MemoText(), .listening, status: "hearing you", level: LiveLevel(peak: -20, rms: -38))
        #expect(session.terminal.lines.last == "hearing you ===")
        session.draw(MemoText(), .finishing, status: "finishing: 2", level: LiveLevel(peak: -20, rms: -38))
        #expect(session.terminal.lines.last == "finishing: 2")
        session.draw(MemoText(), .failed)
        #expect(session.terminal.lines.last == "failed")
    }

    @Test("At the end there are the memo, in the rows in which it was shown, and one line; the state is erased")
    func finish() {
        var session = Session(TerminalSize(columns: 10, rows: 4))
        let text = "one two three four\n\n日本語日本語\n\u{202E}"
        session.draw(MemoText(text), notice: "lost")
        session.terminal.write(
            session.screen.finish(text: text + "\n\n", line: "kept in\u{7} notes", size: session.size))
        #expect(
            session.terminal.logicalLines == [
                "$ utter memo".description, "one two", "three four", "", "日本語日本", "語", "\\u{202E}",
                "kept in\\x07 notes",
            ])
        #expect(session.terminal.column == 0 && session.terminal.screen[session.terminal.row].text == "")

        var empty = Session(size)
        empty.draw(MemoText("gone"))
        empty.terminal.write(empty.screen.finish(text: "", line: "discarded", size: size))
        #expect(empty.terminal.lines == ["$ utter memo", "discarded"])
        // A word longer than a row is broken, and after a row that reaches the margin none is empty.
        for (text, rows) in [
            ("one two three four five six", ["one two three four", "five six"]), ("a\tb", ["a       b"]),
            (String(repeating: "x", count: 25), [String(repeating: "x", count: 20), "xxxxx"]),
            (String(repeating: "x", count: 20), [String(repeating: "x", count: 20)]),
        ] {
            empty = Session(size)
            empty.draw(MemoText(text))
            empty.terminal.write(empty.screen.finish(text: text, line: "kept", size: size))
            #expect(empty.terminal.logicalLines == ["$ utter memo"] + rows + ["kept"])
        }
        empty = Session(size)
        empty.terminal.write(empty.screen.finish(text: "", line: nil, size: size))
        #expect(empty.terminal.lines == ["$ utter memo"])
    }

    @Test("What others write while the memo is stopped stays, and the memo is drawn again below")
    func leaving() {
        var session = Session(size)
        let memo = MemoText("one\ntwo")
        session.draw(memo)
        session.terminal.write(session.screen.leave())
        session.terminal.write("[1]+ Stopped\r\n$ fg\r\n")
        session.draw(memo)
        #expect(
            (session.terminal.lines) == [
                "$ utter memo", "one", "two", "listening", "[1]+ Stopped", "$ fg", "one", "two", "listening",
            ])
        session.terminal.write("noise")
        session.screen.invalidate()
        session.draw(memo)
        #expect(session.terminal.lines.suffix(3) == ["one", "two", "listening"])
    }

    @Test("A dumb terminal gets lines, and no escape sequence")
    func dumb() {
        var screen = MemoScreen(traits: TerminalTraits(isDumb: true))
        var memo = MemoText()
        var output = screen.draw(memo, state: .gettingReady, size: size)
        memo.setGuess("hel")
        output += screen.draw(memo, state: .listening, level: LiveLevel(peak: -1, rms: -1), size: size)
        memo.acceptFinal("hello\u{1B}[2J")
        memo.acceptFinal("Dear Ada,\nworld", heard: "dear ada comma new line world")
        output += screen.draw(memo, state: .listening, notice: "lost", size: size)
        memo.insert("typed")
        output += screen.draw(memo, state: .listening, notice: "lost", size: size) + screen.leave()
        output += screen.finish(text: memo.text, line: "kept", size: size)
        #expect(
            output == "(getting ready)\n(listening)\nhello[2J\nDear Ada,\nworld\n(lost)\n"
                + "hello[2J Dear Ada,\nworld typed\nkept\n")
        #expect(screen.finish(text: "", line: "discarded", size: size) == "discarded\n")
    }

    @Test(
        "The environment determines what a terminal can do",
        arguments: [
            ([:], true, true, false, true),
            (["TERM": "dumb", "LANG": "en_US.UTF-8"], true, true, true, true),
            (["TERM": "xterm-256color", "LANG": "en_US.UTF-8"], false, true, true, true),
            (["TERM": "xterm-256color", "LANG": "en_US.UTF-8", "LC_ALL": "C"], false, true, false, true),
            (["TERM": "tmux-256color", "LC_CTYPE": "C.utf8", "NO_COLOR": "1"], false, false, true, true),
            (["TERM": "screen", "TMUX": "/tmp/x", "NO_COLOR": ""], false, true, false, true),
            (["TERM": "screen"], false, true, false, false), (["TERM": "linux"], false, true, false, false),
            (["TERM": "xterm", "XTERM_VERSION": "XTerm(379)"], false, true, false, false),
        ] as [([String: String], Bool, Bool, Bool, Bool)])
    func traits(_ environment: [String: String], _ isDumb: Bool, _ hasColour: Bool, _ isUTF8: Bool, _ reflows: Bool) {
        #expect(
            TerminalTraits(environment: environment)
                == TerminalTraits(isDumb: isDumb, hasColour: hasColour, isUTF8: isUTF8, reflows: reflows))
    }
}

/// Tests with random memos on random terminals.
extension MemoScreenTests {
    private struct Scene {
        var memo = MemoText()
        var state = LiveState.listening
        var level: LiveLevel?
        var notice: String?

        mutating func change(columns: Int, using random: inout SplitMix64) {
            let pieces = [
                "a", "some words", " ", "한국어 ", "日本", "👩‍👩‍👧", "🇩🇪", "e\u{301}", "\t", "\u{202E}", "\u{200B}", "x\ny", "ё",
            ]
            switch Int.random(in: 0..<12, using: &random) {
            case 0...2: memo.apply(.text(pieces.randomElement(using: &random)!), columns: columns)
            case 3...4:
                memo.apply(
                    [.left, .up, .down, .wordLeft, .lineStart, .lineEnd, .newLine].randomElement(using: &random)!,
                    columns: columns)
            case 5:
                memo.apply(
                    [.backspace, .delete, .deleteWordBackward, .deleteToLineEnd].randomElement(using: &random)!,
                    columns: columns)
            case 6...7: memo.setGuess(pieces.prefix(Int.random(in: 0...9, using: &random)).joined(separator: " "))
            case 8: memo.acceptFinal(pieces.prefix(Int.random(in: 0...9, using: &random)).joined(separator: " "))
            case 9: state = [.listening, .paused, .failed].randomElement(using: &random)!
            case 10: level = LiveLevel(peak: 0, rms: Double.random(in: -70...0, using: &random))
            default: notice = Bool.random(using: &random) ? nil : random.text(maximumLength: 40)
            }
        }

        func draw(_ screen: inout MemoScreen, _ size: TerminalSize) -> String {
            screen.draw(memo, state: state, level: level, notice: notice, size: size)
        }
    }

    private func randomSize(_ random: inout SplitMix64) -> TerminalSize {
        TerminalSize(columns: Int.random(in: 1...30, using: &random), rows: Int.random(in: 1...10, using: &random))
    }

    @Test("A screen that is drawn change by change is the same as one drawn at once, and the lines above it stay")
    func differencesAddUp() {
        var random = SplitMix64(for: "memo screens")
        for _ in 0..<Tier.count(20, long: 60) {
            let size = randomSize(&random)
            let prompt = (0..<Int.random(in: 0...12, using: &random)).map {
                String("\($0) prompt".prefix(size.columns))
            }
            var scene = Scene()
            var terminal = TerminalEmulator(columns: size.columns, rows: size.rows)
            terminal.write(prompt.map { $0 + "\r\n" }.joined())
            // The terminal wraps a prompt that fills its row only with the next character.
            let above = terminal.cursorLine
            let before = (terminal.scrollback + terminal.screen).prefix(above)
            var screen = MemoScreen(traits: TerminalTraits(hasColour: Bool.random(using: &random)))
            for _ in 0..<40 {
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    scene.change(columns: size.columns, using: &random)
                }
                if Int.random(in: 0..<20, using: &random) == 0 { screen.invalidate() }
                terminal.write(scene.draw(&screen, size))
                var again = screen
                _ = again.leave()
                var fresh = TerminalEmulator(columns: size.columns, rows: size.rows)
                fresh.write(scene.draw(&again, size))
                #expect(fresh.scrollback.isEmpty)
                let all = terminal.scrollback + terminal.screen
                guard all.prefix(above) == before, trimmed(all.dropFirst(above)) == trimmed(fresh.screen[...]),
                    terminal.cursorLine - above == fresh.cursorLine, terminal.column == fresh.column,
                    terminal.showsCursor
                else {
                    Issue.record(
                        "\(terminal.lines) at \(terminal.cursorLine) but \(fresh.lines) at \(fresh.cursorLine) in \(size): \(scene)"
                    )
                    return
                }
            }
            // The end is drawn over all of it.
            terminal.write(screen.finish(text: scene.memo.text, line: "kept", size: size))
            if size.columns > 4 { #expect(terminal.lines.last == "kept") }
            #expect((terminal.scrollback + terminal.screen).prefix(above) == before)
        }
    }

    private func trimmed(_ lines: ArraySlice<TerminalEmulator.Line>) -> [TerminalEmulator.Line] {
        var lines = lines
        while lines.last?.text == "" { lines.removeLast() }
        return Array(lines)
    }

    @Test("On a terminal that draws the parts of a character side by side, the rest is still in its place")
    func disagreement() {
        var random = SplitMix64(for: "terminals that disagree")
        for _ in 0..<Tier.count(10, long: 30) {
            let size = TerminalSize(columns: Int.random(in: 4...20, using: &random), rows: 10)
            var scene = Scene()
            var terminal = TerminalEmulator(columns: size.columns, rows: size.rows)
            terminal.joinsCharacters = false
            var reference = TerminalEmulator(columns: size.columns, rows: size.rows)
            var screen = MemoScreen(traits: TerminalTraits())
            for _ in 0..<20 {
                scene.notice = nil
                scene.change(columns: size.columns, using: &random)
                let output = scene.draw(&screen, size)
                terminal.write(output)
                reference.write(output)
                #expect(
                    terminal.row == reference.row && terminal.column == reference.column
                        && terminal.scrollback.count == reference.scrollback.count)
                for (line, other) in zip(terminal.screen, reference.screen) {
                    for (cell, expected) in zip(line.cells, other.cells)
                    where expected.text.unicodeScalars.allSatisfy({ $0.value < 0x250 && $0 != " " })
                        && expected.text != ""
                    {
                        #expect(cell == expected, "\(terminal.lines) but \(reference.lines)")
                    }
                }
            }
        }
    }

    private static let hidden = "\u{1B}[?25l\u{1B}[?7l"

    /// What is written before all is drawn anew: from the cursor to where the frame begins, and there all is cleared.
    private func clearing(up: Int) -> String {
        Self.hidden + "\r" + (up > 0 ? "\u{1B}[\(up)A" : "") + "\u{1B}7\u{1B}[K\u{1B}[B\u{1B}[J\u{1B}8"
    }

    @Test("When the width changes, the memo is cleared from where the terminal's own wrapping has put its beginning")
    func resizing() {
        for (text, cursor, columns, up) in [
            ("one two", 7, 7, 0), ("one two", 7, 6, 1), ("one two", 6, 6, 1), ("one two", 5, 6, 0),
            ("one two", 3, 3, 1),
            ("one two", 2, 3, 0), ("first line\nsecond", 17, 5, 3), ("first line\nsecond", 12, 5, 2),
            ("first line\nsecond", 17, 40, 1), ("first line\nsecond", 5, 5, 1), ("日本語", 9, 6, 0), ("日本語", 9, 5, 1),
            ("日本語", 9, 3, 2), ("日本語", 3, 3, 1),
            // Spaces at the end are not written.
            ("ab   ", 5, 4, 0), ("ab   \nc", 7, 2, 1),
        ] {
            for reflows in [true, false] {
                var screen = MemoScreen(traits: TerminalTraits(reflows: reflows))
                var memo = MemoText(text)
                memo.move(to: cursor)
                _ = screen.draw(memo, state: .listening, size: size)
                let row = text.utf8.prefix(cursor).count { $0 == UInt8(ascii: "\n") }
                let drawn = screen.draw(memo, state: .listening, size: TerminalSize(columns: columns, rows: 8))
                #expect(drawn.hasPrefix(clearing(up: reflows ? up : row)), "\(text) at \(cursor) in \(columns)")
            }
        }
    }

    @Test("When the size changes, all is drawn anew after that, as much as there is room for")
    func drawnAnew() {
        var random = SplitMix64(for: "resizing")
        for _ in 0..<Tier.count(12, long: 40) {
            var size = randomSize(&random)
            var scene = Scene()
            var screen = MemoScreen(traits: TerminalTraits(reflows: false))
            for _ in 0..<20 {
                for _ in 0..<3 { scene.change(columns: size.columns, using: &random) }
                var terminal = TerminalEmulator(columns: size.columns, rows: size.rows)
                var again = screen
                _ = again.leave()
                terminal.write(scene.draw(&again, size))
                _ = scene.draw(&screen, size)
                size = randomSize(&random)
                screen.invalidate()
                again = screen
                _ = again.leave()
                let (drawn, fresh) = (scene.draw(&screen, size), scene.draw(&again, size))
                let start = clearing(up: terminal.row)
                #expect(
                    drawn.hasPrefix(start) && drawn.dropFirst(start.count) == fresh.dropFirst(Self.hidden.count),
                    "\(size): \(scene)")
            }
        }
    }
}
