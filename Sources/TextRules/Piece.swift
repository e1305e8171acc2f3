/// A part of an utterance on its way through the rules.
struct Piece: Hashable {
    enum Kind: Hashable {
        /// A word as it was heard.
        case word
        /// Numbers, and what belongs to them.
        case number
        /// The user's own words, which nobody changes.
        case replacement
        case mark(Mark)
    }

    var text: String
    var heard: Range<Int>
    var kind: Kind

    var isWord: Bool { kind == .word }
}

/// Makes words of pieces: marks go to the words that they belong to.
enum Assembly {
    static func words(of pieces: [Piece]) -> [WrittenWord] {
        var words: [WrittenWord] = []
        // Whether the next piece belongs to the last word.
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
