import Foundation
import Glibc
import Outbox
import System

// Whether the folders for notes and for the journal can be used.
extension Doctor {
    func notes() -> [Finding] {
        let locations = notesLocations()
        // No destination is a folder of notes, so the usual one is not needed.
        if locations.isEmpty { return [notes(at: options.notes, isNeeded: false)] }
        return locations.map { notes(at: $0, isNeeded: true) }
    }

    /// The folders of the notes: those of the user's destinations, or the usual one when the destinations can't be read.
    func notesLocations() -> [MarkdownVault.Location] {
        do throws(OutboxError) {
            let destinations = try Destinations.load(notes: options.notes, surroundings.environment)
            let vaults = destinations.names.compactMap { destinations.handlers[$0] as? VaultHandler }
            return vaults.reduce(into: []) { if !$0.contains($1.location) { $0.append($1.location) } }
        } catch {
            // outbox() reports what is wrong with the destinations.
            return [options.notes]
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
                "or choose another folder: --notes, UTTER_NOTES, or notes in \(Settings.path(surroundings.environment))"
            )
            var steps = surroundings.steps(for: error, alternative: alternative)
            // Who has made a link wants the notes where it leads.
            if error.code == .inTheWay, !location.isNamed, FolderTools.isFolder(path) {
                let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
                steps = [.run("utter config set notes \(ShellWord.quoted(target))")]
            }
            return Finding(
                subject: subject, state: isNeeded ? .broken : .lacking, words: error.description, mend: steps)
        }
    }

    /// The finding about the folder of the journals, in which a memo is kept while it is spoken.
    func journal() -> Finding {
        let (subject, folder) = ("journal", MemoJournal.defaultFolder(surroundings.environment))
        do {
            let journal = try MemoJournal.create(in: folder, begun: .now, at: .standardOutput)
            try journal.remove()
            return .fine(subject, "\(folder) keeps what is being said")
        } catch {
            let steps = (error as? OutboxError).map { surroundings.steps(for: $0) } ?? []
            return .lacking(subject, "\(CommandError(error).message); until then nothing is safe before Enter", steps)
        }
    }
}
