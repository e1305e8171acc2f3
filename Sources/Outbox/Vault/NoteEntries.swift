import Foundation

/// What utter has added to a day's note, found again by the marks. Pure.
package struct NoteEntries {
    /// One capture, as it stands in the note now: whoever has edited it since has changed it.
    package struct Entry: Hashable, Sendable {
        package let id: UUID
        /// `2025-03-01`
        package let day: String
        /// `14:22`; nil where the lines hold none.
        package let time: String?
        /// Without the mark and what the template puts around it.
        package let text: String
        /// Of the first line in the note, counted from 1.
        package let line: Int
        /// Of the bytes in the note, the last newline included.
        let range: Range<Int>
        /// Those bytes.
        let bytes: [UInt8]
    }

    /// In the order in which they stand there.
    package private(set) var entries: [Entry] = []
    /// The note's lines without the marks, which nobody wants to read.
    package private(set) var readableText = ""

    private let day: String
    private let template: LineTemplate
    private static let mark = "^utter-"
    private static let indentation = "  "

    /// - Parameters:
    ///   - day: that of the note: `2025-03-01`.
    ///   - template: by which entries are written there.
    package init(of note: [UInt8], day: String, template: LineTemplate) {
        self.day = day
        self.template = template
        var lines: [(text: Substring, range: Range<Int>)] = []
        var start = 0
        while start < note.count {
            let newline = note[start...].firstIndex(of: UInt8(ascii: "\n"))
            let end = newline.map { $0 + 1 } ?? note.count
            lines.append((String(decoding: note[start..<(newline ?? end)], as: UTF8.self)[...], start..<end))
            start = end
        }
        // What comes after the entry before belongs to this one, or to nobody.
        var free = 0
        for (number, line) in lines.enumerated() {
            guard let (rest, id) = Self.unmarked(line.text) else {
                readableText += line.text + "\n"
                continue
            }
            if !rest.allSatisfy(\.isWhitespace) { readableText += rest + "\n" }
            let first = firstLine(upTo: number, from: free, lines.map(\.text))
            var texts = lines[first..<number].map(\.text)
            if number == first || !rest.allSatisfy(\.isWhitespace) { texts.append(rest) }
            let range = lines[first].range.lowerBound..<line.range.upperBound
            entries.append(entry(id, texts, line: first + 1, range, Array(note[range])))
            free = number + 1
        }
    }

    /// Whether it stands there as it would be written: nothing before, between or after its lines is somebody else's.
    package func isAsWritten(_ entry: Entry) -> Bool {
        NoteEntry(id: entry.id, text: entry.text, date: day, time: entry.time ?? "", template: template, heading: nil).bytes == entry.bytes
    }

    /// A line without its mark, and the mark's id; nil where it has none at its end.
    private static func unmarked(_ line: Substring) -> (rest: Substring, id: UUID)? {
        var line = line
        while let last = line.last, last == "\r" || last == " " { line.removeLast() }
        guard let place = line.range(of: mark, options: .backwards), let id = UUID(uuidString: String(line[place.upperBound...])) else {
            return nil
        }
        let rest = line[..<place.lowerBound]
        return (rest.last == " " ? rest.dropLast() : rest, id)
    }

    /// Lines after the first are indented, and the first begins as the template does.
    private func firstLine(upTo last: Int, from free: Int, _ lines: [Substring]) -> Int {
        var number = last
        while number >= free {
            let isIndented = lines[number].isEmpty || lines[number].hasPrefix(Self.indentation)
            if !isIndented { return template.beginning(of: lines[number]) == nil ? last : number }
            number -= 1
        }
        return last
    }

    private func entry(_ id: UUID, _ lines: [Substring], line: Int, _ range: Range<Int>, _ bytes: [UInt8]) -> Entry {
        var lines = lines
        let beginning = lines.first.flatMap { template.beginning(of: $0) }
        if let beginning { lines[0] = beginning.rest }
        for index in lines.indices.dropFirst() where lines[index].hasPrefix(Self.indentation) {
            lines[index] = lines[index].dropFirst(Self.indentation.count)
        }
        let after = template.filled(date: day, time: beginning?.time ?? "").after
        if !after.isEmpty, let last = lines.last, last.hasSuffix(after) { lines[lines.count - 1] = last.dropLast(after.count) }
        return Entry(
            id: id, day: day, time: beginning?.time, text: lines.joined(separator: "\n"), line: line, range: range, bytes: bytes)
    }
}
