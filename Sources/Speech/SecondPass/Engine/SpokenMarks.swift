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
    func areHeard(in text: String) -> Bool {
        let words = Self.words(of: text)
        return names.contains { name in
            let name = Self.words(of: name)
            return words.indices.contains { words[$0...].starts(with: name) }
        }
    }

    private static func words(of text: String) -> [Substring] {
        text.lowercased().split { !$0.isLetter && $0 != "'" && $0 != "-" }
    }
}
