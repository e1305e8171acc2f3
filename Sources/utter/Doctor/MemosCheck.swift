import Outbox

/// Checks whether there are memos that were cut off, as by a crash.
struct MemosCheck {
    private static let subject = "memos"
    private let surroundings: Surroundings

    init(_ surroundings: Surroundings) { self.surroundings = surroundings }

    /// The findings; none when there is no such memo, or when the folder can't be read, which `FoldersCheck` reports.
    func findings() -> [Finding] {
        guard let found = try? MemoJournal.abandoned(in: MemoJournal.defaultFolder(surroundings.environment)) else {
            return []
        }
        var findings: [Finding] = []
        if !found.journals.isEmpty {
            let count = found.journals.count
            let words = count == 1 ? "a memo was cut off, and waits" : "\(count) memos were cut off, and wait"
            let steps: [Finding.Step] = [
                .act("start a memo, which brings back one of them with Ctrl-R:"), .run("utter memo"),
            ]
            findings.append(.lacking(Self.subject, words, steps))
        }
        return findings
            + found.unreadable.map { path in
                let quoted = ShellWord.quoted(path)
                let steps: [Finding.Step] = [
                    .act("look whether there is anything in it, and then:"), .run("mv \(quoted) \(quoted).old"),
                ]
                return .lacking(Self.subject, "what an earlier memo left can't be read: \(path)", steps)
            }
    }
}
