/// A part of an utterance while the rules are applied.
struct Piece: Hashable {
    enum Kind: Hashable {
        /// A word as it was recognized.
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
}

/// Assembles words from pieces, with each mark at its word.
enum Assembly {
    static func words(of pieces: [Piece]) -> [WrittenWord] {
        var words: [WrittenWord] = []
        // Whether the next piece is joined to the last word.
        var isOpen = false
        func isBreak(_ word: WrittenWord?) -> Bool { word?.text.first == "\n" }
        for piece in pieces {
            var joins = isOpen
            isOpen = false
            if case .mark(let mark) = piece.kind {
                switch mark.place {
                case .closing: joins = joins || !words.isEmpty && !isBreak(words.last)
                case .opening: isOpen = true
                case .joining:
                    isOpen = true
                    joins = joins || !words.isEmpty && !isBreak(words.last)
                case .apart: break
                case .lineBreak: joins = false
                }
            }
            if joins, let last = words.indices.last {
                words[last].text += piece.text
                words[last].heard = words[last].heard.lowerBound..<piece.heard.upperBound
            } else {
                words.append(WrittenWord(text: piece.text, heard: piece.heard))
            }
        }
        return words
    }
}
