/// The keys of the sequences that begin with Esc, in the variants of the terminals in use.
enum KeySequence {
    /// The key of `ESC [ parameters final`; nil for an unknown sequence.
    ///
    /// - Parameter isAfterEscape: whether another Esc came before it, which is Alt in rxvt.
    static func controlSequence(_ parameters: [UInt8], final: UInt8, isAfterEscape: Bool = false) -> Key? {
        // A private mark or intermediate bytes: an answer of the terminal, not a key.
        guard parameters.allSatisfy({ (0x30...0x3B).contains($0) }) else { return nil }
        let numbers = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { field in
            // A colon begins details of the number, which do not matter here.
            field.prefix { $0 != UInt8(ascii: ":") }.reduce(0) { min($0 * 10 + Int($1 - 0x30), 0x1F_FFFF) }
        }
        func number(_ index: Int, default value: Int) -> Int {
            index < numbers.count && numbers[index] > 0 ? numbers[index] : value
        }
        var modifiers = KeyModifiers(parameter: number(1, default: 1))
        if isAfterEscape { modifiers.insert(.alt) }
        switch final {
        case UInt8(ascii: "~"): break
        case UInt8(ascii: "^"): modifiers.insert(.control)  // rxvt
        case UInt8(ascii: "@"): modifiers.insert([.control, .shift])
        case UInt8(ascii: "$"): modifiers.insert(.shift)
        case UInt8(ascii: "u"): return Key(scalar: UInt32(number(0, default: 0)), modifiers: modifiers)
        case UInt8(ascii: "a")...UInt8(ascii: "d"): return cursorKey(final & 0x5F, modifiers)  // rxvt: Shift
        default:
            // Old terminals leave the first parameter out: ESC [ 5 C.
            if numbers.count == 1, numbers[0] > 1 { modifiers.formUnion(KeyModifiers(parameter: numbers[0])) }
            return cursorKey(final, modifiers)
        }
        switch number(0, default: 0) {
        case 1, 7: return .lineStart
        case 11: return .help
        case 4, 8: return .lineEnd
        case 3: return modifiers.isDisjoint(with: [.alt, .control]) ? .delete : .deleteWordForward
        case 27: return Key(scalar: UInt32(number(2, default: 0)), modifiers: modifiers)
        default: return nil
        }
    }

    /// The key of `ESC O parameters final`.
    static func singleShift(_ parameters: [UInt8], final: UInt8, isAfterEscape: Bool = false) -> Key? {
        switch final {
        case UInt8(ascii: "M"): return .enter
        case UInt8(ascii: "a")...UInt8(ascii: "d"): return cursorKey(final & 0x5F, .control)  // rxvt
        case UInt8(ascii: "j")...UInt8(ascii: "y"):  // the keypad: * + , - . / and the digits
            return .text(String(Character(Unicode.Scalar(final - 0x40))))
        default: return controlSequence(parameters, final: final, isAfterEscape: isAfterEscape)
        }
    }

    private static func cursorKey(_ final: UInt8, _ modifiers: KeyModifiers) -> Key? {
        let isByWord = !modifiers.isDisjoint(with: [.alt, .control])
        return switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): isByWord ? .wordRight : .right
        case UInt8(ascii: "D"): isByWord ? .wordLeft : .left
        case UInt8(ascii: "H"): .lineStart
        case UInt8(ascii: "F"): .lineEnd
        case UInt8(ascii: "P"): .help
        default: nil
        }
    }
}
