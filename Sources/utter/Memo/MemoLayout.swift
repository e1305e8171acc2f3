/// A memo in rows of a terminal: what is in which column, and where the cursor is. Pure.
///
/// Rows are broken between words; a word that is longer than a row is broken between characters. There is a tab stop at every eighth
/// column. A character that is dangerous for a terminal is drawn in a visible form. A character without width is left out, for only some
/// terminals join it to its neighbours.
struct MemoLayout: Sendable {
    struct Row: Equatable, Sendable {
        /// The pieces, whose offsets are in UTF-8 bytes of the memo's text; that of a piece of the guess is the place of the guess.
        var cells: [MemoWrapping.Piece] = []
        var width = 0
        /// The place of a cursor that is moved beyond the row's last cell, in UTF-8 bytes of the memo's text.
        var end: Int
    }

    /// The number of rows, at least one.
    let rowCount: Int
    let cursorRow: Int
    let cursorColumn: Int
    private let wrapping: MemoWrapping
    /// Whether there is an empty row for the cursor, after a last row that reaches the margin.
    private let hasRowForCursor: Bool

    /// Lays out a memo.
    ///
    /// - Parameters:
    ///   - bracketsGuess: whether to put the guess into square brackets, when there is no other way to mark it.
    ///   - wrapping: the rows of the last layout, which are brought up to date.
    init(_ memo: MemoText, columns: Int, bracketsGuess: Bool = false, _ wrapping: inout MemoWrapping) {
        wrapping.update(memo, columns: columns, bracketsGuess: bracketsGuess)
        self.wrapping = wrapping
        let guess = wrapping.guess
        let place = memo.cursor >= guess.lowerBound ? memo.cursor + guess.count : memo.cursor
        let row = wrapping.partition { $0 <= MemoWrapping.Start(offset: place) } - 1
        // The column of the first piece at the cursor or after it, for an invisible character has no column.
        var column: Int?
        var width = 0
        let end = wrapping.layOutRow(from: wrapping.starts[row]) { piece, start in
            let piece = piece()
            if piece.offset >= place { column = start }
            width = start + piece.width
            return column == nil
        }
        // A last row that is full to the margin has no column left for the cursor, which gets a row of its own.
        let isFull = column == nil && end == .end && width >= wrapping.columns
        hasRowForCursor = isFull
        rowCount = wrapping.starts.count + (isFull ? 1 : 0)
        switch end {
        case .margin where column == nil: (cursorRow, cursorColumn) = (row + 1, 0)
        case .end where isFull: (cursorRow, cursorColumn) = (row + 1, 0)
        default: (cursorRow, cursorColumn) = (row, min(column ?? width, wrapping.columns - 1))
        }
    }

    /// The last row that shows some of the guess; 0 when there is none.
    var guessEndRow: Int {
        wrapping.guess.isEmpty ? 0 : wrapping.partition { $0.offset < wrapping.guess.upperBound } - 1
    }

    func row(_ number: Int) -> Row {
        let guess = wrapping.guess
        func textOffset(_ offset: Int) -> Int {
            offset < guess.lowerBound ? offset : max(guess.lowerBound, offset - guess.count)
        }
        let count = wrapping.drawn.utf8.count - guess.count
        guard number < wrapping.starts.count else { return Row(end: count) }
        var row = Row(end: count)
        let end = wrapping.layOutRow(from: wrapping.starts[number]) { piece, _ in
            var piece = piece()
            piece.offset = textOffset(piece.offset)
            row.cells.append(piece)
            row.width += piece.width
            return true
        }
        switch end {
        case .newline(let offset): row.end = textOffset(offset)
        case .end where !hasRowForCursor: break
        case .margin, .end: row.end = row.cells.last?.offset ?? row.end
        }
        return row
    }

    /// The place in the text that is drawn in `column` of a row, or the row's end when it is shorter; nil for a row that shows only some of
    /// the guess, whose place is behind it.
    func offset(row number: Int, column: Int) -> Int? {
        let row = row(number)
        let goesOn = row.cells.last?.isGuess == true && number < rowCount - 1
        let cells = goesOn ? row.cells.filter { !$0.isGuess } : row.cells
        var end = 0
        for cell in cells {
            end += cell.width
            if column < end { return cell.offset }
        }
        return goesOn ? cells.last?.offset : row.end
    }

    /// The pieces in which a character is drawn, with their widths in columns; none for an invisible character.
    static func forms(of character: Character) -> [(text: String, width: Int)] {
        let width = displayWidth(character)
        if character.unicodeScalars.contains(where: TerminalText.isDangerous) {
            return TerminalText.visible(String(character)).map { (String($0), displayWidth($0)) }
        }
        if width > 0 { return [(String(character), width)] }
        // A mark without a letter is drawn on a dotted circle; an invisible character is left out.
        let isMark = character.unicodeScalars.first.map {
            [.nonspacingMark, .enclosingMark].contains($0.properties.generalCategory)
                && !$0.properties.isVariationSelector
        }
        return isMark == true ? [("\u{25CC}" + String(character), 1)] : []
    }
}
