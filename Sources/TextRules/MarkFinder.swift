/// Finds the spoken marks in an utterance, and keeps ordinary words that sound like them.
struct MarkFinder {
    let language: Language
    /// Whether a mark must be said alone.
    let onlyAlone: Bool

    /// Returns the pieces with marks in place of their names.
    ///
    /// - Parameters:
    ///   - pieces: the pieces of the utterance.
    ///   - keys: the spoken words in lower case.
    func found(in pieces: [Piece], keys: [String]) -> [Piece] {
        if onlyAlone {
            guard pieces.allSatisfy(\.isWord), let mark = language.marks[keys] else { return pieces }
            return Self.pieces(of: mark, heard: 0..<keys.count)
        }
        var result: [Piece] = []
        var index = 0
        while index < pieces.count {
            if let (mark, end) = mark(at: index, in: pieces, keys: keys, after: result.last) {
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

    private static func pieces(of mark: Mark, heard: Range<Int>) -> [Piece] {
        guard let rest = mark.rest.first else { return [Piece(text: mark.text, heard: heard, kind: .mark(mark))] }
        let second = heard.lowerBound + 1
        return [
            Piece(text: mark.text, heard: heard.lowerBound..<second, kind: .mark(mark)),
            Piece(text: rest.text, heard: second..<heard.upperBound, kind: .mark(rest)),
        ]
    }

    private static let longestName = 4

    private func mark(at start: Int, in pieces: [Piece], keys: [String], after previous: Piece?) -> (Mark, end: Int)? {
        guard pieces[start].isWord, language.markStarts.contains(keys[pieces[start].heard.lowerBound]) else {
            return nil
        }
        for count in stride(from: min(Self.longestName, pieces.count - start), to: 0, by: -1) {
            let name = pieces[start..<start + count]
            guard name.allSatisfy(\.isWord) else { continue }
            let words = name.map { keys[$0.heard.lowerBound] }
            guard let mark = language.marks[words] else { continue }
            let before = previous.flatMap { $0.isWord ? keys[$0.heard.lowerBound] : nil }
            let end = start + count
            let after = end < pieces.count ? keys[pieces[end].heard.lowerBound] : nil
            if let before {
                let isArticle = language.wordsBeforeMarkNames.contains(before) && !mark.disagreeing.contains(before)
                if isArticle || mark.notAfter.contains(before) { return nil }
                if let after, mark.notBetween[before]?.contains(after) == true { return nil }
            }
            if let after, mark.notBefore.contains(after) { return nil }
            if mark.isOrdinaryWord, previous == nil, after != nil { return nil }
            return (mark, end)
        }
        return nil
    }
}
