import System

/// A JSON value that keeps the order of its members and the digits of its numbers, so that rewriting a file does not change
/// what a newer version has put there.
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number's digits as they were written, for not every number is a `Double`.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The string; nil when this is another kind of value.
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The Boolean value; nil when this is another kind of value.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The integer; nil when this is another kind of value, has a fraction or exponent, or is too large for an `Int`.
    package var integer: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }
    /// The object; nil when this is another kind of value.
    package var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// The number; nil when this is another kind of value or too large for a `Double`.
    package var double: Double? {
        guard case .number(let digits) = self, let value = Double(digits), value.isFinite else { return nil }
        return value
    }

    /// The value as JSON text in one line.
    package var text: String { text { $0.value == 0x7F } }

    /// The value as JSON text in one line.
    ///
    /// - Parameter isEscaped: whether a character's number is written in its place, though JSON does not require that.
    package func text(escaping isEscaped: (Unicode.Scalar) -> Bool) -> String {
        switch self {
        case .null: return "null"
        case .bool(let value): return value ? "true" : "false"
        case .number(let digits): return digits
        case .string(let value): return Self.quoted(value, escaping: isEscaped)
        case .array(let values): return "[\(values.map { $0.text(escaping: isEscaped) }.joined(separator: ","))]"
        case .object(let object):
            let members = object.members.map { member in
                "\(Self.quoted(member.key, escaping: isEscaped)):\(member.value.text(escaping: isEscaped))"
            }
            return "{\(members.joined(separator: ","))}"
        }
    }

    /// A string as JSON text, with its quotes.
    private static func quoted(_ string: String, escaping isEscaped: (Unicode.Scalar) -> Bool) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || isEscaped(scalar):
                text += "\\u" + scalar.value.digits(4, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}

/// What stands in JSON: a text, a number, a truth, an array of them, or any other value.
package protocol JSONPiece {
    var jsonValue: JSONValue { get }
}

extension JSONValue: JSONPiece { package var jsonValue: JSONValue { self } }
extension String: JSONPiece { package var jsonValue: JSONValue { .string(self) } }
extension Int: JSONPiece { package var jsonValue: JSONValue { .number(description) } }
extension Int64: JSONPiece { package var jsonValue: JSONValue { .number(description) } }
extension Bool: JSONPiece { package var jsonValue: JSONValue { .bool(self) } }
extension Array: JSONPiece where Element: JSONPiece { package var jsonValue: JSONValue { .array(map(\.jsonValue)) } }

/// A JSON object, which keeps the order of its members.
package struct JSONObject: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// A name and its value.
    package struct Member: Hashable, Sendable {
        package var key: String
        package var value: JSONValue
    }

    package private(set) var members: [Member] = []

    /// Creates an object with these members, whose names must differ.
    package init(_ members: [Member] = []) { self.members = members }

    /// Creates an object with these members, whose names must differ. Those with a nil value are left out.
    package init(dictionaryLiteral members: (String, (any JSONPiece)?)...) {
        self.members = members.compactMap { key, value in value.map { Member(key: key, value: $0.jsonValue) } }
    }

    /// The value of the member with this name; nil when there is none. Setting nil removes the member; a new member is the last.
    package subscript(key: String) -> JSONValue? {
        get { members.first { $0.key == key }?.value }
        set {
            let index = members.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }
}
