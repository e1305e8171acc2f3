/// What is alike in words that a model mistakes for each other: their consonants, one for all that sound alike and for several of a kind in a
/// row, and whether they begin with a vowel. Vowels are what it mistakes first. (Soundex, which Russell patented in 1918, compares names so.)
struct PhoneticKey: Equatable {
    private let consonants: String
    private let beginsWithVowel: Bool

    /// - Parameter words: words in lower case.
    init(_ words: some Sequence<String>) {
        let letters = words.joined().replacing("ph", with: "f").filter(\.isLetter)
        var consonants = ""
        for letter in letters where letter != "h" && !Self.isVowel(letter) {
            for consonant in Self.alike[letter] ?? String(letter) where consonants.last != consonant {
                consonants.append(consonant)
            }
        }
        self.consonants = consonants
        beginsWithVowel = letters.first.map(Self.isVowel) ?? false
    }

    /// Whether it begins as another does, and goes on with all of its consonants and a few more.
    func extends(_ other: PhoneticKey, atMost count: Int) -> Bool {
        beginsWithVowel == other.beginsWithVowel && consonants.hasPrefix(other.consonants)
            && consonants.count <= other.consonants.count + count
    }

    private static let alike: [Character: String] = [
        "c": "k", "q": "k", "x": "ks", "z": "s", "ç": "s", "ß": "s", "d": "t", "v": "f", "ñ": "n",
    ]

    private static func isVowel(_ letter: Character) -> Bool { "aeiouwyàáâäèéêëìíîïòóôöùúûü".contains(letter) }
}
