/// Makes JSON text piece by piece, so that it can be streamed. Keys stay in the order in which they are written.
enum JSONWriter {
    /// A string with its quotes. Beyond what JSON demands, everything that could upset a terminal or a JavaScript parser
    /// is escaped too: DEL, C1, bidi controls, U+2028 and U+2029.
    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where TerminalText.isDangerous(scalar):
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// A number rounded to so many decimals and written without binary noise: 1.17, 1.2, 3. JSON has no word for
    /// infinity and its kind, so they are `null`.
    static func number(_ value: Double, decimals: Int) -> String {
        guard value.isFinite else { return "null" }
        var text = Decimals.fixed(value, decimals: decimals)
        if text.contains(".") {
            while text.last == "0" { text.removeLast() }
            if text.last == "." { text.removeLast() }
        }
        return text
    }

    /// Seconds, right to 10 ms.
    static func seconds(_ value: Double) -> String { number(value, decimals: 2) }

    /// An object of members whose values are JSON already. Those without a value are left out.
    static func object(_ members: KeyValuePairs<String, String?>) -> String {
        "{" + self.members(members) + "}"
    }

    /// The same without the braces, for an object that is still open.
    static func members(_ members: KeyValuePairs<String, String?>) -> String {
        members.compactMap { key, value in value.map { "\(string(key)):\($0)" } }.joined(separator: ",")
    }

    static func array(_ elements: [String]) -> String {
        "[" + elements.joined(separator: ",") + "]"
    }
}
