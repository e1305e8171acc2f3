import Speech

/// The completions for zsh, for a folder in its `fpath`.
struct ZshCompletions {
    var commands: [CommandSpecification]

    var text: String {
        var lines = [
            "#compdef utter", "# zsh completion for utter, made by `utter help --completions zsh`", "",
        ]
        for words in CompletionWords.allCases {
            let files =
                switch words {
                case .models, .firstPassModels: " 'files:file:_files -/'"
                case .secondPassModels: " 'files:file:_files'"
                default: ""
                }
            lines += [
                Self.function(words) + "() {", "    local -a offers", "    offers=(${(f)\"$(\(words.command))\"})",
                "    _alternative '\(words.rawValue):\(words.rawValue):compadd -a offers'\(files)", "}", "",
            ]
        }
        for command in commands { lines += function(of: command) }
        lines += choice(
            "_utter", commands, more: [("help", "show a command'\\''s help")],
            options: [OptionSpecification.help, .version].map { spec(of: $0) })
        lines += ["", "_utter \"$@\""]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The name of the function that completes these words.
    private static func function(_ words: CompletionWords) -> String {
        "_utter_words_" + words.rawValue.replacing("-", with: "_")
    }

    private func function(of command: CommandSpecification) -> [String] {
        let name = functionName(command)
        if command.subcommands.isEmpty {
            let specs = command.allOptions.map { spec(of: $0) } + operandSpecs(of: command)
            return ["\(name)() {", "    _arguments -s -S \\"] + specs.dropLast().map { "        \($0) \\" } + [
                "        \(specs.last ?? "")", "}", "",
            ]
        }
        return command.subcommands.flatMap { function(of: $0) }
            + choice(
                name, command.subcommands, more: [], options: [OptionSpecification.help, .version].map { spec(of: $0) })
            + [""]
    }

    /// A function that completes one of several commands, and then the command's own words.
    private func choice(
        _ name: String, _ commands: [CommandSpecification], more: [(String, String)], options: [String]
    ) -> [String] {
        let words = commands.map { ShellWord.inQuotes("\($0.word):\($0.abstract)") } + more.map { "'\($0.0):\($0.1)'" }
        return [
            "\(name)() {", "    local context state line", "    _arguments -C \\",
            "        \(options.joined(separator: " ")) \\",
            "        '1: :->command' '*:: :->rest'", "    case $state in", "    command)", "        local -a words",
            "        words=(\(words.joined(separator: " ")))", "        _describe -t commands command words ;;",
            "    rest)",
            "        case $line[1] in",
        ] + commands.map { "        \($0.word)) \(functionName($0)) ;;" } + ["        esac ;;", "    esac", "}"]
    }

    private func functionName(_ command: CommandSpecification) -> String {
        "_utter_" + command.name.replacing(" ", with: "_")
    }

    /// An option in the form of zsh's `_arguments`. The option may be repeated: the last one wins.
    private func spec(of option: OptionSpecification) -> String {
        let value = option.value.map { ":\(escaped($0.placeholder)):\(action($0.kind))" } ?? ""
        let sign = option.value == nil ? "" : "="
        let long = "\"--\(option.long)\(sign)\""
        let rest = ShellWord.inQuotes("[\(escaped(option.help))]\(value)")
        guard let short = option.short else { return "'*'\(long)\(rest)" }
        return "'*'{-\(short)\(option.value == nil ? "" : "+"),\(long)}\(rest)"
    }

    private func operandSpecs(of command: CommandSpecification) -> [String] {
        command.operands.enumerated().map { index, operand in
            let place = operand.isRepeatable ? "*" : "\(index + 1)"
            return ShellWord.inQuotes("\(place):\(escaped(operand.placeholder)):\(action(operand.kind))")
        }
    }

    private func action(_ kind: ValueKind) -> String {
        switch kind {
        case .file, .fileOrNone: "_files"
        case .folder: "_files -/"
        case .model, .anyModel, .locale, .device, .destination, .operation, .setting:
            CompletionWords(kind).map(Self.function) ?? " "
        case .choice, .day, .list, .integer: kind.words.isEmpty ? " " : "(\(kind.words.joined(separator: " ")))"
        case .text, .line, .heading, .number: " "
        }
    }

    private func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if "\\[]:".contains(character) { result.append("\\") }
            result.append(character)
        }
    }
}
