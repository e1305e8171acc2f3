import Foundation
import Outbox

/// Formats the queue for a terminal: a row for each operation, which fits the width. Pure.
///
///     9c1194f1  5 min  work  call Ada back tomorro…  tried twice: the web hook answered 503
struct OutboxTable {
    struct Row: Equatable {
        var id: UUID
        /// The age of the operation, in seconds.
        var age: Double
        var destination: String
        /// Why the operation is still in the queue.
        var standing: String
        /// The text, or its beginning.
        var text: String
    }

    var rows: [Row]
    var isUTF8 = true

    /// How many characters of an id's end are shown; more when they are not unique. The beginning of an id is the time, which ids that
    /// were made one after another have in common.
    static let idLength = 8
    /// The greatest width of the destination, in columns.
    private static let mostOfDestination = 16
    /// The greatest width of the text, in columns.
    private static let mostOfText = 24
    private static let gap = "  "

    /// - Parameter width: columns of the terminal.
    func lines(width: Int) -> [String] {
        let idLength = idLength
        let fixed = rows.map {
            [String($0.id.name.suffix(idLength)), Self.age($0.age), cut($0.destination, Self.mostOfDestination)]
        }
        let widths = (0..<3).map { column in fixed.map { displayWidth($0[column]) }.max() ?? 0 }
        let room = width - 1 - widths.reduce(0) { $0 + $1 + Self.gap.count }
        // The reason gets more room than the text, because it matters more.
        let textRoom = min(Self.mostOfText, max(0, (room - Self.gap.count) / 3))
        let texts = rows.map { cut($0.text, textRoom) }
        let textWidth = texts.map { displayWidth($0) }.max() ?? 0
        return rows.indices.map { index in
            var cells = zip(fixed[index], widths).map { padded($0, to: $1) }
            if textWidth > 0 { cells.append(padded(texts[index], to: textWidth)) }
            cells.append(cut(rows[index].standing, room - (textWidth > 0 ? textWidth + Self.gap.count : 0)))
            let line = cells.joined(separator: Self.gap)
            // On a terminal too narrow for the columns, the line is cut anywhere.
            return String(prefix(of: line, fitting: max(0, width - 1)))
        }
    }

    private var idLength: Int {
        let names = rows.map(\.id.name)
        return (Self.idLength..<36).first { length in Set(names.map { $0.suffix(length) }).count == Set(names).count }
            ?? 36
    }

    /// The beginning of a text that fits a width, with an ellipsis if something is left out.
    private func cut(_ text: String, _ width: Int) -> String {
        let text = TerminalText.visible(text.singleLine)
        if displayWidth(text) <= width { return text }
        let mark = isUTF8 ? "…" : "..."
        return width <= displayWidth(mark) ? "" : prefix(of: text, fitting: width - displayWidth(mark)) + mark
    }

    /// An age in words: `40 s`, `5 min`, `3 h`, `12 days`.
    static func age(_ seconds: Double) -> String {
        let seconds = Int(max(0, min(seconds, 1e12)))
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3600: return "\(seconds / 60) min"
        case ..<(48 * 3600): return "\(seconds / 3600) h"
        default: return "\(seconds / 86_400) days"
        }
    }
}
