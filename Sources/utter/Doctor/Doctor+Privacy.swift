import Glibc
import Outbox
import System

extension Doctor {
    /// Whether other users of this machine can read what was said: the findings about utter's own folders. utter makes its files private,
    /// but permissions may have changed since: earlier versions of `make install` opened all of utter's data folder below the home folder.
    func privacy() -> [Finding] {
        let (subject, environment) = ("privacy", surroundings.environment)
        let data = BaseFolder.data.utter(environment) + "/"
        // Folders of the notes elsewhere are the user's choice.
        let places =
            notesLocations().filter { $0.path.hasPrefix(data) }.map { ("notes", $0.path) } + [
                ("what waits in the outbox", OutboxStore.defaultFolder(environment)),
                ("memos that were cut off", MemoJournal.defaultFolder(environment)),
                ("memos that undo took out of their notes", UndoneEntries.defaultFolder(environment)),
            ]
        let findings = places.filter { Self.isOpen($0.1) }.map { what, path in
            Finding.lacking(
                subject, "\(what) can be read by others: \(path)", [.run("chmod -R go= \(ShellWord.quoted(path))")]
            )
        }
        return findings.isEmpty ? [.fine(subject, "what was said can be read by nobody else")] : findings
    }

    /// Whether users other than the owner can reach a folder and look into it. lstat(2), stat(2)
    private static func isOpen(_ folder: String) -> Bool {
        guard let status = stat(itself: folder), status.isFolder, status.st_mode & 0o077 != 0 else { return false }
        var place = folder[...]
        while let slash = place.lastIndex(of: "/"), slash != place.startIndex {
            place = place[..<slash]
            if let status = stat(String(place)), status.st_mode & 0o011 == 0 { return false }
        }
        return true
    }
}
