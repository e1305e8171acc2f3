import Foundation
import TextRules

/// What a user may say about how words are written, whatever the command.
struct WritingOptions: Equatable, Sendable {
    /// Nil for those that the command has by itself.
    var rules: Set<TextRules.Rule>?
    /// A path, or `none`; nil for the file beside the configuration, if it is there.
    var replacements: String?
    /// For the shell, or `none`.
    var filter: String?

    init() {}

    init(_ arguments: ParsedArguments) {
        // The doctor looks at a memo's options, and writes nothing.
        guard arguments.specification.option(long: "rules") != nil else { return }
        rules = arguments.string("rules").map(Self.rules)
        replacements = arguments.string("replacements")
        filter = arguments.string("filter")
    }

    /// - Parameter list: as `ValueKind.rules` takes it.
    private static func rules(_ list: String) -> Set<TextRules.Rule> {
        Set(ValueKind.parts(of: list).flatMap { $0 == "all" ? TextRules.Rule.allCases : TextRules.Rule(rawValue: $0).map { [$0] } ?? [] })
    }

    /// - Parameter standard: the rules that the command has by itself.
    static func specifications(standard: Set<TextRules.Rule>) -> [OptionSpecification] {
        let names = TextRules.Rule.allCases.filter(standard.contains).map(\.rawValue).joined(separator: ",")
        return [
            .value(
                "rules", "LIST", .rules,
                help: "Which rules write what the first pass has heard: numbers (in digits), capitals, marks (comma, full stop, new line), "
                    + "commands (scratch that, in a memo), with commas between them; or all, or none. Without it \(names). What "
                    + "comes punctuated from a second pass is left as it is."),
            .value(
                "replacements", "FILE", .file,
                help: "What to write for words of your own, a line each: heard words = what to write. Without it replacements.txt beside "
                    + "the configuration, if it is there; none for no file."),
            .value(
                "filter", "COMMAND", .text,
                help: "Run COMMAND with sh for each utterance, with its text on standard input, and take what it prints instead. One that "
                    + "fails or takes more than five seconds changes nothing. none for no command."),
        ]
    }
}

extension ValueKind {
    /// Rules of text, or words for all and none of them.
    static let rules = ValueKind.list(TextRules.Rule.allCases.map(\.rawValue), alone: ["all", "none"])
}
