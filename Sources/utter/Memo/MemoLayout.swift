/// A memo in rows of a terminal: what stands in which column, and where the cursor is. Pure.
///
/// Rows are broken at the width, as a terminal does it, between characters. Tabs reach to the next eighth column. What a
/// terminal must not get comes in its visible form, what takes no column and would join its neighbours in some terminals only is left out.
struct MemoLayout: Equatable, Sendable {
    /// Something that is drawn as a whole.
    struct Cell: Equatable, Sendable {
        var text: String
        /// In columns.
        var width: Int
        /// What it stands for, in UTF-8 bytes of the memo's text; for the guess, where that stands.
        var offset: Int
        var isGuess: Bool
    }

    struct Row: Equatable, Sendable {
        var cells: [Cell] = []
        var width = 0
        /// Where the cursor goes that is sent behind all of it.
        var end: Int
    }

    private(set) var rows: [Row] = []
    private(set) var cursorRow = 0
    private(set) var cursorColumn = 0

    /// - Parameters:
    ///   - columns: the width of the terminal.
    ///   - bracketsGuess: puts the guess into square brackets, where there is no other way to mark it.
    init(_ memo: MemoText, columns: Int, bracketsGuess: Bool = false) {
        var builder = Builder(columns: max(1, columns), cursor: memo.cursor)
        let placed = memo.placedGuess
        let place = memo.index(placed.offset)
        builder.add(memo.text[..<place], from: 0)
        if !placed.guess.isEmpty {
            let guess = bracketsGuess ? "[\(placed.guess)]" : placed.guess
            builder.addGuess(placed.before + guess + placed.behind, at: placed.offset)
        }
        builder.add(memo.text[place...], from: placed.offset)
        builder.finish(at: memo.text.utf8.count)
        rows = builder.rows
        (cursorRow, cursorColumn) = builder.cursorPlace
    }

    /// The place in the text that is drawn in `column` of a row, or the row's end when it is shorter.
    func offset(row: Int, column: Int) -> Int {
        var end = 0
        for cell in rows[row].cells {
            end += cell.width
            if column < end { return cell.offset }
        }
        return rows[row].end
    }

    /// The forms in which a character is drawn, one after another.
    static func forms(of character: Character) -> [(text: String, width: Int)] {
        let width = displayWidth(character)
        if character.unicodeScalars.contains(where: TerminalText.isDangerous) {
            return TerminalText.visible(String(character)).map { (String($0), displayWidth($0)) }
        }
        if width > 0 { return [(String(character), width)] }
        // A mark without a letter gets a circle to sit on; what can't be seen at all is left out.
        let isMark = character.unicodeScalars.first.map {
            [.nonspacingMark, .enclosingMark].contains($0.properties.generalCategory)
                && !$0.properties.isVariationSelector
        }
        return isMark == true ? [("\u{25CC}" + String(character), 1)] : []
    }
}

/// Fills rows from left to right.
private struct Builder {
    let columns: Int
    let cursor: Int
    private(set) var rows: [MemoLayout.Row] = []
    private(set) var cursorPlace = (row: 0, column: 0)
    private var row = MemoLayout.Row(end: 0)
    private var hasPlacedCursor = false
    private var cursorIsNext = false

    init(columns: Int, cursor: Int) {
        self.columns = columns
        self.cursor = cursor
    }

    mutating func add(_ text: Substring, from start: Int) {
        var offset = start
        for character in text {
            reach(offset)
            if character == "\n" {
                // A row that is full to the margin has no column left for the cursor but its last.
                if cursorIsNext { placeCursor(column: min(row.width, columns - 1)) }
                endRow(at: offset)
            } else {
                add(character, offset: offset, isGuess: false)
            }
            offset += character.utf8.count
        }
        reach(offset)
    }

    mutating func addGuess(_ text: String, at offset: Int) {
        reach(offset)
        for character in text { add(character, offset: offset, isGuess: true) }
    }

    mutating func finish(at end: Int) {
        reach(end)
        if cursorIsNext, row.width >= columns { endRow(at: row.cells.last?.offset ?? end) }
        if cursorIsNext { placeCursor(column: row.width) }
        row.end = end
        rows.append(row)
    }

    private mutating func reach(_ offset: Int) {
        if !hasPlacedCursor, offset >= cursor { cursorIsNext = true }
    }

    private mutating func placeCursor(column: Int) {
        cursorPlace = (rows.count, column)
        hasPlacedCursor = true
        cursorIsNext = false
    }

    private mutating func endRow(at end: Int) {
        row.end = end
        rows.append(row)
        row = MemoLayout.Row(end: end)
    }

    private mutating func add(_ character: Character, offset: Int, isGuess: Bool) {
        if character == "\t" {
            if row.width >= columns { endRow(at: row.cells.last?.offset ?? offset) }
            let width = min(8 - row.width % 8, columns - row.width)
            place(String(repeating: " ", count: width), width: width, offset: offset, isGuess: isGuess)
            return
        }
        for form in MemoLayout.forms(of: character) {
            // In a terminal of one column.
            if form.width > columns {
                place("?", width: 1, offset: offset, isGuess: isGuess)
            } else {
                place(form.text, width: form.width, offset: offset, isGuess: isGuess)
            }
        }
    }

    private mutating func place(_ text: String, width: Int, offset: Int, isGuess: Bool) {
        if row.width + width > columns { endRow(at: row.cells.last?.offset ?? offset) }
        if cursorIsNext { placeCursor(column: row.width) }
        row.cells.append(MemoLayout.Cell(text: text, width: width, offset: offset, isGuess: isGuess))
        row.width += width
    }
}
