/// The names of the marks that people dictate, such as `comma`, for a model that has not learned that they are said.
///
/// Where one is heard, others are near that are not: a Whisper model writes `come a` for a comma. So the sound is decoded again with all
/// names as text that came before. Always to do so would cost everybody else words.
struct SpokenMarks {
    let names: [String]

    /// The names as a sentence, for the model goes on as the text before is written.
    var sentence: String {
        let list = names.joined(separator: ", ")
        return list.prefix(1).uppercased() + list.dropFirst() + "."
    }

    /// Whether a text has one of the names.
    func areHeard(in text: String) -> Bool { !found(in: text).isEmpty }

    /// Whether a text has the names as somebody has them who dictates: several, or one of more than one word, or one behind a pause. A
    /// single `period` is mostly a word.
    func areDictated(in text: String) -> Bool {
        let found = found(in: text)
        return found.contains { $0.isApart || $0.name.contains { $0 == " " } } || Set(found.map(\.name)).count > 1
    }

    /// The names in a text, and whether punctuation stands before each. The worker has no Foundation, whose searches crash there.
    private func found(in text: String) -> [(name: String, isApart: Bool)] {
        if names.isEmpty { return [] }
        let words = text.lowercased().split(whereSeparator: \.isWhitespace)
        let bare = words.map { word in word.filter { $0.isLetter || $0 == "'" || $0 == "-" } }
        return words.indices.flatMap { place in
            names.filter { name in
                bare[place...].starts(with: name.lowercased().split(separator: " ").map { String($0) })
            }.map { (name: $0, isApart: place > 0 && words[place - 1].last?.isPunctuation == true) }
        }
    }
}
