/// Decides where spaces belong between speech and the text around it. Pure.
enum SpeechSpacing {
    /// Speech in one line, with single spaces between its words and without control characters.
    static func tidied(_ speech: String) -> String {
        let words = speech.unicodeScalars.split(whereSeparator: \.properties.isWhitespace)
        return words.map { String($0.filter { $0.properties.generalCategory != .control }) }
            .filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Speech without control characters and without more than one space in a row; line breaks that were said stay.
    static func tidiedLines(_ speech: String) -> String {
        MemoText.cleaned(speech).split(separator: "\n", omittingEmptySubsequences: false).map { tidied(String($0)) }
            .joined(separator: "\n")
    }

    /// The spaces to put before and after tidied speech, which is not empty, between two texts.
    static func around(
        _ speech: String, between left: Substring, and right: Substring
    ) -> (before: String, behind: String) {
        let spacesIdeographs = spacesIdeographs(speech)
        let before = needsSpace(between: left, and: speech[...], spacesIdeographs: spacesIdeographs)
        let behind = needsSpace(between: speech[...], and: right, spacesIdeographs: spacesIdeographs)
        return (before ? " " : "", behind ? " " : "")
    }

    /// Whether the second of two characters may begin a row: after a space, and in scripts without spaces between words.
    static func breaks(between last: Character, and next: Character) -> Bool {
        if last == " " || last == "\t" { return next != " " && next != "\t" }
        if last.isASCII, next.isASCII { return false }
        let isWithoutSpaces = isWrittenWithoutSpaces(last) || isWrittenWithoutSpaces(next)
        return isWithoutSpaces && next != " " && !"（「『【〈《〔［｛“‘([{".contains(last)
            && !"、。，．・：；？！々ー）」』】〉》〕］｝”’…‥ゝゞヽヾ.,;:?!)]}%".contains(next)
    }

    /// Whether text that is typed directly after speech begins a new word, and so needs a space before it.
    static func isSpaced(_ typed: String, behindSpeech left: Substring) -> Bool {
        guard let first = typed.first else { return false }
        let isWord: Bool
        switch first.unicodeScalars.first!.properties.generalCategory {
        case .openPunctuation, .initialPunctuation, .currencySymbol, .otherSymbol: isWord = true
        default: isWord = first.isLetter || first.isNumber
        }
        return isWord && needsSpace(between: left, and: typed[...])
    }

    /// Speech as it is put before `right`: without its full stop if a punctuation mark follows directly.
    static func fitted(_ speech: String, before right: Substring) -> String {
        let isEnded = right.first.map { ".,;:!?…".contains($0) } ?? false
        return isEnded && speech.hasSuffix(".") && !speech.hasSuffix("..") ? String(speech.dropLast()) : speech
    }

    /// Whether a space is missing where `left` ends and `right` begins.
    static func needsSpace(between left: Substring, and right: Substring, spacesIdeographs: Bool = false) -> Bool {
        guard let last = left.last, let first = right.first, !last.isWhitespace, !first.isWhitespace else {
            return false
        }
        if joinsNext(last, after: left.dropLast().last) || joinsPrevious(first, before: right.dropFirst().first) {
            return false
        }
        // Full-width punctuation contains its own space.
        if isFullWidthPunctuation(last) || isFullWidthPunctuation(first) { return false }
        return spacesIdeographs || !(isWrittenWithoutSpaces(last) && isWrittenWithoutSpaces(first))
    }

    /// Whether speech in a script without spaces has spaces between its words, as some models write it. Spaces then belong between
    /// utterances too.
    private static func spacesIdeographs(_ speech: String) -> Bool {
        let words = speech.split(separator: " ")
        return zip(words, words.dropFirst()).contains { left, right in
            left.last.map(isWrittenWithoutSpaces) == true && right.first.map(isWrittenWithoutSpaces) == true
        }
    }

    /// Whether a word follows `character` without a space: after an opening bracket or quotation mark, a slash, or a hyphen inside a word.
    private static func joinsNext(_ character: Character, after previous: Character?) -> Bool {
        let followsWord = previous.map { $0.isLetter || $0.isNumber } == true
        switch character {
        case "/", "\\", "@", "#", "_", "¿", "¡": return true
        case "-", "\u{2010}", "\u{2011}": return followsWord
        // Straight quotation marks open at the beginning of a word.
        case "\"", "'": return previous.map(\.isWhitespace) ?? true
        default:
            return switch character.unicodeScalars.first!.properties.generalCategory {
            case .openPunctuation, .initialPunctuation: true
            default: false
            }
        }
    }

    /// Whether `character` follows a word without a space.
    private static func joinsPrevious(_ character: Character, before next: Character?) -> Bool {
        switch character {
        // Straight quotation marks close at the end of a word.
        case "\"", "'": return next.map { !$0.isLetter && !$0.isNumber } ?? true
        case ".", ",", ";", ":", "!", "?", "…", "%", "/", "\\", "‰", "°": return true
        default:
            return switch character.unicodeScalars.first!.properties.generalCategory {
            case .closePunctuation, .finalPunctuation: true
            default: false
            }
        }
    }

    private static func isFullWidthPunctuation(_ character: Character) -> Bool {
        switch character.unicodeScalars.first!.value {
        case 0x3001...0x3003, 0x3008...0x3011, 0x3014...0x301F, 0x30FB, 0xFF01...0xFF0F, 0xFF1A...0xFF20,
            0xFF3B...0xFF40,
            0xFF5B...0xFF65:
            true
        default: false
        }
    }

    /// Whether the character is of a script without spaces between words: Han, kana, bopomofo, Thai, Lao, Khmer, Burmese. Korean has them.
    static func isWrittenWithoutSpaces(_ character: Character) -> Bool {
        switch character.unicodeScalars.first!.value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...0x2FDF, 0x3005...0x3007, 0x3021...0x3029,
            0x3041...0x312F, 0x31A0...0x31BF, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF,
            0xFF66...0xFF9F, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
