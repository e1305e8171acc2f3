/// The form of a line in a note: `- {time} {text}`, with `{date}` if wanted.
public struct LineTemplate: Hashable, Sendable {
    /// The template `- {time} {text}`, for lines such as `- 14:22 buy milk`.
    public static let standard = LineTemplate(before: "- {time} ", after: "")
    /// The standard template as a user writes it.
    package static let standardText = "- {time} {text}"

    /// The parts of the template before and after the text.
    private let before: String
    private let after: String

    /// Creates a template from a line that holds `{text}` once, and may hold `{time}` and `{date}`.
    ///
    /// - Throws: `OutboxError` with the code `invalid` when it is not such a line, or holds another word in braces.
    public init(_ template: String) throws(OutboxError) {
        let parts = template.split(separator: "{text}", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw OutboxError(.invalid, path: "", "a line template needs {text} once, as in '- {time} {text}'")
        }
        guard !template.contains(where: \.isNewline) else {
            throw OutboxError(.invalid, path: "", "a line template is one line, as in '- {time} {text}'")
        }
        for word in template.matches(of: /\{([A-Za-z]+)\}/).map(\.output.1)
        where !["text", "time", "date"].contains(word) {
            throw OutboxError(.invalid, path: "", "a line template takes {time}, {date} and {text}, and no {\(word)}")
        }
        self.init(before: String(parts[0]), after: String(parts[1]))
    }

    private init(before: String, after: String) {
        self.before = before
        self.after = after
    }

    /// The rest of a line after the part before the text, and the time in that part, if there is one; nil when the line does not
    /// begin as this template does.
    func beginning(of line: Substring) -> (rest: Substring, time: String?)? { Self.read(before, atStartOf: line) }

    /// The rest of a line before the part after the text, and the time in that part, if there is one; nil when the line does not end
    /// as this template does.
    func ending(of line: Substring) -> (rest: Substring, time: String?)? {
        let length = filled(date: "0000-00-00", time: "00:00").after.count
        let part = line.suffix(length)
        guard part.count == length, let (none, time) = Self.read(after, atStartOf: part), none.isEmpty else {
            return nil
        }
        return (line.dropLast(length), time)
    }

    /// Whether the first line of an entry may look like the lines after it, which are indented.
    var isIndented: Bool { before.first?.isWhitespace ?? false }

    private static func read(_ part: String, atStartOf line: Substring) -> (rest: Substring, time: String?)? {
        var (pattern, rest) = (part[...], line)
        var time: String?
        while !pattern.isEmpty {
            if pattern.hasPrefix("{time}") {
                guard let value = digits(like: "00:00", atStartOf: rest) else { return nil }
                (pattern, rest, time) = (pattern.dropFirst("{time}".count), rest.dropFirst(value.count), value)
            } else if pattern.hasPrefix("{date}") {
                guard let value = digits(like: "0000-00-00", atStartOf: rest) else { return nil }
                (pattern, rest) = (pattern.dropFirst("{date}".count), rest.dropFirst(value.count))
            } else {
                guard pattern.first == rest.first else { return nil }
                (pattern, rest) = (pattern.dropFirst(), rest.dropFirst())
            }
        }
        return (rest, time)
    }

    private static func digits(like form: String, atStartOf text: Substring) -> String? {
        let start = text.prefix(form.count)
        let fits =
            start.count == form.count
            && zip(start, form).allSatisfy { $1 == "0" ? $0.isASCII && $0.isNumber : $0 == $1 }
        return fits ? String(start) : nil
    }

    /// The parts before and after the text, for a date and a time.
    func filled(date: String, time: String) -> (before: String, after: String) {
        func fill(_ part: String) -> String {
            // In one pass, so that a date or time that was filled in is not filled in again.
            part.split(separator: "{time}", omittingEmptySubsequences: false)
                .map { $0.split(separator: "{date}", omittingEmptySubsequences: false).joined(separator: date) }
                .joined(separator: time)
        }
        return (fill(before), fill(after))
    }
}
