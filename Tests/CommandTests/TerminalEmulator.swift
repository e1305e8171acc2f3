import Testing

@testable import utter

/// A small terminal, which computes the screen from what was written to it. It knows only the sequences that utter uses; any other is
/// a test's failure.
struct TerminalEmulator {
    struct Cell: Equatable {
        /// The character; empty in the cell after a wide one.
        var text = " "
        var isDim = false
    }

    struct Line: Equatable {
        var cells: [Cell]
        /// Whether the terminal itself began the next line.
        var isWrapped = false

        var text: String {
            let text = cells.map(\.text).joined()
            return String(text[..<(text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex)])
        }
    }

    private let columns: Int
    private let rows: Int
    /// The lines that have left the screen at the top; `screen` has the others.
    private(set) var scrollback: [Line] = []
    private(set) var screen: [Line]
    private(set) var row = 0
    private(set) var column = 0
    private(set) var showsCursor = true
    /// Whether it draws a character of several scalars as one, which some terminals don't.
    var joinsCharacters = true
    private var saved = (row: 0, column: 0)
    private var wrapsNext = false
    private var wraps = true
    private var isDim = false
    /// The place of the character that was written last.
    private var last: (row: Int, column: Int)?

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        screen = Array(repeating: Line(cells: Array(repeating: Cell(), count: columns)), count: rows)
    }

    /// All lines, without the empty ones at the end.
    var lines: [String] {
        var lines = (scrollback + screen).map(\.text)
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    /// All lines, with those that the terminal wrapped joined.
    var logicalLines: [String] {
        var result: [String] = []
        var joins = false
        for line in scrollback + screen {
            if joins { result[result.count - 1] += line.text } else { result.append(line.text) }
            joins = line.isWrapped
        }
        while result.last == "" { result.removeLast() }
        return result
    }

    /// The row of the cursor, counted from the first of all lines.
    var cursorLine: Int { scrollback.count + row }

    mutating func write(_ text: String) {
        var run = String.UnicodeScalarView()
        var rest = Array(text.unicodeScalars)[...]
        func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) }
        last = nil
        while let scalar = rest.popFirst() {
            if !isControl(scalar) {
                run.append(scalar)
                continue
            }
            put(String(run))
            run = .init()
            switch scalar {
            case "\r":
                column = 0
                wrapsNext = false
            case "\n": newLine()
            case "\t":
                column = min(columns - 1, (column / 8 + 1) * 8)
            case "\u{1B}": escape(&rest)
            default: Issue.record("U+\(String(scalar.value, radix: 16)) was sent to the terminal")
            }
        }
        put(String(run))
    }

    private mutating func escape(_ rest: inout ArraySlice<Unicode.Scalar>) {
        switch rest.popFirst() {
        case "[": break
        case "7":
            saved = (row, column)
            return
        case "8":
            (row, column) = saved
            return
        default:
            Issue.record("an Esc that begins no sequence was sent")
            return
        }
        var parameters = ""
        while let next = rest.first, next.value < 0x40 { parameters.unicodeScalars.append(rest.removeFirst()) }
        let final = rest.popFirst() ?? " "
        let count = max(1, Int(parameters) ?? 1)
        let couldWrap = wrapsNext
        wrapsNext = false
        switch (parameters, final) {
        case (_, "A"): row = max(0, row - count)
        case (_, "B"):
            row = min(rows - 1, row + count)
        case (_, "C"): column = min(columns - 1, column + count)
        case (_, "G"): column = min(columns - 1, count - 1)
        case ("", "K"): clear(row: row, from: column)
        case ("", "J"):
            #expect(row > 0 || column > 0 || rows == 1, "all of the screen was cleared")
            clear(row: row, from: column)
            for below in row + 1..<max(row + 1, rows) { clear(row: below, from: 0) }
        case ("0", "m"), ("2", "m"):
            isDim = parameters == "2"
            wrapsNext = couldWrap
        case ("?7", "h"), ("?7", "l"): wraps = final == "h"
        case ("?25", "h"), ("?25", "l"): showsCursor = final == "h"
        default: Issue.record("ESC [\(parameters)\(final) was sent")
        }
    }

    private mutating func clear(row: Int, from column: Int) {
        for index in column..<columns { screen[row].cells[index] = Cell() }
        screen[row].isWrapped = false
    }

    private mutating func newLine() {
        wrapsNext = false
        if row < rows - 1 {
            row += 1
        } else {
            scrollback.append(screen.removeFirst())
            screen.append(Line(cells: Array(repeating: Cell(), count: columns)))
        }
    }

    private mutating func put(_ text: String) {
        if joinsCharacters {
            for character in text { put(String(character), width: displayWidth(character)) }
        } else {
            for scalar in text.unicodeScalars { put(String(Character(scalar)), width: ScalarWidth.of(scalar)) }
        }
    }

    private mutating func put(_ text: String, width: Int) {
        if width == 0 {
            // Such a scalar is added to the character before it.
            if joinsCharacters {
                Issue.record("\(text.unicodeScalars.map(\.value)) takes no column, and was sent alone")
            }
            if let last { screen[last.row].cells[last.column].text += text }
            return
        }
        if wrapsNext || column + width > columns && wraps {
            screen[row].isWrapped = true
            column = 0
            newLine()
        }
        if column + width > columns { column = max(0, columns - width) }
        last = (row, column)
        for index in column..<min(columns, column + width) {
            // Overwriting one half of a wide character erases the other.
            if screen[row].cells[index].text == "", index == column, index > 0 { screen[row].cells[index - 1] = Cell() }
            if index + 1 < columns, screen[row].cells[index + 1].text == "", index == column + width - 1 {
                screen[row].cells[index + 1] = Cell()
            }
            screen[row].cells[index] = Cell(text: index == column ? text : "", isDim: isDim)
        }
        column += width
        if column >= columns {
            column = columns - 1
            wrapsNext = wraps
        }
    }
}
