import Foundation

/// The bytes of one operation in a note. They are always the same, so that a part that a killed process left is recognized.
struct NoteEntry: Equatable {
    /// The day in the time zone of the capture: `2025-03-01`.
    let date: String
    /// The line of the heading, such as `## Memos`; nil for none.
    let heading: [UInt8]?
    /// The entry's lines, with the mark and a newline at the end.
    let bytes: [UInt8]
    /// The number of bytes before the text.
    let textOffset: Int
    /// The mark `^utter-…`, an Obsidian block id. It comes last, so a note that has it has the whole entry.
    let mark: [UInt8]
    /// How often the lines must be in the note; nil when it is enough that the mark is there.
    let count: Int?

    init(date: String, heading: [UInt8]?, bytes: [UInt8], textOffset: Int, mark: [UInt8], count: Int) {
        (self.date, self.heading, self.bytes, self.textOffset) = (date, heading, bytes, textOffset)
        (self.mark, self.count) = (mark, count)
    }

    init(id: UUID, text: String, capturedAt: Date, timeZone: TimeZone, template: LineTemplate, heading: String?) {
        let moment = Calendar(identifier: .gregorian).dateComponents(in: timeZone, from: capturedAt)
        self.init(
            id: id, text: text, date: "\(digits(moment.year, 4))-\(digits(moment.month))-\(digits(moment.day))",
            time: "\(digits(moment.hour)):\(digits(moment.minute))", template: template, heading: heading)
    }

    /// Creates the entry for a day and a time as they are written: `2025-03-01` and `14:22`.
    init(id: UUID, text: String, date: String, time: String, template: LineTemplate, heading: String?) {
        self.date = date
        let (before, after) = template.filled(date: date, time: time)

        // Every text for a note passes through here.
        let text = NoteMark.quoted(PlainText.of(text))
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        while lines.count > 1, lines.last?.allSatisfy(\.isWhitespace) == true { lines.removeLast() }
        while lines.count > 1, lines.first?.allSatisfy(\.isWhitespace) == true { lines.removeFirst() }
        // A first line that is indented would be taken for one that belongs to the line above.
        if before.isEmpty, lines[0].hasPrefix("  ") { lines[0] = String(lines[0].drop { $0 == " " }) }
        lines[lines.count - 1] += after
        // Indented lines belong to the list item.
        for index in lines.indices.dropFirst() where !lines[index].isEmpty { lines[index] = "  " + lines[index] }
        let mark = NoteMark.beginning + id.name
        let lastLine = lines[lines.count - 1].drop(while: \.isWhitespace)
        // In the last line of a code block the mark would be taken for code.
        if lines.count > 1, lastLine.hasPrefix("```") || lastLine.hasPrefix("~~~") {
            lines.append("  " + mark)
        } else {
            lines[lines.count - 1] += " " + mark
        }
        self.mark = Array(mark.utf8)
        count = nil
        bytes = Array((before + lines.joined(separator: "\n") + "\n").utf8)
        textOffset = before.utf8.count
        self.heading = heading.flatMap(MarkdownVault.headingLine).map { Array($0.utf8) }
    }
}
