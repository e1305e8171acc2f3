/// The completions for bash, which need no other scripts.
struct BashCompletions {
    var commands: [CommandSpecification]

    var text: String {
        """
        # bash completion for utter, made by `utter help --completions bash`
        # Offers what there is on this machine: the lines of a command that begin with what was typed.
        _utter_offer() {
            local line
            while IFS= read -r line; do
                [[ $line == "$head$word"* ]] || continue
                line=${line#"$head"}
                [[ $line == *[!A-Za-z0-9_.,:=/@%+-]* ]] && printf -v line %q "$line"
                COMPREPLY+=("$line")
            done < <("$@" 2>/dev/null)
        }
        _utter() {
            local word=${COMP_WORDS[COMP_CWORD]} path=utter head= index last=$((COMP_CWORD - 1)) option
            # bash takes the = of --option=value for a word, and : and = in a value, such as hw:1, too.
            if [[ $word == [:=] ]]; then
                word= last=$COMP_CWORD
            fi
            while [[ last -gt 1 && ${COMP_WORDS[last]} == [:=] && ${COMP_WORDS[last-1]} != --* ]]; do
                head=${COMP_WORDS[last-1]}${COMP_WORDS[last]}$head
                last=$((last - 2))
            done
            [[ ${COMP_WORDS[last]} == = ]] && last=$((last - 1))
            option=${COMP_WORDS[last]}
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

    /// The lines that list the options of each command.
    private var words: [String] {
        let top = commands.map(\.name) + ["help", "--help", "--version"]
        return [line("utter", words: top)]
            + all.map { command in line(command.invocation, words: command.allOptions.map { "--" + $0.long }) }
    }

    private func line(_ path: String, words: [String]) -> String {
        "        \(ShellWord.inQuotes(path))) words=$'\(words.joined(separator: "\\n"))' ;;"
    }

    /// The lines that complete the value after an option.
    private var values: [String] {
        all.flatMap { command in
            command.allOptions.compactMap { option in
                guard let value = option.value else { return nil }
                let names = ["--" + option.long] + (option.short.map { ["-\($0)"] } ?? [])
                let patterns = names.map { ShellWord.inQuotes("\(command.invocation) \($0)") }.joined(separator: " | ")
                return "        \(patterns)) \(reply(value.kind)); return ;;"
            }
        }
    }

    /// The lines that complete the operands of each command.
    private var operands: [String] {
        all.compactMap { command in
            let words = command.subcommands.map(\.word)
            guard let kind = words.isEmpty ? command.operands.first?.kind : .choice(words) else { return nil }
            return "        \(ShellWord.inQuotes(command.invocation))) \(reply(kind)) ;;"
        }
    }

    private func reply(_ kind: ValueKind) -> String {
        switch kind {
        case .file, .fileOrNone: "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$word\"))"
        case .folder: "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- \"$word\"))"
        case .model(let pass):
            "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen \(pass == .second ? "-f" : "-d") -- \"$word\")); \(offer(kind))"
        case .anyModel, .locale, .device, .destination, .operation, .setting: "COMPREPLY=(); \(offer(kind))"
        case .choice, .day, .list, .integer:
            "COMPREPLY=($(compgen -W $'\(kind.words.joined(separator: "\\n"))' -- \"$word\"))"
        case .text, .line, .heading, .number: "COMPREPLY=()"
        }
    }

    private func offer(_ kind: ValueKind) -> String {
        CompletionWords(kind).map { "_utter_offer utter \(CompletionWords.option) \($0.rawValue)" } ?? ""
    }
}
