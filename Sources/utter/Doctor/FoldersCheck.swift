import Glibc
import Outbox

/// Whether the folders in which a memo is kept can be used.
struct FoldersCheck {
    private let surroundings: Surroundings
    private let mend: FolderMend

    init(_ surroundings: Surroundings) {
        self.surroundings = surroundings
        mend = FolderMend(surroundings)
    }

    func notes(_ location: MarkdownVault.Location) -> Finding {
        let (subject, path) = ("notes", location.path)
        do throws(OutboxError) {
            try MarkdownVault(location).prepare()
            guard access(path, W_OK | X_OK) == 0 else { throw OutboxError("write to", path: path, errno: errno) }
            return .fine(subject, path)
        } catch {
            let alternative = Finding.Step.act(
                "or choose another folder: --notes, UTTER_NOTES, or notes in \(Settings.path(surroundings.environment))")
            return .broken(subject, error.description, mend.steps(for: error, alternative: alternative))
        }
    }

    func journal() -> Finding {
        let (subject, folder) = ("journal", MemoJournal.defaultFolder(surroundings.environment))
        do {
            let journal = try MemoJournal.create(in: folder)
            try journal.remove()
            return .fine(subject, "\(folder) keeps what is being said")
        } catch {
            let steps = (error as? OutboxError).map { mend.steps(for: $0) } ?? []
            return .lacking(subject, "\(CommandError(error).message); until then nothing is safe before Enter", steps)
        }
    }
}
