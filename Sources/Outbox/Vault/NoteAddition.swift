/// The bytes that a note lacks of an entry. Pure: bytes in, bytes out. They are always added at the note's end.
enum NoteAddition: Equatable {
    /// The note has the entry's mark.
    ///
    /// - Parameter offset: where the entry begins, in bytes; nil when it was changed since it was written.
    case present(offset: Int?)
    /// These bytes are missing at the note's end.
    case append([UInt8])

    private static let newline = UInt8(ascii: "\n")
    private static let hash = UInt8(ascii: "#")

    init(of entry: NoteEntry, to note: [UInt8]) {
        if let count = entry.count {
            if Self.count(of: entry.bytes, in: note) >= count {
                self = .present(offset: nil)
                return
            }
        } else if let end = Self.end(of: entry.mark, in: note) {
            let start = end - (entry.bytes.count - 1)
            let isWhole = start >= 0 && note[start..<end].elementsEqual(entry.bytes.dropLast())
            self = .present(offset: isWhole ? start : nil)
            return
        }
        // A killed process or a full disk left the first part of these bytes, so only the rest is missing.
        if let count = Self.tornCount(of: entry.bytes, atEndOf: note, atLeast: entry.textOffset + 1) {
            self = .append(Array(entry.bytes[count...]))
            return
        }
        guard let heading = entry.heading, !Self.endsUnder(heading, note) else {
            self = .append((Self.isAtLineStart(note) ? [] : [Self.newline]) + entry.bytes)
            return
        }
        let level = heading.prefix { $0 == Self.hash }.count
        let headingLine = heading + [Self.newline]
        if let count = Self.tornCount(of: headingLine, atEndOf: note, atLeast: level + 2) {
            self = .append(Array(headingLine[count...]) + entry.bytes)
        } else {
            let space = note.isEmpty ? [] : Self.isAtLineStart(note) ? [Self.newline] : [Self.newline, Self.newline]
            self = .append(space + headingLine + entry.bytes)
        }
    }

    /// How often the note has these lines.
    static func count(of lines: [UInt8], in note: [UInt8]) -> Int {
        guard let first = lines.first else { return 0 }
        var (count, start) = (0, 0)
        while start + lines.count <= note.count {
            if note[start] == first, note[start..<(start + lines.count)].elementsEqual(lines) { count += 1 }
            guard let end = note[start...].firstIndex(of: newline) else { break }
            start = end + 1
        }
        return count
    }

    private static func isAtLineStart(_ note: [UInt8]) -> Bool { note.last ?? newline == newline }

    /// The offset after the mark, in bytes, if the note has it as a whole word.
    private static func end(of mark: [UInt8], in note: [UInt8]) -> Int? {
        guard note.count >= mark.count else { return nil }
        return note.withUnsafeBufferPointer { note in
            var start = 0
            while start + mark.count <= note.count {
                let end = start + mark.count
                // Compare the first byte alone, which is quick: most bytes are not ^.
                if note[start] == mark[0], note[start..<end].elementsEqual(mark),
                    end == note.count || !isWordByte(note[end]),
                    start == 0 || !NoteMark.isNone(behind: Character(Unicode.Scalar(note[start - 1])))
                {
                    return end
                }
                start += 1
            }
            return nil
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte & 0xDF
    }

    /// The number of the first bytes of `bytes` that are the note's last line; nil when they are fewer than `minimum`.
    private static func tornCount(of bytes: [UInt8], atEndOf note: [UInt8], atLeast minimum: Int) -> Int? {
        var count = min(bytes.count - 1, note.count)
        while count >= minimum {
            let start = note.count - count
            if start == 0 || note[start - 1] == newline, note[start...].elementsEqual(bytes[..<count]) { return count }
            count -= 1
        }
        return nil
    }

    /// Whether the note's end is under the heading: no heading of its level or above comes after it.
    private static func endsUnder(_ heading: [UInt8], _ note: [UInt8]) -> Bool {
        let level = heading.prefix { $0 == hash }.count
        var isUnder = false
        var fence: UInt8?
        for line in note.split(separator: newline) {
            let line = trimmed(line)
            // A line in a code block is not a heading.
            if let first = line.first, line.count >= 3, line.prefix(3).allSatisfy({ $0 == first }),
                first == UInt8(ascii: "`") || first == UInt8(ascii: "~"), fence == nil || fence == first
            {
                fence = fence == nil ? first : nil
            } else if fence == nil, line.first == hash {
                let marks = line.prefix { $0 == hash }.count
                let isHeading =
                    marks <= 6 && (line.count == marks || line[line.startIndex + marks] == UInt8(ascii: " "))
                if isHeading, marks <= level { isUnder = line.elementsEqual(heading) }
            }
        }
        return isUnder
    }

    /// A line without carriage returns and spaces at its end.
    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line
        while let last = line.last, last == UInt8(ascii: "\r") || last == UInt8(ascii: " ") { line.removeLast() }
        return line
    }
}
