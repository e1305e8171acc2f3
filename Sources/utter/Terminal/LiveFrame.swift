/// A row of a frame, ready to be written.
struct FrameRow: Equatable, Sendable {
    /// The text with its attributes, which end where the row ends.
    private(set) var bytes = ""
    /// The width of each piece of the row, in columns, in order.
    private(set) var widths: [Int] = []
    /// The width of the whole row, in columns.
    private(set) var width = 0
    private var isDim = false
    private var mustPlace = false
    private var spaces = 0

    /// Adds a piece that is drawn as a whole and is no wider than `width` columns.
    ///
    /// Spaces at the end of the row are not written, for only some terminals keep them when they rewrap rows.
    mutating func append(_ text: String, width textWidth: Int, isDim dim: Bool = false) {
        if text.utf8.allSatisfy({ $0 == UInt8(ascii: " ") }) {
            spaces += textWidth
            return
        }
        // One by one, since a terminal may wrap between them.
        for _ in 0..<spaces { write(" ", width: 1, isDim: dim) }
        spaces = 0
        write(text, width: textWidth, isDim: dim)
    }

    private mutating func write(_ text: String, width textWidth: Int, isDim dim: Bool) {
        if mustPlace { bytes += "\u{1B}[\(width + 1)G" }
        if dim != isDim { bytes += dim ? "\u{1B}[2m" : "\u{1B}[0m" }
        isDim = dim
        bytes += text
        widths.append(textWidth)
        width += textWidth
        // Terminals disagree on the width of composed characters, so the next piece is placed explicitly.
        mustPlace = text.unicodeScalars.count > 1 && !text.utf8.allSatisfy { $0 < 0x80 }
    }

    /// Adds a text that is safe for a terminal, without its characters of no width.
    mutating func append(line: String, isDim dim: Bool = false) {
        for character in line where displayWidth(character) > 0 {
            append(String(character), width: displayWidth(character), isDim: dim)
        }
    }

    /// Ends the row. Call this once, after the last piece.
    mutating func end() {
        if isDim { bytes += "\u{1B}[0m" }
        isDim = false
        spaces = 0
    }

    /// The number of rows that a terminal with `columns` columns makes of this row.
    fileprivate func rowCount(columns: Int) -> Int { rowIndex(ofColumn: .max, columns: columns) + 1 }

    /// The index, among the rows that a terminal with `columns` columns makes of this row, of the one with the piece in `column`; after
    /// the end, that of the last.
    fileprivate func rowIndex(ofColumn column: Int, columns: Int) -> Int {
        var index = 0
        var used = 0
        var passed = 0
        for width in widths {
            if used + width > columns {
                index += 1
                used = 0
            }
            used += width
            passed += width
            if passed > column { break }
        }
        return index
    }
}

/// A few rows that are redrawn in place, from where the cursor was when they first appeared. Pure: it returns the text to write.
///
/// Only rows that changed are written, with wrapping off, so that a row can't become two, whatever width the terminal gives its
/// characters. At the end of the screen it scrolls, as with any output, so a frame must not have more rows than the terminal.
struct LiveFrame: Sendable {
    private let reflows: Bool
    private var shown: [FrameRow] = []
    private var cursor = (row: 0, column: 0)
    private var size: TerminalSize?
    private var mustRedraw = false

    init(reflows: Bool) { self.reflows = reflows }

    /// The text to write to show `rows`, at least one, with the cursor in one of them.
    mutating func draw(_ rows: [FrameRow], cursor target: (row: Int, column: Int), size newSize: TerminalSize) -> String
    {
        var output = ""
        if !shown.isEmpty, mustRedraw || newSize != size { output += clear(columns: newSize.columns) }
        mustRedraw = false
        size = newSize

        let changed = rows.indices.filter { $0 >= shown.count || shown[$0] != rows[$0] }
        var position = cursor
        var existing = max(1, shown.count)
        func go(to row: Int) -> String {
            var moves = "\r"
            let reachable = min(row, existing - 1)
            if reachable < position.row { moves += "\u{1B}[\(position.row - reachable)A" }
            if reachable > position.row { moves += "\u{1B}[\(reachable - position.row)B" }
            // Only a newline scrolls at the end of the screen.
            if row > reachable { moves += String(repeating: "\r\n", count: row - reachable) }
            existing = max(existing, row + 1)
            position = (row, 0)
            return moves
        }
        for index in changed {
            output += go(to: index)
            // After a row that reaches the margin, the cursor stays on its last character, which must not be cleared.
            output +=
                rows[index].width < newSize.columns ? rows[index].bytes + "\u{1B}[K" : "\u{1B}[K" + rows[index].bytes
        }
        if rows.count < shown.count { output += go(to: rows.count) + "\u{1B}[J" }
        if !output.isEmpty { output = "\u{1B}[?25l\u{1B}[?7l" + output }
        let hides = !output.isEmpty
        if hides || target != position {
            output += go(to: target.row)
            if target.column > 0 { output += "\u{1B}[\(target.column)C" }
        }
        if hides { output += "\u{1B}[?7h\u{1B}[?25h" }
        shown = rows
        cursor = target
        return output
    }

    /// Makes the next `draw` write all rows, whatever is on the screen.
    mutating func invalidate() { mustRedraw = true }

    /// The text to write to remove the frame and put the cursor where it began.
    mutating func erase(size newSize: TerminalSize) -> String { shown.isEmpty ? "" : clear(columns: newSize.columns) }

    /// The text to write to leave the frame as it is and put the cursor below, where the next frame is drawn.
    mutating func leave() -> String {
        guard !shown.isEmpty else { return "" }
        let down = shown.count - 1 - cursor.row
        forget()
        return "\r" + (down > 0 ? "\u{1B}[\(down)B" : "") + "\r\n"
    }

    /// The text to write to move to where the frame begins on a terminal with `columns` columns, and clear from there on.
    private mutating func clear(columns: Int) -> String {
        var up = cursor.row
        if reflows {
            up = shown[..<cursor.row].reduce(0) { $0 + $1.rowCount(columns: columns) }
            up += shown[cursor.row].rowIndex(ofColumn: cursor.column, columns: columns)
        }
        forget()
        // The first row is cleared separately: when the whole screen is cleared at once, tmux keeps it as history. The cursor goes back
        // by ESC 8, not by a move up, since there was no move down if the first row is the last of the screen.
        return "\r" + (up > 0 ? "\u{1B}[\(up)A" : "") + "\u{1B}7\u{1B}[K\u{1B}[B\u{1B}[J\u{1B}8"
    }

    private mutating func forget() {
        shown = []
        cursor = (0, 0)
    }
}
