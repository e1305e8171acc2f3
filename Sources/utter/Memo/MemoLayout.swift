/// A memo in rows of a terminal: what stands in which column, and where the cursor is. Pure.
///
/// Rows are broken between words, and a word that is longer than a row between characters. Tabs reach to the next eighth column. What a
/// terminal must not get comes in its visible form, what takes no column and would join its neighbours in some terminals only is left out.
struct MemoLayout: Sendable {
    /// Something that is drawn as a whole.
    struct Cell: Equatable, Sendable {
        var text: String
        /// In columns.
        var width: Int
        /// What it stands for, in UTF-8 bytes of the memo's text; for the guess, where that stands.
        var offset: Int
        /// Not certain yet: a guess, or what waits for its second pass.
        var isUndecided: Bool
    }

    struct Row: Equatable, Sendable {
        var cells: [Cell] = []
        var width = 0
        /// Where the cursor goes that is sent behind all of it.
        var end: Int
    }

    /// At least one.
    let rowCount: Int
    let cursorRow: Int
    let cursorColumn: Int
    private let wrapping: MemoWrapping
    /// The cursor is behind a row that reaches the margin, in a row of its own.
    private let hasRowForCursor: Bool
    /// What waits for its second pass, in UTF-8 bytes of the memo's text.
    private let waiting: [Range<Int>]

    /// - Parameters:
    ///   - columns: the width of the terminal.
    ///   - bracketsGuess: puts the guess into square brackets, where there is no other way to mark it.
    ///   - wrapping: what is remembered of the last time.
    init(_ memo: MemoText, columns: Int, bracketsGuess: Bool = false, _ wrapping: inout MemoWrapping) {
        wrapping.update(memo, columns: columns, bracketsGuess: bracketsGuess)
        self.wrapping = wrapping
        waiting = memo.waiting.compactMap(\.placeWithSpaces)
        let guess = wrapping.guess
        let place = memo.cursor > guess.lowerBound ? memo.cursor + guess.count : memo.cursor
        let row = wrapping.partition { $0 <= MemoWrapping.Start(offset: place) } - 1
        // What can't be seen has no column of its own.
        var column: Int?
        var width = 0
        let end = wrapping.layOutRow(from: wrapping.starts[row]) { piece, start in
            let piece = piece()
            if piece.offset >= place { column = start }
            width = start + piece.width
            return column == nil
        }
        // A row that is full to the margin has no column left for the cursor but its last.
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
    var guessEndRow: Int { wrapping.guess.isEmpty ? 0 : wrapping.partition { $0.offset < wrapping.guess.upperBound } - 1 }

    /// What stands in a row.
    func row(_ number: Int) -> Row {
        let guess = wrapping.guess
        func textOffset(_ offset: Int) -> Int {
            offset < guess.lowerBound ? offset : max(guess.lowerBound, offset - guess.count)
        }
        let count = wrapping.drawn.utf8.count - guess.count
        guard number < wrapping.starts.count else { return Row(end: count) }
        var row = Row(end: count)
        let end = wrapping.layOutRow(from: wrapping.starts[number]) { piece, _ in
            let piece = piece()
            let offset = textOffset(piece.offset)
            let isUndecided = guess.contains(piece.offset) || waiting.contains { $0.contains(offset) }
            row.cells.append(Cell(text: piece.text, width: piece.width, offset: offset, isUndecided: isUndecided))
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

    /// The place in the text that is drawn in `column` of a row, or the row's end when it is shorter.
    func offset(row number: Int, column: Int) -> Int {
        let row = row(number)
        var end = 0
        for cell in row.cells {
            end += cell.width
            if column < end { return cell.offset }
        }
        return row.end
    }

    /// Whether the second of two characters may begin a row: behind a space, and where words are written without spaces.
    static func breaks(between last: Character, and next: Character) -> Bool {
        if last == " " || last == "\t" { return next != " " && next != "\t" }
        if last.isASCII, next.isASCII { return false }
        let isWithoutSpaces = SpeechSpacing.isWrittenWithoutSpaces(last) || SpeechSpacing.isWrittenWithoutSpaces(next)
        return isWithoutSpaces && next != " " && !"（「『【〈《〔［｛“‘([{".contains(last)
            && !"、。，．・：；？！々ー）」』】〉》〕］｝”’…‥ゝゞヽヾ.,;:?!)]}%".contains(next)
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
