/// The rows of a memo in a terminal. A row begins with a word, unless the word is longer than a row. A space for which there is no room
/// is beyond the margin, invisible. Pure.
///
/// The rows are kept from one drawing to the next, and only those that may have changed are laid out anew, so that a long memo takes no
/// more time than a short one.
struct MemoWrapping: Sendable {
    /// Where a row begins: at a character, or at a piece of a character whose visible form has several pieces.
    struct Start: Equatable, Comparable, Sendable {
        /// The place of the character, in UTF-8 bytes of `drawn`.
        var offset: Int
        /// The index of the piece.
        var piece = 0

        static func < (one: Start, other: Start) -> Bool { (one.offset, one.piece) < (other.offset, other.piece) }
    }

    /// What ends a row.
    enum End: Equatable {
        /// A newline, at a place in UTF-8 bytes of `drawn`.
        case newline(offset: Int)
        /// The margin of the terminal, behind which the next row begins.
        case margin(next: Start)
        case end
    }

    /// A piece of a row that is drawn as a whole.
    struct Piece: Equatable, Sendable {
        var text: String
        /// In columns.
        var width: Int
        /// The place of the character that the piece belongs to, in UTF-8 bytes of `drawn`.
        var offset: Int
        var isGuess: Bool
    }

    private(set) var columns = 0
    /// Where the rows begin; at least one after the first `update`.
    private(set) var starts: [Start] = []
    /// The text with the guess in it.
    private(set) var drawn = ""
    /// The place of the guess, with its spaces and brackets, in UTF-8 bytes of `drawn`; empty when there is none.
    private(set) var guess = 0..<0
    /// How many rows have been laid out since the beginning.
    private(set) var rowsLaidOut = 0

    /// Brings the rows up to date.
    mutating func update(_ memo: MemoText, columns newColumns: Int, bracketsGuess: Bool) {
        let placed = memo.placedGuess
        var newDrawn = memo.text
        var newGuess = 0..<0
        if !placed.guess.isEmpty {
            let shown = placed.before + (bracketsGuess ? "[\(placed.guess)]" : placed.guess) + placed.behind
            newDrawn.insert(contentsOf: shown, at: memo.index(placed.offset))
            newGuess = placed.offset..<placed.offset + shown.utf8.count
        }
        guard newColumns == columns, !starts.isEmpty else {
            (drawn, guess, columns, starts) = (newDrawn, newGuess, max(1, newColumns), [])
            layOut(from: Start(offset: 0), joining: [], movedBy: 0, from: .max)
            return
        }
        let oldCount = drawn.utf8.count
        let same = drawn.withUTF8 { old in newDrawn.withUTF8 { CommonEnds(of: old, and: $0) } }
        var (prefix, suffix) = (same.prefix, same.suffix)
        if newGuess != guess {
            // A character never extends across an edge of the guess, so a moved edge is a difference too.
            for (range, count) in [(guess, oldCount), (newGuess, newDrawn.utf8.count)] where !range.isEmpty {
                (prefix, suffix) = (min(prefix, range.lowerBound), min(suffix, count - range.upperBound))
            }
        } else if same.prefix == oldCount, oldCount == newDrawn.utf8.count {
            return
        }
        (drawn, guess) = (newDrawn, newGuess)

        // The character before the first difference may combine with new text, and the row before may have room now for what did not fit.
        var row = max(0, partition { $0.offset < prefix } - 2)
        while row > 0, starts[row].offset == starts[row + 1].offset { row -= 1 }
        let old = starts[(row + 1)...]
        let start = starts[row]
        starts.removeSubrange(row...)
        layOut(from: start, joining: old, movedBy: newDrawn.utf8.count - oldCount, from: newDrawn.utf8.count - suffix)
    }

    /// Adds the rows from `start` on; as soon as they are the same as before, the rest is taken from the old ones.
    ///
    /// - Parameters:
    ///   - distance: how far the text at the end has moved, in UTF-8 bytes.
    ///   - place: the place from which on the text is as before.
    private mutating func layOut(
        from start: Start, joining old: ArraySlice<Start>, movedBy distance: Int, from place: Int
    ) {
        var next: Start? = start
        var old = old
        // A copy, for `withUTF8` changes its string, which must not be accessed meanwhile.
        var bytes = drawn
        while let start = next {
            if start.offset >= place {
                old = old.drop { Start(offset: $0.offset + distance, piece: $0.piece) < start }
                if let first = old.first, Start(offset: first.offset + distance, piece: first.piece) == start {
                    starts += old.map { Start(offset: $0.offset + distance, piece: $0.piece) }
                    return
                }
            }
            starts.append(start)
            rowsLaidOut += 1
            switch bytes.withUTF8({ end(of: $0, from: start) }) {
            case .newline(let offset): next = Start(offset: offset + 1)
            case .margin(let following): next = following
            case .end: next = nil
            }
        }
    }

    /// The number of rows at the beginning for whose starts `isSo` is true; it must be false for all after them.
    func partition(_ isSo: (Start) -> Bool) -> Int {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if isSo(starts[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Calls a function for each piece of a row, from left to right. A space beyond the margin has no width.
    ///
    /// - Parameters:
    ///   - start: where the row begins.
    ///   - take: called with each piece and its column; returns false to stop.
    /// - Returns: what ends the row; `.end` when `take` has stopped.
    @discardableResult
    func layOutRow(from start: Start, _ take: (_ piece: @autoclosure () -> Piece, _ column: Int) -> Bool) -> End {
        var drawn = drawn
        return drawn.withUTF8 { layOutRow(of: $0, from: start, take) }
    }

    private func layOutRow(
        of bytes: UnsafeBufferPointer<UInt8>, from start: Start,
        _ take: (_ piece: @autoclosure () -> Piece, _ column: Int) -> Bool
    ) -> End {
        let end = end(of: bytes, from: start)
        let next =
            switch end {
            case .newline(let offset): Start(offset: offset)
            case .margin(let next): next
            case .end: Start(offset: bytes.count)
            }
        var (offset, skipped, width) = (start.offset, start.piece, 0)
        while Start(offset: offset) < next {
            let (character, count) = character(of: bytes, at: offset)
            for (number, form) in forms(of: character, column: width).enumerated().dropFirst(skipped) {
                if Start(offset: offset, piece: number) >= next { return end }
                let fits = fits(form, behind: width)
                let isGuess = guess.contains(offset)
                if !take(
                    Piece(text: form.text, width: fits ? form.width : 0, offset: offset, isGuess: isGuess), width)
                {
                    return .end
                }
                if fits { width += form.width }
            }
            skipped = 0
            offset += count
        }
        return end
    }

    /// What ends the row that begins at `start`.
    private func end(of bytes: UnsafeBufferPointer<UInt8>, from start: Start) -> End {
        var (offset, skipped, width) = (start.offset, start.piece, 0)
        /// The beginning of the last word, which can go to the next row.
        var word: Start?
        var last: Character = " "
        while offset < bytes.count {
            let (character, count) = character(of: bytes, at: offset)
            if character == "\n", !guess.contains(offset) { return .newline(offset: offset) }
            if SpeechSpacing.breaks(between: last, and: character), offset > start.offset {
                word = Start(offset: offset)
            }
            let isSpace = character == " " || character == "\t"
            for (number, form) in forms(of: character, column: width).enumerated().dropFirst(skipped) {
                if fits(form, behind: width) {
                    width += form.width
                    continue
                }
                if isSpace { return afterRow(bytes, offset + count) }
                return .margin(next: word ?? Start(offset: offset, piece: number))
            }
            (skipped, last) = (0, character)
            offset += count
        }
        return .end
    }

    /// Whether a row has room for a form behind so many columns. tmux adds the marks of a character in the last column to the one before, so
    /// a character with marks does not stand there.
    private func fits(_ form: (text: String, width: Int), behind width: Int) -> Bool {
        let end = width + form.width
        let hasMark = form.text.count == 1 && form.text.unicodeScalars.count > 1
        return end < columns || end == columns && (width == 0 || !hasMark)
    }

    /// What ends a row whose last space is beyond the margin.
    private func afterRow(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: Int) -> End {
        if offset == bytes.count { return .end }
        return bytes[offset] == UInt8(ascii: "\n") && !guess.contains(offset)
            ? .newline(offset: offset) : .margin(next: Start(offset: offset))
    }

    /// The character at `offset` and its length in bytes. A character never extends across an edge of the guess.
    private func character(of bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> (Character, count: Int) {
        let edge =
            guess.contains(offset) ? guess.upperBound : offset < guess.lowerBound ? guess.lowerBound : bytes.count
        let byte = bytes[offset]
        // The usual case: an ASCII character that does not combine with what follows.
        if byte >= 0x20, byte <= 0x7E, offset + 1 == edge || bytes[offset + 1] < 0x80 {
            return (Character(Unicode.Scalar(byte)), 1)
        }
        let index = drawn.utf8.index(drawn.startIndex, offsetBy: offset)
        let character = drawn[index..<drawn.utf8.index(index, offsetBy: edge - offset)].first!
        return (character, character.utf8.count)
    }

    private func forms(of character: Character, column: Int) -> [(text: String, width: Int)] {
        if character == "\t" {
            // In a full row, the tab has a width that does not fit.
            let width = column < columns ? min(8 - column % 8, columns - column) : 1
            return [(String(repeating: " ", count: width), width)]
        }
        // A terminal of one column has no room for wide characters.
        return MemoLayout.forms(of: character).map { $0.width > columns ? ("?", 1) : $0 }
    }
}
