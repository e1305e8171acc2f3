/// A part of an utterance while the rules are applied.
struct Piece: Hashable {
    enum Kind: Hashable {
        case word
        /// A number with its unit.
        case number
        /// A replacement of the user's, which no rule changes.
        case replacement
        /// A punctuation mark or a line break.
        case mark(Mark)
    }

    var text: String
    var heard: Range<Int>
    var kind: Kind

    var isWord: Bool { kind == .word }
    var isMark: Bool { if case .mark = kind { true } else { false } }
}

/// Assembles words from pieces, with each mark at its word.
enum Assembly {
    static func words(of pieces: [Piece]) -> [WrittenWord] {
        var words: [WrittenWord] = []
        // Whether the next piece is joined to the last word.
        var isOpen = false
        // Whether the last piece is a number that ends with a full stop, as `10.` does, and needs no other.
        var hasStop = false
        // Where there is no word, nothing can be joined, as behind a line break.
        func isBreak(_ word: WrittenWord?) -> Bool { word.map { $0.text.first == "\n" } ?? true }
        for piece in pieces {
            var joins = isOpen
            var text = piece.text
            // A word that is left out gets no mark: that goes to the word before it, or to the one behind it.
            isOpen = joins && text.isEmpty
            let before = words.lastIndex { !$0.text.isEmpty } ?? words.indices.last
            if case .mark(let mark) = piece.kind {
                if hasStop, text == "." { text = "" }
                switch mark.place {
                case .closing: joins = joins || !isBreak(before.map { words[$0] })
                case .opening: isOpen = true
                case .joining:
                    isOpen = true
                    joins = joins || !isBreak(before.map { words[$0] })
                case .apart: break
                case .lineBreak: joins = false
                }
                // Without a word before it, a French mark needs no space.
                if !joins { text = String(text.drop { $0 == .noBreakSpace }) }
            }
            hasStop = piece.kind == .number && text.last == "."
            if joins, let before, let last = words.indices.last {
                words[before].text += text
                words[last].heard = words[last].heard.lowerBound..<piece.heard.upperBound
            } else {
                words.append(WrittenWord(text: text, heard: piece.heard))
            }
        }
        return words
    }
}
