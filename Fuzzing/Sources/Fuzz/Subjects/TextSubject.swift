@testable import Outbox
#if canImport(Command)
    @testable import Command
#else
    @testable import utter
#endif

/// Text for a terminal: no control character is left, and everything else is unchanged.
enum TextSubject {
    static func check(_ bytes: [UInt8]) {
        for layout in [TerminalText.Layout.oneLine, .tabsAndNewlines] {
            let visible = TerminalText.visible(bytes: bytes, layout: layout)
            require(visible.unicodeScalars.elementsEqual(expected(bytes, layout)), "the visible form, and no other")
            require(isSame(TerminalText.visible(visible, layout: layout), visible), "what is visible stays")
            if let text = String(validating: bytes, as: UTF8.self) {
                require(isSame(TerminalText.visible(text, layout: layout), visible), "the same for text as for bytes")
            }
        }
        checkWidths(TerminalText.visible(bytes: bytes))

        let text = String(decoding: bytes, as: UTF8.self)
        let json = JSONValue.string(text).json
        require(!json.unicodeScalars.contains { isForbidden($0.value) }, "no control characters in JSON")
        require(isSame((try? JSONParser.parse(Array(json.utf8)))?.string, text), "JSON gives the text back")
    }

    /// The rule, written independently: C0, DEL, C1, characters that change the direction of reading, and Unicode's line ends.
    private static func isForbidden(_ value: UInt32) -> Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || [0x061C, 0x200E, 0x200F, 0x2028, 0x2029].contains(value)
            || (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
    }

    /// The expected output, with characters as the standard library decodes them from one to four bytes.
    private static func expected(_ bytes: [UInt8], _ layout: TerminalText.Layout) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        var rest = bytes[...]
        while let first = rest.first {
            let scalar = scalar(at: rest)
            let digits = String(scalar?.value ?? UInt32(first), radix: 16, uppercase: true)
            switch scalar {
            case "\t"? where layout == .tabsAndNewlines, "\n"? where layout == .tabsAndNewlines:
                result.append(Unicode.Scalar(first))
            case let scalar? where !isForbidden(scalar.value): result.append(scalar)
            case let scalar? where scalar.value > 0x7F: result += "\\u{\(digits)}".unicodeScalars
            default: result += (first < 0x10 ? "\\x0\(digits)" : "\\x\(digits)").unicodeScalars
            }
            rest = rest.dropFirst(scalar.map { UTF8.width($0) } ?? 1)
        }
        return result
    }

    private static func scalar(at bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let first = bytes.first else { return nil }
        if first < 0x80 { return Unicode.Scalar(first) }
        for count in 2...4 where count <= bytes.count {
            if let text = String(validating: bytes.prefix(count), as: UTF8.self) { return text.unicodeScalars.first }
        }
        return nil
    }

    private static func checkWidths(_ text: String) {
        let whole = displayWidth(text)
        require(whole >= 0 && whole <= 2 * text.unicodeScalars.count, "at most two columns a scalar")
        for width in [0, 1, whole / 2, whole] {
            let (start, end) = (prefix(of: text, fitting: width), suffix(of: text, fitting: width))
            require(text.hasPrefix(start) && displayWidth(start) <= width, "a beginning that fits")
            require(text.hasSuffix(end) && displayWidth(end) <= width, "an end that fits")
            if width >= whole {
                require(start.endIndex == text.endIndex && end.startIndex == text.startIndex, "all of it where it fits")
            }
        }
    }
}
