import Foundation
import Outbox

/// What stands in JSON: a text, which gets its quotes, a number, a truth, an array of them, or what is JSON already.
protocol JSONPiece {
    var json: String { get }
}

extension String: JSONPiece { var json: String { JSONWriter.string(self) } }
extension Int: JSONPiece { var json: String { description } }
extension Int64: JSONPiece { var json: String { description } }
extension Bool: JSONPiece { var json: String { description } }
extension Array: JSONPiece where Element: JSONPiece {
    var json: String { "[" + map(\.json).joined(separator: ",") + "]" }
}

/// JSON text: an object, or a number that was rounded.
struct JSONText: JSONPiece, Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
    let json: String

    init(stringLiteral json: String) { self.json = json }

    init(_ json: String) { self.json = json }

    var description: String { json }
}

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
    static func number(_ value: Double, decimals: Int) -> JSONText {
        guard value.isFinite else { return "null" }
        var text = Decimals.fixed(value, decimals: decimals)
        if text.contains(".") {
            while text.last == "0" { text.removeLast() }
            if text.last == "." { text.removeLast() }
        }
        return JSONText(text)
    }

    /// A time in seconds, rounded to 10 ms.
    static func seconds(_ value: Double) -> JSONText { number(value, decimals: 2) }

    /// An object. Members with a nil value are left out.
    static func object(_ members: KeyValuePairs<String, (any JSONPiece)?>) -> JSONText {
        JSONText("{" + self.members(members) + "}")
    }

    /// The members of an object, without the braces, for an object that is written piece by piece. Members with a nil value are
    /// left out.
    static func members(_ members: KeyValuePairs<String, (any JSONPiece)?>) -> String {
        members.compactMap { key, value in value.map { "\(string(key)):\($0.json)" } }.joined(separator: ",")
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
