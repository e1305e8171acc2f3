import Foundation
import Outbox

/// Makes JSON text piece by piece, so that it can be streamed. Keys keep their order.
enum JSONWriter {
    /// A string as JSON, with its quotes. Besides what JSON requires, it escapes characters that could upset a terminal or a
    /// JavaScript parser: DEL, C1, bidirectional controls, U+2028 and U+2029.
    static func string(_ text: String) -> String {
        // Some readers, Foundation's among them, take a byte order mark at the beginning of a part of a string for no character.
        JSONValue.quoted(text) { TerminalText.isDangerous($0) || $0 == "\u{FEFF}" }
    }

    /// A number rounded to `decimals` decimals, without zeros at the end: 1.17, 1.2, 3. Infinity and NaN, which JSON lacks, are
    /// `null`.
    static func number(_ value: Double, decimals: Int) -> String {
        guard value.isFinite else { return "null" }
        var text = Decimals.fixed(value, decimals: decimals)
        if text.contains(".") {
            while text.last == "0" { text.removeLast() }
            if text.last == "." { text.removeLast() }
        }
        return text
    }

    /// A time in seconds, rounded to 10 ms.
    static func seconds(_ value: Double) -> String { number(value, decimals: 2) }

    /// An object whose members have JSON text as values. Members with a nil value are left out.
    static func object(_ members: KeyValuePairs<String, String?>) -> String {
        "{" + self.members(members) + "}"
    }

    /// The members of an object, without the braces, for an object that is written piece by piece. Members with a nil value are
    /// left out.
    static func members(_ members: KeyValuePairs<String, String?>) -> String {
        members.compactMap { key, value in value.map { "\(string(key)):\($0)" } }.joined(separator: ",")
    }

    /// An array whose elements are JSON text.
    static func array(_ elements: [String]) -> String {
        "[" + elements.joined(separator: ",") + "]"
    }
}

extension Encodable {
    /// The value as JSON in one line.
    var jsonLine: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}

extension Decodable {
    /// Reads the value from its JSON; nil when it is something else.
    init?(json: some Sequence<UInt8>) {
        guard let value = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
        self = value
    }
}
