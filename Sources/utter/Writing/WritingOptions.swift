import Foundation
import TextRules

/// The options about how text is written, which several commands have.
struct WritingOptions: Equatable, Sendable {
    /// The rules; nil for the command's standard ones.
    var rules: Set<TextRules.Rule>?
    /// The path of the file of replacements, or `none`; nil for the standard file, if it exists.
    var replacements: String?
    /// The shell command that filters text, or `none`.
    var filter: String?

    init() {}

    init(_ arguments: ParsedArguments) {
        rules = arguments[Self.rules].map(Self.rules)
        replacements = arguments[Self.replacements]
        filter = arguments[Self.filter]
    }

    /// The rules in a list in the form of `ValueKind.rules`.
    private static func rules(_ list: String) -> Set<TextRules.Rule> {
        Set(
            ValueKind.parts(of: list).flatMap {
                $0 == "all" ? TextRules.Rule.allCases : TextRules.Rule(rawValue: $0).map { [$0] } ?? []
            })
    }

    /// The options of a command.
    static func all(standard: Set<TextRules.Rule>) -> [any OptionKey] {
        let names = TextRules.Rule.allCases.filter(standard.contains).map(\.rawValue).joined(separator: ",")
        let help =
            "Which rules write what is said: numbers (in digits), capitals, marks (comma, full stop, new line), "
            + "commands (scratch that, in a memo or a window), with commas between them; or all, or none. Without it \(names). "
            + "A stronger model writes numbers and capitals itself."
        return [rules.with(help: help), replacements, filter]
    }

    static let rules = Option<String>(
        "rules", "LIST", .rules, help: "Which rules write what is said.")
    static let replacements = Option<String>(
        "replacements", "FILE", .fileOrNone,
        help:
            "What to write for words of your own, a line each: heard words = what to write. Without it replacements.txt beside "
            + "the configuration, if it is there; none for no file.")
    static let filter = Option<String>(
        "filter", "COMMAND", .text,
        help:
            "Run COMMAND with sh for each utterance, with its text on standard input, and take what it prints instead. One that "
            + "fails or takes more than five seconds changes nothing. none for no command.")
}

extension ValueKind {
    /// A list of rules, or one of the words for all and none of them.
    static let rules = ValueKind.list(TextRules.Rule.allCases.map(\.rawValue), alone: ["all", "none"])
}
