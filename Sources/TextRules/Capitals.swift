/// Puts capitals where sentences begin, and into words that always have them.
struct Capitals {
    /// By the word in lower case.
    let names: [String: String]
    /// Words that have a capital after some others, with those.
    let namesAfter: [String: Set<String>]

    /// - Returns: whether the utterance's first letter is a capital only since a sentence begins there.
    func apply(to pieces: inout [Piece], beginsSentence: Bool) -> Bool {
        var begins = beginsSentence
        var isFirst = true
        var result = false
        var previous = ""
        for index in pieces.indices {
            switch pieces[index].kind {
            case .mark(let mark):
                // After an opening mark the sentence is still to begin.
                previous = ""
                if mark.endsSentence { begins = true } else if mark.place != .opening { begins = false }
                if mark.place != .opening { isFirst = false }
            case .word, .number, .replacement:
                let text = pieces[index].text
                guard !text.isEmpty else { continue }
                let changed = capitalized(pieces[index], after: previous, begins: begins)
                pieces[index].text = changed.text
                previous = text.lowercased()
                if isFirst { result = changed.isForSentence }
                (begins, isFirst) = (false, false)
            }
        }
        return result
    }

    private func capitalized(_ piece: Piece, after previous: String, begins: Bool) -> (text: String, isForSentence: Bool) {
        if piece.isWord, namesAfter[piece.text]?.contains(previous) == true {
            return (piece.text.prefix(1).uppercased() + piece.text.dropFirst(), false)
        }
        if piece.isWord, let name = names[piece.text.lowercased()], piece.text == piece.text.lowercased() { return (name, false) }
        // What has capitals of its own is written as it is: iPhone.
        guard begins, let first = piece.text.first, first.isLowercase, !piece.text.contains(where: \.isUppercase) else {
            return (piece.text, false)
        }
        return (first.uppercased() + piece.text.dropFirst(), true)
    }
}
