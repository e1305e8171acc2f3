/// A key that was pressed at a terminal. Keys with the same effect, such as Home and Control-A, are one key.
enum Key: Equatable, Sendable {
    /// Typed characters, one or several; tabs are among them.
    case text(String)
    /// A piece of pasted text, without control characters other than newlines and tabs. A large paste comes in several pieces.
    case paste(String)
    case enter
    /// Control-J, or Enter with Alt, Shift or Control if the terminal distinguishes them.
    case newLine
    /// Esc alone.
    case escape
    case left, right, up, down
    /// Control- or Alt-arrow, Alt-b, Alt-f.
    case wordLeft, wordRight
    /// Home, Control-A; End, Control-E.
    case lineStart, lineEnd
    case backspace
    /// Delete, for the character after the cursor.
    case delete
    /// Control-W, Alt-Backspace; Alt-d, Control-Delete.
    case deleteWordBackward, deleteWordForward
    /// Control-U; Control-K.
    case deleteToLineStart, deleteToLineEnd
    /// Control-Y; Alt-Y after it.
    case yank, yankPrevious
    /// Control-_, which terminals also send for Control-/ and Control-7; Alt-_.
    case undo, redo
    /// F1.
    case help
    /// Any other key with Control, by its capital letter or sign: `.control("C")`.
    case control(Character)
}

extension [Key] {
    /// Keys that came at once, as those of a paste without brackets, or what was typed before the program read. An Enter with text behind it
    /// is a line break there: nobody has pressed it to end.
    var withLineBreaks: [Key] {
        let last = lastIndex { if case .text = $0 { true } else { false } } ?? 0
        return enumerated().map { $1 == .enter && $0 < last ? .newLine : $1 }
    }
}

/// Shift, Alt and Control as terminals encode them: their sum plus 1 is a parameter of the key's sequence.
struct KeyModifiers: OptionSet, Sendable {
    var rawValue: Int

    static let shift = Self(rawValue: 1)
    static let alt = Self(rawValue: 2)
    static let control = Self(rawValue: 4)

    init(rawValue: Int) { self.rawValue = rawValue }

    init(parameter: Int) { self.init(rawValue: max(0, parameter - 1)) }
}

extension Key {
    init(controlCharacter byte: UInt8) {
        switch byte {
        case 0x01: self = .lineStart
        case 0x02: self = .left
        case 0x05: self = .lineEnd
        case 0x06: self = .right
        case 0x08, 0x7F: self = .backspace
        case 0x09: self = .text("\t")
        case 0x0A: self = .newLine
        case 0x0B: self = .deleteToLineEnd
        case 0x0D: self = .enter
        case 0x15: self = .deleteToLineStart
        case 0x17: self = .deleteWordBackward
        case 0x19: self = .yank
        case 0x1B: self = .escape
        case 0x1F: self = .undo
        default: self = .control(Character(Unicode.Scalar(byte & 0x1F | 0x40)))
        }
    }

    /// The key that types `scalar`, pressed together with `modifiers`; nil when utter has no use for it.
    init?(scalar: UInt32, modifiers: KeyModifiers) {
        let held = modifiers.intersection([.shift, .alt, .control])
        switch scalar {
        case 0x0D: self = held.isEmpty ? .enter : .newLine
        case 0x1B: self = .escape
        case 0x08, 0x7F: self = held.isDisjoint(with: [.alt, .control]) ? .backspace : .deleteWordBackward
        case 0x09: self = .text("\t")
        case 0x1F where held.contains(.alt), 0x5F where held.contains(.alt): self = .redo
        case 0x2D where held == [.shift, .alt]: self = .redo
        case 0x2D where held == [.shift, .control]: self = .undo
        case 0x2F where held.contains(.control): self = held.contains(.alt) ? .redo : .undo
        case 0x40...0x5F where held.contains(.control), 0x61...0x7A where held.contains(.control):
            self.init(controlCharacter: UInt8(scalar & 0x1F))
        case 0x20...0x7E where held.contains(.alt):
            switch UInt8(scalar) | 0x20 {
            case UInt8(ascii: "b"): self = .wordLeft
            case UInt8(ascii: "f"): self = .wordRight
            case UInt8(ascii: "d"): self = .deleteWordForward
            case UInt8(ascii: "y"): self = .yankPrevious
            default: return nil
            }
        default:
            guard held.isDisjoint(with: [.alt, .control]), let scalar = Unicode.Scalar(scalar),
                scalar.properties.generalCategory != .control
            else { return nil }
            self = .text(String(Character(scalar)))
        }
    }
}
