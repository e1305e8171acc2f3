/// Makes text safe for notes and mails, which people read with any program.
package enum PlainText {
    /// Returns the text with a newline for every kind of line end, without control characters other than tab, and without the
    /// characters that override the direction of reading, which can make a line look like another one. The marks that Hebrew
    /// and Arabic need stay.
    package static func of(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var last: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            switch scalar.value {
            // CR LF is one line end.
            case 0x0A where last == "\r": break
            // LF, vertical tab, form feed, CR, NEL, line and paragraph separator
            case 0x0A...0x0D, 0x85, 0x2028, 0x2029: result.append("\n")
            case 0x09: result.append(scalar)
            // C0, DEL, C1; embeddings, overrides, isolates
            case 0x00...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: break
            default: result.append(scalar)
            }
            last = scalar
        }
        return String(result)
    }
}
