import Outbox

/// JSON that `utter` writes.
extension JSONValue {
    /// The value as JSON text in one line. Besides what JSON requires, it escapes characters that could upset a terminal or a
    /// JavaScript parser: DEL, C1, bidirectional controls, U+2028 and U+2029.
    var json: String {
        // Some readers, Foundation's among them, take a byte order mark at the beginning of a part of a string for no character.
        text { TerminalText.isDangerous($0) || $0 == "\u{FEFF}" }
    }

    /// A number as `Decimals.short` writes it. Infinity and NaN, which JSON lacks, are `null`.
    static func number(_ value: Double, decimals: Int) -> JSONValue {
        value.isFinite ? .number(Decimals.short(value, decimals: decimals)) : .null
    }

    /// A time in seconds, rounded to 10 ms.
    static func seconds(_ value: Double) -> JSONValue { number(value, decimals: 2) }
}
