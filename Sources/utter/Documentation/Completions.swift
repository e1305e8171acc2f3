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
