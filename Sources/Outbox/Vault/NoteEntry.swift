import Foundation

/// What is written into a note for one operation: the same bytes whenever it is made, so that what a killed process left of
/// them is recognized.
struct NoteEntry: Equatable {
    /// The day in the time zone of the capture: `2025-03-01`.
    let date: String
    /// `## Memos`, or nil.
    let heading: [UInt8]?
    /// The lines, with the mark and a newline at the end.
    let bytes: [UInt8]
    /// So many bytes stand before the first of the text.
    let textOffset: Int
    /// `^utter-…`, Obsidian's block id: it stands last, so where it is, all is.
    let mark: [UInt8]

    init(date: String, heading: [UInt8]?, bytes: [UInt8], textOffset: Int, mark: [UInt8]) {
        (self.date, self.heading, self.bytes, self.textOffset, self.mark) = (date, heading, bytes, textOffset, mark)
    }

    init(id: UUID, text: String, capturedAt: Date, timeZone: TimeZone, template: LineTemplate, heading: String?) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let moment = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: capturedAt)
        self.init(
            id: id, text: text, date: "\(digits(moment.year, 4))-\(digits(moment.month))-\(digits(moment.day))",
            time: "\(digits(moment.hour)):\(digits(moment.minute))", template: template, heading: heading)
    }

    /// The same for a day and a time that are known as they are written: `2025-03-01` and `14:22`.
    init(id: UUID, text: String, date: String, time: String, template: LineTemplate, heading: String?) {
        self.date = date
        let (before, after) = template.filled(date: date, time: time)

        // The one place that every text on its way into a note passes, wherever it comes from.
        var lines = PlainText.of(text).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        while lines.count > 1, lines.last?.allSatisfy(\.isWhitespace) == true { lines.removeLast() }
        while lines.count > 1, lines.first?.allSatisfy(\.isWhitespace) == true { lines.removeFirst() }
        lines[lines.count - 1] += after
        // Indented, they belong to the list item.
        for index in lines.indices.dropFirst() where !lines[index].isEmpty { lines[index] = "  " + lines[index] }
        let mark = "^utter-" + id.name
        let lastLine = lines[lines.count - 1].drop(while: \.isWhitespace)
        // Behind the end of a code block it would be taken for code.
        if lines.count > 1, lastLine.hasPrefix("```") || lastLine.hasPrefix("~~~") {
            lines.append("  " + mark)
        } else {
            lines[lines.count - 1] += " " + mark
        }
        self.mark = Array(mark.utf8)
        bytes = Array((before + lines.joined(separator: "\n") + "\n").utf8)
        textOffset = before.utf8.count
        let title = heading?.split(whereSeparator: \.isNewline).first?.trimmingCharacters(in: .whitespaces)
        self.heading = title.map { Array(($0.hasPrefix("#") ? $0 : "## " + $0).utf8) }
    }
}
