/// Capitalizes the first words of sentences, and words that always have capitals.
struct Capitals {
    /// Words that always have capitals, by the word in lower case.
    let names: [String: String]
    /// Words that have a capital after certain words, with those.
    let namesAfter: [String: Set<String>]

    /// Capitalizes the words of an utterance.
    ///
    /// - Returns: whether the first letter is a capital only because it begins a sentence.
    func apply(to pieces: inout [Piece], beginsSentence: Bool) -> Bool {
        var begins = beginsSentence
        var isFirst = true
        var result = false
        var previous = ""
        for index in pieces.indices {
            switch pieces[index].kind {
            case .mark(let mark):
                // After an opening mark the sentence has not begun yet.
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

    private func capitalized(_ piece: Piece, after previous: String, begins: Bool) -> (
        text: String, isForSentence: Bool
    ) {
        if piece.isWord, namesAfter[piece.text]?.contains(previous) == true {
            return (piece.text.prefix(1).uppercased() + piece.text.dropFirst(), false)
        }
        if piece.isWord, let name = names[piece.text.lowercased()], piece.text == piece.text.lowercased() {
            return (name, false)
        }
        // A word with capitals of its own is not changed: iPhone.
        guard begins, let first = piece.text.first, first.isLowercase,
            !piece.text.firstWord.contains(where: \.isUppercase)
        else {
            return (piece.text, false)
        }
        return (first.uppercased() + piece.text.dropFirst(), true)
    }
}
