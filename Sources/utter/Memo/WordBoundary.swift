/// Where words begin and end, for moving and deleting by words. Pure.
///
/// A word is a run of letters, digits, marks and underscores, with apostrophes inside. Han, Hiragana and Katakana have no spaces, so a
/// word also ends where the script changes. A run of emoji is a word too.
enum WordBoundary {
    private enum Kind { case between, letters, han, hiragana, katakana, pictures }

    /// The beginning of the word before `end`, past what is between them.
    static func start(before end: String.Index, in text: String) -> String.Index {
        var index = end
        while index > text.startIndex, kind(before: index, text) == .between { index = text.index(before: index) }
        guard index > text.startIndex else { return index }
        let word = kind(before: index, text)
        while index > text.startIndex, kind(before: index, text) == word { index = text.index(before: index) }
        return index
    }

    /// The end of the word after `start`, past what is between them.
    static func end(after start: String.Index, in text: String) -> String.Index {
        var index = start
        while index < text.endIndex, kind(at: index, text) == .between { index = text.index(after: index) }
        guard index < text.endIndex else { return index }
        let word = kind(at: index, text)
        while index < text.endIndex, kind(at: index, text) == word { index = text.index(after: index) }
        return index
    }

    private static func kind(before index: String.Index, _ text: String) -> Kind {
        kind(at: text.index(before: index), text)
    }

    private static func kind(at index: String.Index, _ text: String) -> Kind {
        let character = text[index]
        guard character == "'" || character == "’" else { return kind(of: character) }
        let next = text.index(after: index)
        guard index > text.startIndex, next < text.endIndex else { return .between }
        let isInside = kind(of: text[text.index(before: index)]) == .letters && kind(of: text[next]) == .letters
        return isInside ? .letters : .between
    }

    private static func kind(of character: Character) -> Kind {
        let scalar = character.unicodeScalars.first!
        switch scalar.value {
        case 0x3041...0x309F: return .hiragana
        case 0x30A0...0x30FA, 0x30FC...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9F: return .katakana
        case 0x5F: return .letters
        default: break
        }
        if scalar.properties.isIdeographic { return .han }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark,
            .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            return .letters
        case .otherSymbol, .modifierSymbol: return .pictures
        default: return .between
        }
    }
}
