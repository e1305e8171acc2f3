/// The characters that the keys of an X11 keyboard produce. xdotool types others by binding them to a spare key for a moment, which
/// programs notice too late, so that characters are lost; those of dead keys it loses too.
struct KeyboardLayout: Equatable {
    private let characters: Set<Unicode.Scalar>

    /// What a keyboard has where nothing is known of it. Characters that are dead keys on some layouts are left out.
    static let unknown = KeyboardLayout(
        characters: Set(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,;:!?()-+=%&/*#$\n\t".unicodeScalars))

    private init(characters: Set<Unicode.Scalar>) { self.characters = characters }

    /// Reads the table of `xmodmap -pk`: for each key its number, then each keysym in hexadecimal and its name in brackets. xmodmap(1)
    ///
    /// - Returns: nil when no key of the table produces a character.
    init?(table: String) {
        var found: Set<Unicode.Scalar> = ["\n", "\t"]
        for line in table.split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let first = words.first, Int(first) != nil else { continue }
            for word in words.dropFirst() where word.hasPrefix("0x") {
                guard let keysym = UInt32(word.dropFirst(2), radix: 16) else { continue }
                if let scalar = Self.character(keysym) { found.insert(scalar) }
            }
        }
        if found.count == 2 { return nil }
        characters = found
    }

    func has(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(characters.contains) }

    /// The character of a keysym: those of Latin-1 have their own numbers, others that of Unicode and 0x1000000. X11 protocol, appendix A
    private static func character(_ keysym: UInt32) -> Unicode.Scalar? {
        switch keysym {
        case 0x20...0x7E, 0xA0...0xFF: Unicode.Scalar(keysym)
        case 0x20AC: "€"
        case 0x100_0100...0x110_FFFF: Unicode.Scalar(keysym - 0x100_0000)
        default: nil
        }
    }
}
