struct FishCompletions {
    var commands: [CommandSpecification]

    var text: String {
        var lines = ["# fish completion for utter, made by `utter help --completions fish`", "complete -c utter -f"]
        for (name, abstract) in commands.map({ ($0.name, $0.abstract) }) + [("help", "show a command's help")] {
            lines.append("complete -c utter -n __fish_use_subcommand -a \(name) -d \(quoted(abstract))")
        }
        for option in [OptionSpecification.help, .version] { lines.append(line("__fish_use_subcommand", option)) }
        for command in commands {
            let seen = "__fish_seen_subcommand_from \(command.name)"
            if command.subcommands.isEmpty {
                lines += details(of: command, when: seen)
                continue
            }
            let words = command.subcommands.map(\.word)
            let none = "\(seen); and not __fish_seen_subcommand_from \(words.joined(separator: " "))"
            for subcommand in command.subcommands {
                lines.append(
                    "complete -c utter -n \(quoted(none)) -a \(subcommand.word) -d \(quoted(subcommand.abstract))")
            }
            for option in [OptionSpecification.help, .version] { lines.append(line(none, option)) }
            for subcommand in command.subcommands {
                lines += details(of: subcommand, when: "\(seen); and __fish_seen_subcommand_from \(subcommand.word)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func details(of command: CommandSpecification, when condition: String) -> [String] {
        var lines = command.allOptions.map { line(condition, $0) }
        for operand in command.operands {
            guard let argument = argument(operand.kind) else { continue }
            lines.append("complete -c utter -n \(quoted(condition)) \(argument)")
        }
        return lines
    }

    private func line(_ condition: String, _ option: OptionSpecification) -> String {
        var line = "complete -c utter -n \(quoted(condition)) -l \(option.long)"
        if let short = option.short { line += " -s \(short)" }
        if let value = option.value { line += " -r \(argument(value.kind) ?? "-f")" }
        return line + " -d \(quoted(option.help))"
    }

    /// The options of fish's `complete` for a kind of value; nil when there is nothing to complete.
    private func argument(_ kind: ValueKind) -> String? {
        switch kind {
        case .file, .fileOrNone: "-F"
        case .folder: "-f -a '(__fish_complete_directories)'"
        case .model(let pass):
            (pass == .second ? "-F -a '(" : "-f -a '(__fish_complete_directories; ") + words(kind) + ")'"
        case .anyModel, .locale, .device, .destination, .operation, .setting: "-f -a '(\(words(kind)))'"
        case .choice, .day, .list, .integer:
            kind.words.isEmpty ? nil : "-f -a \(quoted(kind.words.joined(separator: " ")))"
        case .text, .line, .heading, .number: nil
        }
    }

    private func words(_ kind: ValueKind) -> String { CompletionWords(kind)?.command ?? "" }

    private func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
