/// The text that `--help` prints, made from a specification.
enum HelpText {
    /// The column at which explanations begin.
    private static let column = 26

    static func text(for command: CommandSpecification, width: Int = 80) -> String {
        var sections = [
            TextWrapper.paragraph("\(command.invocation) - \(command.abstract)", width: width),
            usage(of: command, width: width),
        ]
        sections += command.discussion.map { TextWrapper.paragraph($0, width: width) }
        let lists = [
            ("Keys", command.keys.map { entry($0.keys, $0.meaning, width) }),
            ("Commands", command.subcommands.map { entry($0.word, $0.abstract, width) }),
            ("Operands", command.operands.map { entry(heading(of: $0), $0.help, width) }),
            ("Options", command.allOptions.map { entry(heading(of: $0), $0.explanation, width) }),
        ]
        sections += lists.filter { !$0.1.isEmpty }.map { "\($0.0):\n\($0.1.joined())" }
        if !command.examples.isEmpty {
            sections.append(
                "Examples:\n"
                    + command.examples.map {
                        "  \($0.command)\n" + TextWrapper.paragraph($0.meaning, indent: 6, width: width)
                    }.joined())
        }
        if command.subcommands.isEmpty {
            let statuses = command.allExitStatuses
            sections.append(
                "Exit status:\n"
                    + statuses.map { entry(String($0.code.rawValue), $0.meaning, width, column: 8) }.joined())
        } else {
            sections.append(
                TextWrapper.paragraph("'\(command.invocation) COMMAND --help' shows what each can do.", width: width))
        }
        return sections.joined(separator: "\n")
    }

    /// The help of `utter` itself, with a list of the commands.
    static func overview(of commands: [CommandSpecification], abstract: String, width: Int = 80) -> String {
        let list = commands.map { entry($0.name, $0.abstract, width) }.joined()
        let more = entry("help COMMAND", "show a command's help", width)
        let options = [OptionSpecification.help, .version].map { entry(heading(of: $0), $0.help, width) }.joined()
        return [
            TextWrapper.paragraph("utter - \(abstract)", width: width),
            TextWrapper.paragraph("Usage: utter COMMAND [OPTION]... [ARGUMENT]...", width: width),
            "Commands:\n" + list + more,
            "Options:\n" + options,
            TextWrapper.paragraph("'utter COMMAND --help' shows what a command can do.", width: width),
        ].joined(separator: "\n")
    }

    private static func usage(of command: CommandSpecification, width: Int) -> String {
        if !command.subcommands.isEmpty {
            let word = command.defaultSubcommand == nil ? "COMMAND" : "[COMMAND]"
            return TextWrapper.paragraph("Usage: \(command.invocation) \(word) [OPTION]... [ARGUMENT]...", width: width)
        }
        let operands = command.operands.map { operand in
            operand.isRequired ? heading(of: operand) : "[\(heading(of: operand))]"
        }
        return TextWrapper.paragraph(
            (["Usage: \(command.invocation) [OPTION]..."] + operands).joined(separator: " "), width: width)
    }

    static func heading(of operand: OperandSpecification) -> String {
        operand.placeholder + (operand.isRepeatable ? "..." : "")
    }

    static func heading(of option: OptionSpecification) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        return short + "--\(option.long)" + (option.value.map { " \($0.placeholder)" } ?? "")
    }

    /// A heading at the left and its explanation beside it, or below it when the heading is too wide.
    private static func entry(
        _ heading: String, _ explanation: String, _ width: Int, column: Int = column
    ) -> String {
        let lines = TextWrapper.paragraph(explanation, indent: column, width: width)
        let start = "  \(heading)"
        guard start.count + 2 <= column else { return "\(start)\n\(lines)" }
        return start + lines.dropFirst(start.count)
    }
}
