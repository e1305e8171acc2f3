/// A shell for which completions are made from the commands' specifications.
enum Shell: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish

    func completions(for commands: [CommandSpecification]) -> String {
        switch self {
        case .bash: BashCompletions(commands: commands).text
        case .zsh: ZshCompletions(commands: commands).text
        case .fish: FishCompletions(commands: commands).text
        }
    }
}

extension CommandSpecification {
    /// The words that can follow the command's own directly: subcommands, or the choices of its first operand.
    var nextWords: [String] {
        if !subcommands.isEmpty { return subcommands.map(\.word) }
        if case .choice(let words)? = operands.first?.kind { return words }
        return []
    }
}
