import Glibc
import Outbox
import System

extension Surroundings {
    /// The steps that make a file or a folder usable, for an error of the outbox.
    ///
    /// - Parameter alternative: how to choose another folder, if that is possible.
    func steps(for error: OutboxError, alternative: Finding.Step? = nil) -> [Finding.Step] {
        let path = ShellWord.quoted(error.path)
        let otherwise = alternative.map { [$0] } ?? []
        switch error.code {
        case .inTheWay: return [moveAway(error.path)]
        case .missing:
            let there = nearest(to: error.path).path
            return (FolderTools.isFolder(there) ? [] : [moveAway(there)]) + [.run("mkdir -p \(path)")] + otherwise
        case .notPermitted where error.errno != EROFS: return [permit(error.path)] + otherwise
        case .noSpace: return [.act("make room on its disk")] + otherwise
        default: return otherwise
        }
    }

    /// The longest part of a path that exists, and its status. lstat(2)
    private func nearest(to path: String) -> (path: String, status: stat) {
        var (place, status) = (path, stat())
        while lstat(place, &status) != 0, let slash = place.lastIndex(of: "/"), place != "/" {
            place = slash == place.startIndex ? "/" : String(place[..<slash])
        }
        return (place, status)
    }

    private func moveAway(_ path: String) -> Finding.Step {
        .run("mv \(ShellWord.quoted(path)) \(ShellWord.quoted(freeName(path)))")
    }

    /// The step that permits access: the nearest existing ancestor is what denied it.
    private func permit(_ path: String) -> Finding.Step {
        let (place, status) = nearest(to: path)
        let name = ShellWord.quoted(place)
        if status.st_uid != geteuid() { return asRoot("chown \"$(id -un)\" \(name)") }
        return .run("chmod \(status.isFolder ? "u+rwx" : "u+rw") \(name)")
    }

    private func freeName(_ path: String) -> String {
        var (name, number) = (path + ".old", 1)
        while stat(itself: name) != nil {
            number += 1
            name = "\(path).old\(number)"
        }
        return name
    }
}
