import Outbox

extension Doctor {
    /// The findings about memos that were cut off, as by a crash; none when there is no such memo, or when the folder can't be read, which
    /// `journal()` reports.
    func memos() -> [Finding] {
        let subject = "memos"
        guard let found = try? MemoJournal.abandoned(in: MemoJournal.defaultFolder(surroundings.environment)) else {
            return []
        }
        var findings: [Finding] = []
        let kept = found.journals.count { $0.isKept && $0.place != nil }
        if kept > 0 {
            let words =
                kept == 1 ? "a memo is kept, but was not brought" : "\(kept) memos are kept, but were not brought"
            findings.append(.lacking(subject, words, [.act("start a memo, which brings them:"), .run("utter memo")]))
        }
        let count = found.journals.count - kept
        if count > 0 {
            let words = count == 1 ? "a memo was cut off, and waits" : "\(count) memos were cut off, and wait"
            let steps: [Finding.Step] = [
                .act("start a memo, which brings back one of them with Ctrl-R:"), .run("utter memo"),
            ]
            findings.append(.lacking(subject, words, steps))
        }
        return findings
            + found.unreadable.map { path in
                let quoted = ShellWord.quoted(path)
                let steps: [Finding.Step] = [
                    .act("look whether there is anything in it, and then:"), .run("mv \(quoted) \(quoted).old"),
                ]
                return .lacking(subject, "what an earlier memo left can't be read: \(path)", steps)
            }
    }
}
