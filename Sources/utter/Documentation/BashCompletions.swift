/// Completions for bash, with no help from other scripts.
struct BashCompletions {
    var commands: [CommandSpecification]

    var text: String {
        """
        # bash completion for utter, made by `utter help --completions bash`
        _utter() {
            local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} path=utter index
            # bash takes the = of --option=value for a word.
            if [[ $word == = ]]; then
                word=
            elif [[ $option == = ]]; then
                option=${COMP_WORDS[COMP_CWORD-2]}
            fi
            for ((index = 1; index < COMP_CWORD; index++)); do
                case "$path ${COMP_WORDS[index]}" in
                    \(paths.map(ShellWord.inQuotes).joined(separator: " | "))) path+=" ${COMP_WORDS[index]}" ;;
                esac
            done
            local IFS=$'\\n'
            compopt +o nospace 2>/dev/null
            case "$path $option" in
        \(values.joined(separator: "\n"))
            esac
            local words=
            case $path in
        \(words.joined(separator: "\n"))
            esac
            if [[ $word == -* || $path == utter ]]; then
                COMPREPLY=($(compgen -W "$words" -- "$word"))
                return
            fi
            case $path in
        \(operands.joined(separator: "\n"))
            esac
        }
        complete -F _utter utter

        """
    }

    private var all: [CommandSpecification] { commands.flatMap { [$0] + $0.subcommands } }
    private var paths: [String] { all.map(\.invocation) }

    /// The options of each command, in one place each.
    private var words: [String] {
        let top = commands.map(\.name) + ["help", "--help", "--version"]
        return [line("utter", words: top)]
            + all.map { command in line(command.invocation, words: command.allOptions.map { "--" + $0.long }) }
    }

    private func line(_ path: String, words: [String]) -> String {
        "        \(ShellWord.inQuotes(path))) words=$'\(words.joined(separator: "\\n"))' ;;"
    }

    /// What can stand behind an option.
    private var values: [String] {
        all.flatMap { command in
            command.options.compactMap { option in
                guard let value = option.value else { return nil }
                let names = ["--" + option.long] + (option.short.map { ["-\($0)"] } ?? [])
                let patterns = names.map { ShellWord.inQuotes("\(command.invocation) \($0)") }.joined(separator: " | ")
                return "        \(patterns)) \(reply(value.kind)); return ;;"
            }
        }
    }

    private var operands: [String] {
        all.compactMap { command in
            if !command.nextWords.isEmpty {
                return "        \(ShellWord.inQuotes(command.invocation))) \(reply(.choice(command.nextWords))) ;;"
            }
            guard let operand = command.operands.last else { return nil }
            return "        \(ShellWord.inQuotes(command.invocation))) \(reply(operand.kind)) ;;"
        }
    }

    private func reply(_ kind: ValueKind) -> String {
        switch kind {
        case .file: "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$word\"))"
        case .folder: "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- \"$word\"))"
        case .model(let pass):
            "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen \(pass == .second ? "-f" : "-d") -- \"$word\") "
                + "$(compgen -W \"$(\(Shell.installedModels(pass)))\" -- \"$word\"))"
        case .choice, .integer:
            "COMPREPLY=($(compgen -W $'\(kind.words.joined(separator: "\\n"))' -- \"$word\"))"
        case .text, .number: "COMPREPLY=()"
        }
    }
}
