/// The names of the marks that people dictate, such as `comma`, for a model that has not learned that they are said.
///
/// A Whisper model writes `come a` for a comma and `Phil's stop` for a full stop. So sound in whose text a name is, or something that
/// sounds like one, is decoded again with all names as text that came before. Always to do so would cost everybody else words.
struct SpokenMarks {
    private struct Name {
        var words: [String]
        var key: PhoneticKey
    }

    private let names: [Name]
    /// The names as text that comes before, for the model goes on as that is written. Said twice they are heard more often: all
    /// of a sentence in 83 of the 100 of Benchmarks/marks.txt instead of 80, if each is decoded so.
    let sentence: String

    init(names: [String]) {
        self.names = names.compactMap { name in
            let words = name.lowercased().split(separator: " ").map(String.init)
            return words.isEmpty ? nil : Name(words: words, key: PhoneticKey(words))
        }
        let list = names.joined(separator: ", ")
        sentence = Array(repeating: list.prefix(1).uppercased() + list.dropFirst() + ".", count: 2).joined(
            separator: " ")
    }

    /// The names that are mostly words, as in `the period was so far like the present period`.
    private static let ordinary: Set<String> = ["period", "point", "punkt", "punto"]
    /// The most words of a text for each name that is dictated in it, where none is sure.
    private static let mostWordsToName = 12

    /// Whether a text may have names in it: one of them that is no word among others, or one of several words by its sound, or several by
    /// their sounds that stand close together. `Come` and `part of` are words as well: an eighth of all 70 words of prose have two such.
    func mayBeHeard(in text: String) -> Bool {
        let words = Self.words(of: text)
        if found(in: words).contains(where: { $0.isBesidePause || !Self.ordinary.contains($0.name.words.joined()) }) {
            return true
        }
        let heard = words.indices.compactMap { alike(words[$0...]) }
        return heard.contains { $0.name.words.count > 1 }
            || heard.count > 1 && words.count <= heard.count * Self.mostWordsToName
    }

    /// Whether a text, which was heard with the names in mind, has them as somebody has them who dictates, and another has fewer, or not so.
    func areWon(in text: String, over other: String) -> Bool {
        let (found, before) = (found(in: Self.words(of: text)), found(in: Self.words(of: other)))
        // A single word that only sounded like a name is a word.
        let isOnlyAlike = before.isEmpty && found.count == 1 && found[0].name.words.count == 1
        return Self.areDictated(found) && !isOnlyAlike && (found.count > before.count || !Self.areDictated(before))
            && !recites(found) && keepsWords(text, of: other, found)
    }

    /// Whether two names stand side by side as in the list: a model that does not hear how it goes on says the list again.
    private func recites(_ found: [Found]) -> Bool {
        zip(found, found.dropFirst()).contains { first, second in
            guard second.place == first.place + first.name.words.count,
                let place = names.firstIndex(where: { $0.words == first.name.words })
            else { return false }
            return names[place...].dropFirst().first?.words == second.name.words
        }
    }

    /// Whether a text has as many words beside the names as another has beside names and what sounds like them, but for the words that
    /// a model may have written for further names: two for each of theirs.
    private func keepsWords(_ text: String, of other: String, _ found: [Found]) -> Bool {
        let words = Self.words(of: other)
        var (place, alike, others) = (0, 0, 0)
        while place < words.count {
            if let found = self.alike(words[place...]) {
                (place, alike) = (place + found.count, alike + found.name.words.count)
            } else {
                (place, others) = (place + 1, others + 1)
            }
        }
        let named = found.reduce(0) { $0 + $1.name.words.count }
        return Self.words(of: text).count - named + 2 * max(0, named - alike) >= others
    }

    /// Whether a text has the names as somebody has them who dictates.
    func areDictated(in text: String) -> Bool { Self.areDictated(found(in: Self.words(of: text))) }

    /// Whether names are dictated: several or one of more than one word, beside punctuation or at the end, or one behind a pause. A single
    /// `period` is mostly a word.
    private static func areDictated(_ found: [Found]) -> Bool {
        if found.contains(where: \.isBehindPause) { return true }
        let isSure = found.contains { $0.name.words.count > 1 } || Set(found.map(\.name.words)).count > 1
        return isSure && found.contains(where: \.isBeforePause)
    }

    /// Returns the pieces of a text with the names in small letters, for no sentence begins with one: what is asked in `Is it late? Question
    /// mark.` is one sentence.
    func continued(_ pieces: [String]) -> [String] {
        let words = pieces.map { $0.split(separator: " ", omittingEmptySubsequences: false).map(String.init) }
        let starts = Set(found(in: words.joined().filter { !$0.isEmpty }).map(\.place)).subtracting([0])
        var place = -1
        return words.map { words in
            words.map { word in
                if !word.isEmpty { place += 1 }
                return starts.contains(place) ? word.lowercased() : word
            }.joined(separator: " ")
        }
    }

    private struct Found {
        var place: Int
        var name: Name
        /// Whether punctuation stands before it.
        var isBehindPause: Bool
        /// Whether punctuation stands after it, or nothing.
        var isBeforePause: Bool
        var isBesidePause: Bool { isBehindPause || isBeforePause }
    }

    /// The names in a text, within which there is no punctuation. The worker has no Foundation, whose searches crash there.
    private func found(in words: [String]) -> [Found] {
        if names.isEmpty { return [] }
        let bare = words.map(Self.bare)
        return words.indices.flatMap { place in
            names.compactMap { name in
                let last = place + name.words.count - 1
                guard bare[place...].starts(with: name.words), !Self.isInterrupted(words[place...last]) else {
                    return nil
                }
                return Found(
                    place: place, name: name, isBehindPause: place > 0 && words[place - 1].last?.isPunctuation == true,
                    isBeforePause: last + 1 == words.count || words[last].last?.isPunctuation == true)
            }
        }
    }

    /// Whether punctuation stands between words.
    private static func isInterrupted(_ words: ArraySlice<String>) -> Bool {
        words.dropLast().contains { $0.last?.isPunctuation == true }
    }

    private static func words(of text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// The most consonants that something like a name has more, for as many words or for one more.
    private static let (mostMore, mostMoreInOneMore) = (2, 1)

    /// The first name that words begin with something like, and the number of these words; nil if there is none.
    private func alike(_ words: ArraySlice<String>) -> (name: Name, count: Int)? {
        for name in names {
            for (more, most) in [(1, Self.mostMoreInOneMore), (0, Self.mostMore)] {
                let words = words.prefix(name.words.count + more)
                if words.count == name.words.count + more, !Self.isInterrupted(words),
                    PhoneticKey(words.map(Self.bare)).extends(name.key, atMost: most)
                {
                    return (name, words.count)
                }
            }
        }
        return nil
    }

    private static func bare(_ word: String) -> String {
        word.lowercased().filter { $0.isLetter || $0 == "'" || $0 == "-" }
    }
}
