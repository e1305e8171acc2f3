/// The number of columns that a text takes on a terminal.
///
/// Wide and full-width characters (UAX #11, Unicode 15.1) and emoji take two; combining marks and format characters take
/// none; a character that is put together from several (family, flag, keycap) counts once, as two. Control characters
/// count 0: a text that may have some goes through `TerminalText` first.
func displayWidth(_ text: some StringProtocol) -> Int {
    let utf8 = text.utf8
    // Printable ASCII, nearly always: one column a byte.
    if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return utf8.count }
    return text.reduce(0) { $0 + displayWidth($1) }
}

/// The number of columns that a character takes on a terminal.
func displayWidth(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if scalars.count == 1 { return ScalarWidth.of(first) }
    // U+FE0F selects the coloured, wide form of a text symbol, as in a keycap.
    if scalars.contains("\u{FE0F}"), first.properties.isEmoji { return 2 }
    if first.properties.isEmojiPresentation { return 2 }
    // The Hangul jamo of one syllable block fill its two columns together.
    if ScalarWidth.isLeadingJamo(first) { return 2 }
    // Otherwise the letters stand side by side, as in an Indic conjunct.
    return scalars.reduce(0) { $0 + ScalarWidth.of($1) }
}

/// A text with spaces behind it, up to `width` columns.
func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - displayWidth(text)))
}

/// The longest beginning of `text` that fits into `width` columns, in whole characters.
func prefix<Text: StringProtocol>(of text: Text, fitting width: Int) -> Text.SubSequence {
    var used = 0
    var end = text.startIndex
    for index in text.indices {
        used += displayWidth(text[index])
        if used > width { break }
        end = text.index(after: index)
    }
    return text[..<end]
}

/// The beginning of `text` that fits into `width` columns, with an ellipsis where something is left out.
func shortened(_ text: String, to width: Int, isUTF8: Bool = true) -> String {
    if displayWidth(text) <= width { return text }
    let mark = isUTF8 ? "…" : "..."
    return String(prefix(of: text, fitting: width - displayWidth(mark))) + prefix(of: mark, fitting: width)
}

/// The longest end of `text` that fits into `width` columns, in whole characters.
func suffix<Text: StringProtocol>(of text: Text, fitting width: Int) -> Text.SubSequence {
    var used = 0
    var start = text.endIndex
    for index in text.indices.reversed() {
        used += displayWidth(text[index])
        if used > width { break }
        start = index
    }
    return text[start...]
}
