/// Finds the spoken marks in an utterance, and keeps ordinary words that sound like them.
struct MarkFinder {
    let language: Language

    /// Returns the pieces with marks in place of their names.
    ///
    /// - Parameters:
    ///   - pieces: the pieces of the utterance.
    ///   - keys: the spoken words in lower case.
    func found(in pieces: [Piece], keys: [String]) -> [Piece] {
        var result: [Piece] = []
        var index = 0
        while index < pieces.count {
            let before = result.last.flatMap { $0.isWord ? keys[$0.heard.lowerBound] : nil }
            let name = name(at: index, in: pieces, keys: keys)
            if let (mark, end) = name,
                isMark(mark, after: before, before: key(at: end, in: pieces, keys), isFirst: result.isEmpty)
            {
                let heard = pieces[index].heard.lowerBound..<pieces[end - 1].heard.upperBound
                result += Self.pieces(of: mark, heard: heard)
                index = end
            } else {
                result.append(pieces[index])
                index += 1
            }
        }
        return result
    }

    /// The pieces of a mark: one, or two for a name that stands for two marks.
    static func pieces(of mark: Mark, heard: Range<Int>) -> [Piece] {
        guard let rest = mark.rest.first else { return [Piece(text: mark.text, heard: heard, kind: .mark(mark))] }
        let second = heard.lowerBound + 1
        return [
            Piece(text: mark.text, heard: heard.lowerBound..<second, kind: .mark(mark)),
            Piece(text: rest.text, heard: second..<heard.upperBound, kind: .mark(rest)),
        ]
    }

    private static let longestName = 4

    /// Returns the mark whose name begins at a piece, the longest of several, and the index after the name.
    func name(at start: Int, in pieces: [Piece], keys: [String]) -> (mark: Mark, end: Int)? {
        guard pieces[start].isWord, language.markStarts.contains(keys[pieces[start].heard.lowerBound]) else {
            return nil
        }
        for count in stride(from: min(Self.longestName, pieces.count - start), to: 0, by: -1) {
            let name = pieces[start..<start + count]
            guard name.allSatisfy(\.isWord) else { continue }
            if let mark = language.marks[name.map { keys[$0.heard.lowerBound] }] { return (mark, start + count) }
        }
        return nil
    }

    /// The first word of a piece in lower case; nil behind the last.
    func key(at index: Int, in pieces: [Piece], _ keys: [String]) -> String? {
        index < pieces.count ? keys[pieces[index].heard.lowerBound] : nil
    }

    /// Whether the words around a mark's name let it be the mark.
    ///
    /// - Parameters:
    ///   - before: the word before the name; nil if there is none, or a mark.
    ///   - after: the word after the name.
    ///   - isFirst: whether the utterance begins with the name.
    func isMark(_ mark: Mark, after before: String?, before after: String?, isFirst: Bool) -> Bool {
        if let before {
            let isArticle = language.wordsBeforeMarkNames.contains(before) && !mark.disagreeing.contains(before)
            if isArticle || mark.notAfter.contains(before) { return false }
            if let after, mark.notBetween[before]?.contains(after) == true { return false }
        }
        if let after, mark.notBefore.contains(after) { return false }
        return !(mark.isOrdinaryWord && isFirst && after != nil)
    }
}
