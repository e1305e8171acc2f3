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

    /// Whether the folders that a memo is kept in can be used.
    func notes(_ usual: MarkdownVault.Location) -> [Finding] {
        let locations = locations(usual)
        // Everything goes elsewhere.
        if locations.isEmpty { return [notes(at: usual, isNeeded: false)] }
        return locations.map { notes(at: $0, isNeeded: true) }
    }

    /// The folders that a memo is kept in: those of the user's destinations, or else the usual one.
    func locations(_ usual: MarkdownVault.Location) -> [MarkdownVault.Location] {
        do throws(OutboxError) {
            let destinations = try Destinations.load(notes: usual, surroundings.environment)
            let vaults = destinations.names.compactMap { destinations.handlers[$0] as? VaultHandler }
            return vaults.reduce(into: []) { if !$0.contains($1.location) { $0.append($1.location) } }
        } catch {
            // What is wrong with them is told with the outbox.
            return [usual]
        }
    }

    private func notes(at location: MarkdownVault.Location, isNeeded: Bool) -> Finding {
        let (subject, path) = ("notes", location.path)
        do throws(OutboxError) {
            try MarkdownVault(location).prepare()
            guard access(path, W_OK | X_OK) == 0 else { throw OutboxError("write to", path: path, errno: errno) }
            return .fine(subject, path)
        } catch {
            let alternative = Finding.Step.act(
                "or choose another folder: --notes, UTTER_NOTES, or notes in \(Settings.path(surroundings.environment))")
            let steps = mend.steps(for: error, alternative: alternative)
            return Finding(subject: subject, state: isNeeded ? .broken : .lacking, words: error.description, mend: steps)
        }
    }

    func journal() -> Finding {
        let (subject, folder) = ("journal", MemoJournal.defaultFolder(surroundings.environment))
        do {
            let journal = try MemoJournal.create(in: folder, begun: .now, at: .standardOutput)
            try journal.remove()
            return .fine(subject, "\(folder) keeps what is being said")
        } catch {
            let steps = (error as? OutboxError).map { mend.steps(for: $0) } ?? []
            return .lacking(subject, "\(CommandError(error).message); until then nothing is safe before Enter", steps)
        }
    }
}
