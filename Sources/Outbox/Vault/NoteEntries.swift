import Foundation

/// The entries that utter has added to a day's note, found by their marks. Pure.
package struct NoteEntries {
    /// An entry as it stands in the note now, with the changes of an editor.
    package struct Entry: Hashable, Sendable {
        package let id: UUID
        /// The day of the note: `2025-03-01`.
        package let day: String
        /// The time in the entry's first line: `14:22`; nil when there is none.
        package let time: String?
        /// The text without the mark and the parts of the template around it.
        package let text: String
        /// The number of the entry's first line in the note, counted from 1.
        package let line: Int
        /// Whether lines above may belong to it.
        let isUncertain: Bool
        /// The entry's bytes in the note, with the last newline.
        let range: Range<Int>
        /// The entry's bytes, with the last newline.
        package let bytes: [UInt8]
    }

    /// The entries in the order of the note.
    package private(set) var entries: [Entry] = []
    /// The note's lines without the marks.
    package private(set) var readableText = ""

    private let note: [UInt8]
    private let day: String
    private let template: LineTemplate
    private static let indentation = "  "

    /// Finds the entries of a note.
    ///
    /// - Parameters:
    ///   - note: the note's bytes.
    ///   - day: the note's day: `2025-03-01`.
    ///   - template: the form in which entries are written there.
    package init(of note: [UInt8], day: String, template: LineTemplate) {
        self.note = note
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
        let lineTexts = lines.map(\.text)
        // The first line that does not belong to an earlier entry.
        var free = 0
        for (number, line) in lines.enumerated() {
            guard let (rest, id) = Self.unmarked(line.text) else {
                readableText += line.text + "\n"
                continue
            }
            if !rest.allSatisfy(\.isWhitespace) { readableText += rest + "\n" }
            let first = firstLine(upTo: number, from: free, lineTexts)
            var texts = lines[first..<number].map(\.text)
            if number == first || !rest.allSatisfy(\.isWhitespace) { texts.append(rest) }
            let range = lines[first].range.lowerBound..<line.range.upperBound
            // All of an entry, or the last line of one that begins above.
            let isUncertain =
                template.isIndented && first == number && number > free && Self.isIndented(lines[number - 1].text)
            entries.append(
                entry(id, texts, line: first + 1, isUncertain: isUncertain, range, Array(note[range])))
            free = number + 1
        }
        readableText = NoteMark.unquoted(readableText)
    }

    /// Whether an entry stands in the note as utter would write it, with nothing from elsewhere in its lines.
    package func isAsWritten(_ entry: Entry) -> Bool {
        !entry.isUncertain
            && NoteEntry(
                id: entry.id, text: entry.text, date: day, time: entry.time ?? "", template: template, heading: nil
            ).bytes == entry.bytes
    }

    /// The last entry with these bytes.
    package func last(_ bytes: [UInt8]) -> Entry? { entries.last { $0.bytes == bytes } }

    /// How often the note has these lines.
    package func count(of lines: [UInt8]) -> Int { NoteAddition.count(of: lines, in: note) }

    /// A line without the mark at its end, and the mark's id; nil when it has no mark.
    private static func unmarked(_ line: Substring) -> (rest: Substring, id: UUID)? {
        var line = line
        while let last = line.last, last == "\r" || last == " " { line.removeLast() }
        guard let place = line.range(of: NoteMark.beginning, options: .backwards),
            let id = UUID(uuidString: String(line[place.upperBound...]))
        else {
            return nil
        }
        let rest = line[..<place.lowerBound]
        if rest.last.map(NoteMark.isNone(behind:)) == true { return nil }
        return (rest.last == " " ? rest.dropLast() : rest, id)
    }

    /// The index of an entry's first line, which begins as the template does; the lines after it are indented.
    private func firstLine(upTo last: Int, from free: Int, _ lines: [Substring]) -> Int {
        var number = last
        while number >= free {
            if !Self.isIndented(lines[number]) { return template.beginning(of: lines[number]) == nil ? last : number }
            number -= 1
        }
        return last
    }

    private static func isIndented(_ line: Substring) -> Bool { line.isEmpty || line.hasPrefix(indentation) }

    private func entry(
        _ id: UUID, _ lines: [Substring], line: Int, isUncertain: Bool, _ range: Range<Int>, _ bytes: [UInt8]
    ) -> Entry {
        var lines = lines
        let beginning = lines.first.flatMap { template.beginning(of: $0) }
        if let beginning { lines[0] = beginning.rest }
        for index in lines.indices.dropFirst() where lines[index].hasPrefix(Self.indentation) {
            lines[index] = lines[index].dropFirst(Self.indentation.count)
        }
        let ending = lines.last.flatMap { template.ending(of: $0) }
        if let ending { lines[lines.count - 1] = ending.rest }
        return Entry(
            id: id, day: day, time: beginning?.time ?? ending?.time,
            text: NoteMark.unquoted(lines.joined(separator: "\n")), line: line, isUncertain: isUncertain, range: range,
            bytes: bytes)
    }
}
