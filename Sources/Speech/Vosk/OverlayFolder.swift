import Foundation
import Glibc
import System

/// The temporary folder of an overlay, which is removed when it is released. It is locked as long as it is used: a
/// folder that a killed process has left has no lock, and the next process removes it.
final class OverlayFolder {
    let path: String
    private let descriptor: Int32

    /// The prefix of the names. Earlier versions, whose folders are never locked, had another.
    private static let prefix = "utter-overlay-"

    /// Creates and locks the folder. mkdir(2), flock(2)
    init() throws {
        // Foundation would take an empty TMPDIR for the root, and a relative one for a folder in the current one.
        let parent = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        Self.sweep(parent)
        while true {
            let path = parent + "/" + Self.prefix + UUID().uuidString
            guard mkdir(path, 0o700) == 0 else { throw Self.failure() }
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if descriptor < 0, errno != ENOENT {
                let failure = Self.failure()
                rmdir(path)
                throw failure
            }
            // Another process may have found the folder before it was locked, and removed it.
            let isTaken = descriptor < 0 || FileCalls.system.tryLock(descriptor) == .held
            if !isTaken, let status = stat(descriptor), status.st_nlink > 0 {
                self.path = path
                self.descriptor = descriptor
                return
            }
            if descriptor >= 0 { close(descriptor) }
        }
    }

    deinit {
        // An error is ignored: the next process removes the folder.
        try? FileManager.default.removeItem(atPath: path)
        close(descriptor)
    }

    private static func failure() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    /// Removes the folders of killed processes. Folders of other users, and those that can't be opened, stay.
    private static func sweep(_ parent: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil
        {
            let path = parent + "/" + name
            let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard folder >= 0 else { continue }
            defer { close(folder) }
            if stat(folder)?.st_uid == geteuid(), FileCalls.system.tryLock(folder) == .taken {
                try? FileManager.default.removeItem(atPath: path)
            }
        }
    }
}
