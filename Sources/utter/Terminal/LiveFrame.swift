/// A row of a frame, ready to be written.
struct FrameRow: Equatable, Sendable {
    /// With its attributes, which end where the row ends.
    private(set) var bytes = ""
    /// The columns of what it is put together from, in order.
    private(set) var widths: [Int] = []
    /// All of them.
    private(set) var width = 0
    private var isDim = false
    private var mustPlace = false
    private var spaces = 0

    /// Adds what is drawn as a whole, and is no wider than `width` says.
    ///
    /// Spaces at the end are not written: some terminals forget them when they break rows anew, some don't.
    mutating func append(_ text: String, width textWidth: Int, isDim dim: Bool = false) {
        if text.utf8.allSatisfy({ $0 == UInt8(ascii: " ") }) {
            spaces += textWidth
            return
        }
        // One by one, as a terminal breaks them.
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
        // Terminals disagree on how wide characters are that are put together. Whatever they draw, the next stands where we think.
        mustPlace = text.unicodeScalars.count > 1 && !text.utf8.allSatisfy { $0 < 0x80 }
    }

    /// Adds a text that is safe for a terminal, without those of its characters that can't be seen.
    mutating func append(line: String, isDim dim: Bool = false) {
        for character in line where displayWidth(character) > 0 {
            append(String(character), width: displayWidth(character), isDim: dim)
        }
    }

    /// To be called once, behind the last.
    mutating func end() {
        if isDim { bytes += "\u{1B}[0m" }
        isDim = false
        spaces = 0
    }

    /// How many rows a terminal of `columns` makes of it.
    fileprivate func rowCount(columns: Int) -> Int { rowIndex(ofColumn: .max, columns: columns) + 1 }

    /// In which of these is what stood in `column`; behind the end, the last.
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

/// A few rows that are drawn over and over where the cursor was when they first appeared. Pure: it returns what to write.
///
/// Only rows that changed are written, without wrapping: a row can't become two, however wide a terminal thinks its characters. At the end of the
/// screen the rows above move up, as with any output; so a frame must have no more rows than the terminal.
struct LiveFrame: Sendable {
    private let reflows: Bool
    private var shown: [FrameRow] = []
    private var cursor = (row: 0, column: 0)
    private var size: TerminalSize?
    private var mustRedraw = false

    /// - Parameter reflows: whether the terminal breaks rows anew when it becomes narrower.
    init(reflows: Bool) { self.reflows = reflows }

    /// What to write to show `rows`, at least one, with the cursor in one of them.
    mutating func draw(_ rows: [FrameRow], cursor target: (row: Int, column: Int), size newSize: TerminalSize) -> String {
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
            // Only a newline makes room below.
            if row > reachable { moves += String(repeating: "\r\n", count: row - reachable) }
            existing = max(existing, row + 1)
            position = (row, 0)
            return moves
        }
        for index in changed {
            output += go(to: index)
            // Behind a row that reaches the margin the cursor stays on its last character, which must not be cleared.
            output += rows[index].width < newSize.columns ? rows[index].bytes + "\u{1B}[K" : "\u{1B}[K" + rows[index].bytes
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

    /// Draws everything anew the next time, over what may have become of it.
    mutating func invalidate() { mustRedraw = true }

    /// What to write so that the frame is gone and the cursor where it began.
    ///
    /// - Parameter size: of the terminal now.
    mutating func erase(size newSize: TerminalSize) -> String { shown.isEmpty ? "" : clear(columns: newSize.columns) }

    /// What to write so that the frame stays as it is and the cursor goes below. The next is drawn there.
    mutating func leave() -> String {
        guard !shown.isEmpty else { return "" }
        let down = shown.count - 1 - cursor.row
        forget()
        return "\r" + (down > 0 ? "\u{1B}[\(down)B" : "") + "\r\n"
    }

    /// To where the frame begins now that the terminal has `columns`, and clears from there on.
    private mutating func clear(columns: Int) -> String {
        var up = cursor.row
        if reflows {
            up = shown[..<cursor.row].reduce(0) { $0 + $1.rowCount(columns: columns) }
            up += shown[cursor.row].rowIndex(ofColumn: cursor.column, columns: columns)
        }
        forget()
        // The first row apart: when all of the screen is cleared at once, tmux keeps what it showed as history. And not back by a move up,
        // since the first row may be the last of the screen, from which there was no move down.
        return "\r" + (up > 0 ? "\u{1B}[\(up)A" : "") + "\u{1B}7\u{1B}[K\u{1B}[B\u{1B}[J\u{1B}8"
    }

    private mutating func forget() {
        shown = []
        cursor = (0, 0)
    }
}
