import Models
import Outbox
import Speech

/// The kind of a value, which determines how it is checked, what an error says, and what a shell completes.
enum ValueKind: Equatable, Sendable {
    case text
    /// The template of a line in a note.
    case line
    /// The heading in a note under which lines are added.
    case heading
    case file
    /// A file, or the word for none.
    case fileOrNone
    case folder
    /// A reference to an installed model of one pass, or of either when nil: a name or a folder, or a file for the second pass.
    case model(RecognitionPass?)
    /// A reference to a model, installed or not.
    case anyModel
    case locale
    case device
    case destination
    case operation
    case setting
    case day
    case choice([String])
    /// Some of the words, separated by commas, or one of the words in `alone`, if it has any.
    case list([String], alone: [String])
    /// A whole number in a range, or the given word.
    case integer(ClosedRange<Int>, or: String? = nil)
    case number(ClosedRange<Double>)

    static let channel = ValueKind.integer(1...64, or: "mix")
    /// The value of a flag in the configuration.
    static let flag = ValueKind.choice(["true", "false"])

    /// The words that are valid values.
    var words: [String] {
        switch self {
        case .choice(let words): words
        case .day: NoteDay.words
        case .fileOrNone: ["none"]
        case .list(let words, alone: let others): words + others
        case .integer(_, or: let word): word.map { [$0] } ?? []
        default: []
        }
    }

    var isOfWords: Bool {
        switch self {
        case .choice, .list: true
        default: false
        }
    }

    /// Why `value` isn't one of these, as the end of a sentence that begins with the option; nil when it is one.
    func complaint(about value: String) -> String? {
        if value.isEmpty { return "was given an empty value" }
        if words.contains(value) { return nil }
        switch self {
        case .day:
            return NoteDay.named(value) == nil
                ? "can't be '\(value)': give a day as 2026-11-23, today or yesterday" : nil
        case .choice:
            let meant = Suggestion.meant(by: value, among: words).map { "; did you mean \($0)?" }
            return "can't be '\(value)': choose \(Self.list(words))\(meant ?? "")"
        case .list(let words, alone: let others):
            let wrong = Self.parts(of: value).filter { !words.contains($0) }
            guard let first = wrong.first else { return nil }
            if others.isEmpty { return Self.choice(words).complaint(about: first) }
            return
                "can't be '\(value)': give some of \(Self.list(words, word: "and")) with commas between them, or \(Self.list(others))"
        case .integer(let range, or: _):
            if let integer = Int(value), range.contains(integer) { return nil }
            let numbers = "a whole number from \(range.lowerBound) to \(range.upperBound)"
            return "can't be '\(value)': give \(Self.list([numbers] + words))"
        case .line:
            do throws(OutboxError) {
                _ = try LineTemplate(value)
                return nil
            } catch {
                return "can't be '\(value)': \(error.description)"
            }
        case .heading:
            let isOne = value.contains { !$0.isWhitespace && $0 != "#" } && !value.contains(where: \.isNewline)
            return isOne ? nil : "can't be '\(value)': give one line with words, as in '## Memos'"
        case .text, .file, .fileOrNone, .folder, .model, .anyModel, .locale, .device, .destination, .operation,
            .setting:
            return nil
        case .number(let range):
            if let number = Self.number(value), range.contains(number) { return nil }
            return
                "can't be '\(value)': give a number from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound))"
        }
    }

    /// Whether a word can only mean a value of this kind, so that a command takes it where the word of a subcommand may stand.
    func recognizes(_ word: String) -> Bool {
        switch self {
        case .day: words.contains(word) || word.first?.isNumber == true
        case .setting: Setting.named(word) != nil
        default: false
        }
    }

    static func parts(of list: String) -> [String] {
        list.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingPrefix { $0 == " " } }.map(
            String.init)
    }

    /// Whether values of this kind are paths, or may be.
    var isPath: Bool {
        switch self {
        case .file, .fileOrNone, .folder, .model: true
        default: false
        }
    }

    /// Whether a value of this kind is a path; a model may also be given by its name.
    func isPath(_ value: String) -> Bool {
        if case .model = self { ModelStore.isPath(value) } else { isPath && !words.contains(value) }
    }

    /// A decimal number, in digits: `Double` itself would also take `nan`, `inf` and hexadecimal.
    static func number(_ value: String) -> Double? {
        guard value.utf8.allSatisfy({ (0x30...0x39).contains($0) || ".-+eE".utf8.contains($0) }) else { return nil }
        return Double(value)
    }

    /// A list in words, with a conjunction before the last: `a`, `a or b`, `a, b or c`.
    static func list(_ words: [String], word: String = "or") -> String {
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " \(word) " + last
    }

    /// A number in the digits that JSON and people write.
    static func plain(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String(number)
    }
}
