/// Draws a memo in a terminal, in place below the prompt. Pure: it returns what to write.
///
/// ```swift
/// var screen = MemoScreen(traits: TerminalTraits(environment: environment))
/// terminal.write(screen.draw(memo, state: .listening, level: level, size: terminal.size))
/// terminal.write(screen.finish(text: memo.text, line: "kept in notes/2026-03-01.md", size: terminal.size))
/// ```
///
/// It shows the memo, the notice in at most three rows or a third of the rows, the keys if they are wanted, and one row with state and
/// level. The guess is dim, or in square brackets if attributes are not wanted. Of a memo that is taller than the terminal, it shows the
/// part around the cursor. On a dumb terminal it writes lines; see `MemoLog`.
struct MemoScreen: Sendable {
    private let traits: TerminalTraits
    private var frame: LiveFrame
    private var log = MemoLog()
    private var firstRow = 0
    private var wrapping = MemoWrapping()
    private let remark: String?

    /// Creates a screen on which nothing is drawn yet.
    init(traits: TerminalTraits, remark: String? = nil) {
        self.traits = traits
        self.remark = remark
        frame = LiveFrame(reflows: traits.reflows)
    }

    enum Keys {
        case none
        /// The most important keys, in one row.
        case hint
        case all
    }

    /// The text to write so that the terminal shows the memo; empty when the terminal shows it already.
    ///
    /// - Parameters:
    ///   - status: the state in a few words; nil for `state.text`.
    ///   - notice: something the user should know, in a sentence. Untrusted.
    mutating func draw(
        _ memo: MemoText, state: LiveState, status text: String? = nil, level: LiveLevel? = nil, notice: String? = nil,
        keys: Keys = .none, size: TerminalSize
    ) -> String {
        if traits.isDumb { return log.draw(memo, state: state, notice: notice) }
        let size = TerminalSize(columns: max(1, size.columns), rows: max(1, size.rows))
        let layout = MemoLayout(memo, columns: size.columns, bracketsGuess: !traits.hasColour, &wrapping)
        let status = size.rows > 1 ? [statusRow(state, text ?? state.text, level, columns: size.columns)] : []
        let notices = noticeRows(notice, size: size)
        // At least one row remains for the memo.
        let below = notices + keyRows(keys, atMost: size.rows - 1 - notices.count - status.count, size: size) + status
        scroll(to: layout, height: size.rows - below.count)
        let visible = (firstRow..<min(layout.rowCount, firstRow + size.rows - below.count)).map { row(layout.row($0)) }
        return frame.draw(
            visible + below, cursor: (layout.cursorRow - firstRow, layout.cursorColumn), size: size)
    }

    /// Makes the next call of `draw` draw everything anew, for Control-L and after each change of the terminal's size.
    mutating func invalidate() { frame.invalidate() }

    /// The text to write before other programs use the terminal, as when this process is stopped. The memo is redrawn below their output.
    mutating func leave() -> String { traits.isDumb ? "" : frame.leave() }

    /// The text to write at the end: the memo's text, wrapped as it was shown, and a line that says what became of it.
    ///
    /// - Parameters:
    ///   - text: the memo's text; empty when it is not to stay on the screen. Newlines at its end are left out.
    ///   - line: a sentence that says what became of the memo, or nil. Untrusted.
    mutating func finish(text: String, line: String?, size: TerminalSize) -> String {
        let lines = line.map { [TerminalText.visible($0)] } ?? []
        let text = String(text[..<(text.lastIndex { $0 != "\n" }.map(text.index(after:)) ?? text.startIndex)])
        if traits.isDumb { return ((text.isEmpty ? [] : [MemoLog.shown(text)]) + lines).map { $0 + "\n" }.joined() }
        var memo = MemoText(text)
        // A cursor at the end may have a row of its own.
        memo.move(to: 0)
        let layout = MemoLayout(memo, columns: max(1, size.columns), &wrapping)
        let rows = memo.text.isEmpty ? [] : (0..<layout.rowCount).map { row(layout.row($0)).bytes }
        return frame.erase(size: size) + (rows + lines).map { $0 + "\r\n" }.joined()
    }

    // The cursor is always visible, and as much of the guess as there is room for.
    private mutating func scroll(to layout: MemoLayout, height: Int) {
        firstRow = max(firstRow, layout.guessEndRow - height + 1, layout.cursorRow - height + 1)
        firstRow = max(0, min(firstRow, layout.cursorRow, layout.rowCount - height))
    }

    private func row(_ layoutRow: MemoLayout.Row) -> FrameRow {
        var row = FrameRow()
        for cell in layoutRow.cells {
            row.append(cell.text, width: cell.width, isDim: cell.isGuess && traits.hasColour)
        }
        row.end()
        return row
    }

    private func statusRow(_ state: LiveState, _ status: String, _ level: LiveLevel?, columns: Int) -> FrameRow {
        var text = status
        if state == .listening, let meter = level?.meter(isUTF8: traits.isUTF8), !meter.isEmpty { text += " " + meter }
        if let remark { text += "  " + TerminalText.visible(remark) }
        return row(text, columns: columns)
    }

    private func keyRows(_ keys: Keys, atMost most: Int, size: TerminalSize) -> [FrameRow] {
        let lines: [String] =
            switch keys {
            case .none: []
            case .hint: [MemoKeys.hint(isUTF8: traits.isUTF8)]
            case .all: MemoKeys.lines(columns: size.columns - 1)
            }
        let shown = lines.count > most ? lines.prefix(max(0, most - 1)) + ["utter help memo shows them all"] : lines
        return shown.prefix(max(0, most)).map { row($0, columns: size.columns) }
    }

    private static let usualNoticeRows = 3

    private func noticeRows(_ notice: String?, size: TerminalSize) -> [FrameRow] {
        // The notice gets what is left after a row for the memo and one for the state.
        let most = min(max(Self.usualNoticeRows, size.rows / 3), size.rows - 2)
        guard let notice, most > 0 else { return [] }
        var lines = TextWrapper.lines(of: TerminalText.visible(notice), width: max(1, size.columns - 1))
        if lines.count > most { lines = lines.prefix(most - 1) + [lines.dropFirst(most - 1).joined(separator: " ")] }
        return lines.map { row($0, columns: size.columns) }
    }

    // The last column stays free, for old terminals treat it differently.
    private func row(_ text: String, columns: Int) -> FrameRow {
        var row = FrameRow()
        row.append(line: shortened(text, to: columns - 1, isUTF8: traits.isUTF8), isDim: traits.hasColour)
        row.end()
        return row
    }
}
