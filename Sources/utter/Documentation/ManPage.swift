/// The manual page, in the man macros of troff, made from the commands' specifications. `man -l` shows it.
struct ManPage {
    var commands: [CommandSpecification]
    var abstract: String
    var version: String

    var text: String {
        var lines = [
            ".TH UTTER 1 \(utterVersionDate) \"utter \(version)\" \"User Commands\"", ".SH NAME",
            "utter \\- \(Self.escaped(abstract))",
        ]
        lines += [".SH SYNOPSIS"]
        let synopses = commands.flatMap(\.runnable).map { Self.synopsis(of: $0) }
        lines += synopses.joined(separator: [".br"])
        lines += [".SH DESCRIPTION"] + Self.paragraphs(Self.description).dropFirst()
        for command in commands { lines += section(of: command) }
        lines += [
            ".SH EXIT STATUS",
            "0 is success, 1 that nothing was found, and from 64 on statuses are those of \\fBsysexits.h\\fR; the status of a command that a signal "
                + "ended is 128 plus the signal's number. Each command lists what its statuses mean.",
        ]
        lines += [".SH CONFIGURATION"]
        lines += [
            Self.escaped(
                "Settings for all commands are in a file, a JSON object; an environment variable is stronger, and an option stronger still."
            )
        ]
        for setting in Setting.all {
            let variable = setting.variable.map { " (\($0))" } ?? ""
            lines += [
                ".TP", "\\fB\(Self.escaped(setting.key))\\fR\(variable)",
                Self.escaped("\(setting.help) Unless set: \(setting.standard)."),
            ]
        }
        lines += [".SH FILES"]
        for (path, meaning) in Self.files { lines += [".TP", "\\fI\(Self.escaped(path))\\fR", Self.escaped(meaning)] }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let description = [
        "utter turns speech into text on this machine, and keeps it: in notes, in files, or at the destinations of its outbox. Nothing "
            + "leaves the machine but for such a destination, and for utter models install and update.",
        "An argument of -- ends the options; - as a file is standard input or output. A long option's value may follow it after a space or an =.",
    ]

    private static let files = [
        ("~/.config/utter/config.json", "Settings for all commands; see utter config."),
        ("~/.config/utter/destinations.json", "The destinations of the outbox; see utter outbox."),
        ("~/.config/utter/replacements.txt", "Words of your own for words that are heard; see --replacements."),
        ("~/.local/share/utter/models", "Installed models."),
        ("~/.local/share/utter/notes", "The notes, a file a day, unless another folder is set."),
        ("~/.local/state/utter/outbox", "Text that has not arrived at its destination yet."),
        ("~/.local/state/utter/memos", "Memos that were cut off."),
        (
            "~/.local/state/utter/undone",
            "The memos of the last 30 days, and at least ten, that utter notes undo took out, or whose text utter notes again replaced."
        ),
    ]

    private func section(of command: CommandSpecification) -> [String] {
        var lines = [
            ".SH \(Self.escaped(command.invocation.uppercased()))", Self.escaped(command.abstract.capitalizedSentence),
        ]
        lines += Self.paragraphs(command.discussion)
        for subcommand in command.subcommands {
            lines += [
                ".SS \(Self.escaped(subcommand.invocation))", Self.escaped(subcommand.abstract.capitalizedSentence),
            ]
            lines += Self.paragraphs(subcommand.discussion) + Self.details(of: subcommand)
        }
        if command.subcommands.isEmpty { lines += Self.details(of: command) }
        if !command.subcommands.isEmpty { lines += Self.examples(of: command) }
        return lines
    }

    private static func details(of command: CommandSpecification) -> [String] {
        var lines: [String] = []
        if !command.keys.isEmpty { lines += [".PP", "Keys:"] }
        for key in command.keys { lines += [".TP", "\\fB\(escaped(key.keys))\\fR", escaped(key.meaning)] }
        if !command.keys.isEmpty { lines += [".PP", "Options:"] }
        for operand in command.operands {
            lines += [
                ".TP", "\\fI\(escaped(operand.placeholder))\\fR\(operand.isRepeatable ? "..." : "")",
                escaped(operand.help),
            ]
        }
        for option in command.allOptions {
            let short = option.short.map { "\\fB\\-\($0)\\fR, " } ?? ""
            let value = option.value.map { " \\fI\(escaped($0.placeholder))\\fR" } ?? ""
            lines += [
                ".TP", "\(short)\\fB\(escaped("--" + option.long))\\fR\(value)",
                escaped(option.explanation),
            ]
        }
        lines += examples(of: command)
        if !command.exitStatuses.isEmpty {
            lines += [".PP", "Exit status:"]
            for status in command.allExitStatuses {
                lines += [".TP 6", "\(status.code.rawValue)", escaped(status.meaning)]
            }
        }
        return lines
    }

    private static func examples(of command: CommandSpecification) -> [String] {
        command.examples.flatMap {
            [".PP", escaped($0.meaning), ".PP", ".in +4", ".nf", escaped($0.command), ".fi", ".in"]
        }
    }

    private static func synopsis(of command: CommandSpecification) -> [String] {
        let operands = command.operands.map { operand in
            let name = "\\fI\(escaped(operand.placeholder))\\fR" + (operand.isRepeatable ? "..." : "")
            return operand.isRequired ? name : "[\(name)]"
        }
        return [".B \(escaped(command.invocation))", (["[\\fIOPTION\\fR]..."] + operands).joined(separator: " ")]
    }

    private static func paragraphs(_ texts: [String]) -> [String] { texts.flatMap { [".PP", escaped($0)] } }

    /// A line of text in troff's form, with hyphens that can be searched for and copied.
    private static func escaped(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        // At the start of a line, troff takes these characters for a request.
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }
}

extension String {
    /// The string with a capital at its start and a full stop at its end.
    fileprivate var capitalizedSentence: String { prefix(1).uppercased() + dropFirst() + "." }
}
