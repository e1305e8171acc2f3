/// A parser of JSON (RFC 8259) for untrusted bytes. It never traps, and reads no deeper than `maximumDepth` levels.
package struct JSONParser {
    /// Why the bytes are not JSON, and where.
    package struct Failure: Error, Equatable {
        enum Reason: Equatable {
            case syntax
            /// An object has two members with this name.
            case twice(String)
            /// There is a comma before the end of an object or an array.
            case commaBeforeEnd
            /// The bytes end before the value does.
            case end
        }

        /// Where the failure is, in bytes from the start.
        package var offset: Int
        var reason = Reason.syntax

        /// The failure as the end of a sentence about a file: `in line 2, column 5 …`.
        ///
        /// - Parameter bytes: the bytes that were parsed.
        package func description(in bytes: [UInt8]) -> String {
            let before = bytes.prefix(offset)
            let line = before.count { $0 == UInt8(ascii: "\n") } + 1
            let lineStart = (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
            // Counted in characters, as editors do.
            let column = String(decoding: before[lineStart...], as: UTF8.self).count + 1
            let what =
                switch reason {
                case .syntax: "it is not JSON"
                case .twice(let name): "the name '\(name)' is there twice"
                case .commaBeforeEnd: "a comma stands after the last entry"
                case .end: "it ends too early: a quote or a bracket is not closed"
                }
            return "in line \(line), column \(column) \(what)"
        }
    }

    static let maximumDepth = 64

    private let bytes: [UInt8]
    private var offset = 0

    /// Parses bytes that hold one JSON value.
    ///
    /// - Throws: `Failure`, also when an object has two members with one name.
    package static func parse(_ bytes: [UInt8]) throws(Failure) -> JSONValue {
        var parser = JSONParser(bytes: bytes)
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        if parser.offset != bytes.count { throw parser.failure }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var failure: Failure { Failure(offset: offset, reason: offset < bytes.count ? .syntax : .end) }
    private var commaBeforeEnd: Failure {
        Failure(offset: bytes[..<offset].lastIndex(of: UInt8(ascii: ",")) ?? offset, reason: .commaBeforeEnd)
    }
    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    private mutating func take(_ byte: Character) throws(Failure) {
        if next != byte.asciiValue { throw failure }
        offset += 1
    }

    private mutating func takes(_ byte: Character) -> Bool {
        if next != byte.asciiValue { return false }
        offset += 1
        return true
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(Failure) -> JSONValue {
        let end = offset + word.utf8CodeUnitCount
        guard end <= bytes.count,
            bytes[offset..<end].elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        else { throw failure }
        offset = end
        return value
    }

    private mutating func value(depth: Int) throws(Failure) -> JSONValue {
        if depth > Self.maximumDepth { throw failure }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func object(depth: Int) throws(Failure) -> JSONObject {
        try take("{")
        skipSpace()
        var members: [JSONObject.Member] = []
        var keys: Set<String> = []
        if takes("}") { return JSONObject() }
        while true {
            skipSpace()
            if !members.isEmpty, next == UInt8(ascii: "}") { throw commaBeforeEnd }
            let start = offset
            let key = try string()
            if !keys.insert(key).inserted { throw Failure(offset: start, reason: .twice(key)) }
            skipSpace()
            try take(":")
            members.append(JSONObject.Member(key: key, value: try value(depth: depth + 1)))
            skipSpace()
            if takes("}") { return JSONObject(members) }
            try take(",")
        }
    }

    private mutating func array(depth: Int) throws(Failure) -> [JSONValue] {
        try take("[")
        skipSpace()
        var values: [JSONValue] = []
        if takes("]") { return [] }
        while true {
            skipSpace()
            if !values.isEmpty, next == UInt8(ascii: "]") { throw commaBeforeEnd }
            values.append(try value(depth: depth + 1))
            skipSpace()
            if takes("]") { return values }
            try take(",")
        }
    }

    private mutating func number() throws(Failure) -> String {
        let start = offset
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
        _ = takes("-")
        if !takes("0") {
            if !isDigit(next) { throw failure }
            while isDigit(next) { offset += 1 }
        }
        if takes(".") {
            if !isDigit(next) { throw failure }
            while isDigit(next) { offset += 1 }
        }
        if takes("e") || takes("E") {
            if !takes("-") { _ = takes("+") }
            if !isDigit(next) { throw failure }
            while isDigit(next) { offset += 1 }
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func string() throws(Failure) -> String {
        try take("\"")
        var result: [UInt8] = []
        var start = offset
        while let byte = next {
            if byte < 0x20 { throw failure }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                result += bytes[start..<offset]
                offset += 1
                if byte == UInt8(ascii: "\"") {
                    guard let text = String(validating: result, as: UTF8.self) else { throw failure }
                    return text
                }
                result += UTF8.encode(try escape()).map { Array($0) } ?? []
                start = offset
            } else {
                offset += 1
            }
        }
        throw failure
    }

    private mutating func escape() throws(Failure) -> Unicode.Scalar {
        guard let byte = next else { throw failure }
        offset += 1
        switch Character(Unicode.Scalar(byte)) {
        case "\"": return "\""
        case "\\": return "\\"
        case "/": return "/"
        case "b": return "\u{08}"
        case "f": return "\u{0C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u":
            var code = try hexadecimal()
            if code & 0xFC00 == 0xD800 {
                try take("\\")
                try take("u")
                let low = try hexadecimal()
                if low & 0xFC00 != 0xDC00 { throw failure }
                code = 0x10000 + (code & 0x3FF) << 10 + (low & 0x3FF)
            }
            guard let scalar = Unicode.Scalar(code) else { throw failure }
            return scalar
        default: throw failure
        }
    }

    private mutating func hexadecimal() throws(Failure) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw failure
            }
            code = code << 4 | UInt32(digit)
            offset += 1
        }
        return code
    }
}
