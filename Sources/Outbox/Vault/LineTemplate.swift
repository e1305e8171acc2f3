/// How a line of a note looks: `- {time} {text}`, with `{date}` if wanted.
public struct LineTemplate: Hashable, Sendable {
    /// `- 14:22 text`
    public static let standard = LineTemplate(before: "- {time} ", after: "")

    /// What stands before and after the text.
    private let before: String
    private let after: String

    /// - Throws: `OutboxError` with the code `invalid` unless it is one line that holds `{text}` once.
    public init(_ template: String) throws(OutboxError) {
        let parts = template.split(separator: "{text}", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw OutboxError(.invalid, path: "", "a line template needs {text} once, as in '- {time} {text}'")
        }
        guard !template.contains(where: \.isNewline) else {
            throw OutboxError(.invalid, path: "", "a line template is one line, as in '- {time} {text}'")
        }
        self.init(before: String(parts[0]), after: String(parts[1]))
    }

    private init(before: String, after: String) {
        self.before = before
        self.after = after
    }

    /// What stands before and after the text at a given time.
    func filled(date: String, time: String) -> (before: String, after: String) {
        func fill(_ part: String) -> String {
            // In one pass, so that nothing that was filled in is filled again.
            part.split(separator: "{time}", omittingEmptySubsequences: false)
                .map { $0.split(separator: "{date}", omittingEmptySubsequences: false).joined(separator: date) }
                .joined(separator: time)
        }
        return (fill(before), fill(after))
    }
}
