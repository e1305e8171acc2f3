import Foundation

/// The name of an operation's file: its id in lower case, and `.json`. It is read byte by byte, for speed: a folder may hold a
/// hundred thousand of them.
enum OperationName {
    /// The length of a name, in bytes.
    static let byteCount = 41
    private static let hyphen = UInt8(ascii: "-")

    static func name(of id: UUID) -> String { id.name + ".json" }

    /// The id in a file's name; nil when the name is not that of an operation's file.
    static func id(of name: String) -> UUID? {
        var name = name
        return name.withUTF8 { id(of: UnsafeRawBufferPointer($0)) }
    }

    /// The id in the bytes of a file's name; nil when the name is not that of an operation's file.
    static func id(of name: UnsafeRawBufferPointer) -> UUID? {
        guard name.count == byteCount, name[36] == UInt8(ascii: "."), name[37] == UInt8(ascii: "j"),
            name[38] == UInt8(ascii: "s"), name[39] == UInt8(ascii: "o"), name[40] == UInt8(ascii: "n"),
            name[8] == hyphen, name[13] == hyphen, name[18] == hyphen, name[23] == hyphen,
            let high1 = number(name, 0..<8), let high2 = number(name, 9..<13), let high3 = number(name, 14..<18),
            let low1 = number(name, 19..<23), let low2 = number(name, 24..<36)
        else { return nil }
        return UUID(high: high1 << 32 | high2 << 16 | high3, low: low1 << 48 | low2)
    }

    /// The number that hexadecimal digits in lower case stand for; nil when there is another character. Digits in upper case are
    /// the name of another file.
    private static func number(_ name: UnsafeRawBufferPointer, _ places: Range<Int>) -> UInt64? {
        var number: UInt64 = 0
        for place in places {
            let byte = name[place]
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}
