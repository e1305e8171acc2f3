import Speech

/// What a shell needs to complete command lines of utter, made from the commands' specifications.
enum Shell: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish

    /// The script that its user's shell reads.
    func completions(for commands: [CommandSpecification]) -> String {
        switch self {
        case .bash: BashCompletions(commands: commands).text
        case .zsh: ZshCompletions(commands: commands).text
        case .fish: FishCompletions(commands: commands).text
        }
    }

    /// Prints the names of the installed models, of one pass or of both, a line each.
    static func installedModels(_ pass: RecognitionPass?) -> String {
        let option = pass.map { " --pass \($0.rawValue)" } ?? ""
        return "utter models list --installed\(option) 2>/dev/null | grep '^  ' | tr -s ' ' | cut -d ' ' -f 2"
    }
}

extension CommandSpecification {
    /// What can follow its words directly: subcommands, or the choices of its first operand.
    var nextWords: [String] {
        if !subcommands.isEmpty { return subcommands.map(\.word) }
        if case .choice(let words)? = operands.first?.kind { return words }
        return []
    }
}
