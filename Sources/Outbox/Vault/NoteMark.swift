import Foundation

/// The mark at the end of an entry in a note: `^utter-` and the id of the operation, which Obsidian takes for a block id. A text may have
/// one as well, as when a line is copied from a note: there it is written as `\^utter-…`, which Markdown shows without the backslash.
enum NoteMark {
    static let beginning = "^utter-"

    /// Whether what follows this character is no mark: in a link to it, `[[2025-03-01#^utter-…]]`, or in a text.
    static func isNone(behind character: Character) -> Bool { character == "#" || character == "\\" }

    /// A text as it is written in a note.
    static func quoted(_ text: String) -> String {
        joined(text) { before in before.last.map(isNone(behind:)) == true ? before : before + "\\" }
    }

    /// A text as it is read in a note.
    static func unquoted(_ text: String) -> String {
        joined(text) { before in before.last == "\\" ? String(before.dropLast()) : before }
    }

    /// A text in which the part before each mark is changed.
    private static func joined(_ text: String, _ changed: (String) -> String) -> String {
        let parts = text.split(separator: beginning, omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(String(parts[0])) { whole, part in
            (UUID(uuidString: String(part.prefix(36))) == nil ? whole : changed(whole)) + beginning + part
        }
    }
}
