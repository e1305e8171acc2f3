extension MemoText {
    /// Performs a key that edits the text or moves the cursor; Enter, Esc, F1 and other Control keys are left to the caller.
    ///
    /// Up and down go by the rows that the terminal shows; Home, End, Control-U and Control-K go by lines. The latter two delete the
    /// newline when there is nothing else on their side of the line.
    mutating func apply(_ key: Key, columns: Int, time: Double = 0) {
        let here = index(cursor)
        let last = lastKey
        switch key {
        case .enter, .escape, .help, .control: return
        default: lastKey = .other
        }
        switch key {
        case _ where erasesGuess(key): break
        case .text(let typed): insert(typed, time: time)
        case .paste(let typed): insert(typed, as: .pasting, time: time)
        case .newLine: insert("\n", as: nil)
        case .left: move(to: offset(before(here)))
        case .right: move(to: offset(after(here)))
        case .wordLeft: move(to: offset(WordBoundary.start(before: here, in: text)))
        case .wordRight: move(to: offset(WordBoundary.end(after: here, in: text)))
        case .lineStart: move(to: offset(lineStart(here)))
        case .lineEnd: move(to: offset(lineEnd(here)))
        case .up: moveByRow(up: true, columns: columns)
        case .down: moveByRow(up: false, columns: columns)
        case .backspace: delete(to: offset(before(here)), as: .erasing, time: time)
        case .delete: delete(to: offset(after(here)), as: .erasingForward, time: time)
        case .deleteWordBackward: kill(to: wordStart(before: here), after: last)
        case .deleteWordForward: kill(to: wordEnd(after: here), after: last)
        case .deleteToLineStart:
            let start = lineStart(here)
            kill(to: start == here ? before(here) : start, after: last)
        case .deleteToLineEnd:
            let end = lineEnd(here)
            kill(to: end == here ? after(here) : end, after: last)
        case .yank: remember(yank())
        case .yankPrevious:
            guard case .yank(let range, let revision) = last, revision == self.revision else { break }
            remember(yankPrevious(inPlaceOf: range))
        case .undo: undo()
        case .redo: redo()
        case .enter, .escape, .help, .control: break
        }
    }

    /// Whether a key would erase what is being said. It does nothing: the words before are others than those that the user sees there.
    func erasesGuess(_ key: Key) -> Bool {
        isBehindGuess && [.backspace, .deleteWordBackward, .deleteToLineStart].contains(key)
    }

    private mutating func kill(to end: String.Index, after last: LastKey) {
        kill(to: offset(end), joins: last == .kill)
        lastKey = .kill
    }

    private mutating func remember(_ yanked: Range<Int>?) {
        if let yanked { lastKey = .yank(yanked, revision: revision) }
    }

    private func before(_ index: String.Index) -> String.Index {
        index > text.startIndex ? text.index(before: index) : index
    }

    private func after(_ index: String.Index) -> String.Index {
        index < text.endIndex ? text.index(after: index) : index
    }

    private func lineStart(_ index: String.Index) -> String.Index {
        text[..<index].utf8.lastIndex(of: UInt8(ascii: "\n")).map { text.utf8.index(after: $0) } ?? text.startIndex
    }

    private func lineEnd(_ index: String.Index) -> String.Index {
        text[index...].utf8.firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
    }

    // At the edge of a line, only the newline is deleted, not a word of the other line.
    private func wordStart(before index: String.Index) -> String.Index {
        let start = lineStart(index)
        return start == index ? before(index) : max(start, WordBoundary.start(before: index, in: text))
    }

    private func wordEnd(after index: String.Index) -> String.Index {
        let end = lineEnd(index)
        return end == index ? after(index) : min(end, WordBoundary.end(after: index, in: text))
    }

    private mutating func moveByRow(up: Bool, columns: Int) {
        let layout = MemoLayout(self, columns: columns, &wrapping)
        let column = wantedColumn ?? layout.cursorColumn
        var row = layout.cursorRow + (up ? -1 : 1)
        // Rows that show only the guess have no place for the cursor, so they are skipped.
        while (0..<layout.rowCount).contains(row) {
            let offset = layout.offset(row: row, column: column)
            if let offset, up ? offset < cursor : offset > cursor { return move(to: offset, wanting: column) }
            row += up ? -1 : 1
        }
    }
}
