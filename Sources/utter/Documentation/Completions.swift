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
}

extension CommandSpecification {
    /// What can follow its words directly: subcommands, or the choices of its first operand.
    var nextWords: [String] {
        if !subcommands.isEmpty { return subcommands.map(\.word) }
        if case .choice(let words)? = operands.first?.kind { return words }
        return []
    }
}
