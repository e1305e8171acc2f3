import System

/// Makes untrusted text (file names, recognized text, the content of the queue) safe for the terminal.
///
/// Characters that could move the cursor, change colours, make the terminal answer or change the direction of reading become
/// readable ASCII:
///
///     C0 controls, DEL                    \x1B   two hexadecimal digits
///     bytes that aren't UTF-8             \xE9   two hexadecimal digits, 80 and up
///     C1 controls, bidi controls,
///     line and paragraph separator        \u{202E}
///
/// Escapes are used rather than control pictures (␛), because they show in every font and locale. A backslash itself stays as it
/// is: the result is for people, not for parsing.
enum TerminalText {
    /// The control characters that stay as they are.
    enum Layout: Sendable {
        /// None: for a message or a name, which must stay on its line.
        case oneLine
        /// Tabs and newlines: for text with lines of its own.
        case tabsAndNewlines
    }

    /// The text with every dangerous character in its visible form.
    static func visible(_ text: String, layout: Layout = .oneLine) -> String {
        if !text.unicodeScalars.contains(where: { mustShow($0, layout) }) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            append(scalar, to: &result, layout)
        }
        return String(result)
    }

    /// The text of bytes that may not be UTF-8, such as a file name, with every dangerous character in its visible form.
    static func visible(bytes: [UInt8], layout: Layout = .oneLine) -> String {
        var result = String.UnicodeScalarView()
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var position = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                append(Unicode.UTF8.decode(encoded), to: &result, layout)
                position += encoded.count
            case .error(let length):
                for byte in bytes[position..<position + length] {
                    result.append(contentsOf: form(byte: byte).unicodeScalars)
                }
                position += length
            case .emptyInput:
                return String(result)
            }
        }
    }

    /// Whether a scalar must not be sent to a terminal as it is.
    static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true  // C0, DEL, C1
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // bidi marks, embeddings, isolates
        case 0x2028, 0x2029: true  // line and paragraph separator
        default: false
        }
    }

    private static func mustShow(_ scalar: Unicode.Scalar, _ layout: Layout) -> Bool {
        if layout == .tabsAndNewlines, scalar == "\t" || scalar == "\n" { return false }
        return isDangerous(scalar)
    }

    private static func append(_ scalar: Unicode.Scalar, to result: inout String.UnicodeScalarView, _ layout: Layout) {
        guard mustShow(scalar, layout) else { return result.append(scalar) }
        let form =
            scalar.value <= 0x7F
            ? form(byte: UInt8(scalar.value)) : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        result.append(contentsOf: form.unicodeScalars)
    }

    private static func form(byte: UInt8) -> String { "\\x" + byte.digits(2, radix: 16, uppercase: true) }
}
