import Foundation

/// The status line and the fields of an HTTP answer. Pure. RFC 9112
package struct HTTPHead: Hashable, Sendable {
    /// The status, 100 to 999.
    package let status: Int
    /// The fields by their names in lower case; of several with one name, the last.
    package let fields: [String: String]

    package init(status: Int, fields: [String: String]) {
        self.status = status
        self.fields = fields
    }

    /// Parses the head of an answer. Only LF ends a line: a server that repeats a client's text may send CR, vertical
    /// tab or U+2028.
    ///
    /// - Parameter bytes: the status line and the fields, each with its line end.
    package init?(_ bytes: ArraySlice<UInt8>) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            $0.last == 0x0D ? $0.dropLast() : $0
        }
        guard let first = lines.first, let status = Self.status(inLine: first) else { return nil }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            // A line that begins with a space continues the previous one, a form that is obsolete.
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), !Self.isSpace(line[line.startIndex]) else {
                continue
            }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
            fields[name] = value.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
        }
        self.init(status: status, fields: fields)
    }

    /// The index after the empty line that ends the first head in `bytes`; nil when there is no such line.
    package static func end(in bytes: ArraySlice<UInt8>) -> Int? {
        var lineStart = bytes.startIndex
        while let lineEnd = bytes[lineStart...].firstIndex(of: 0x0A) {
            let line = bytes[lineStart..<lineEnd]
            if line.isEmpty || line.elementsEqual(CollectionOfOne(0x0D)) { return lineEnd + 1 }
            lineStart = lineEnd + 1
        }
        return nil
    }

    /// The status in a line such as `HTTP/1.1 200 OK` or `HTTP/2 200`; nil when it is no status line.
    private static func status(inLine line: ArraySlice<UInt8>) -> Int? {
        let words = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].starts(with: Array("HTTP/".utf8)), isVersion(words[0].dropFirst(5)),
            words[1].count == 3,
            let status = number(words[1]), status >= 100
        else { return nil }
        return status
    }

    /// Whether `bytes` are the number of an HTTP version, such as `1.1` or `2`.
    private static func isVersion(_ bytes: ArraySlice<UInt8>) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count <= 2 && parts.allSatisfy { $0.count == 1 && number($0) != nil }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            ? Int(String(decoding: digits, as: UTF8.self)) : nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
