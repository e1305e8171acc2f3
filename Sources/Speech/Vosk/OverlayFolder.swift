import Foundation
import Glibc

/// The folder of an overlay, among the temporary files, removed with its owner. It is locked as long as that lives: what a process that was
/// killed left behind has no lock any more, and the next one removes it.
final class OverlayFolder {
    let path: String
    private let descriptor: Int32

    /// Not the prefix of earlier versions, whose folders have no lock while they are used.
    private static let prefix = "utter-overlay-"

    /// - Throws: `POSIXError`. mkdir(2), flock(2)
    init() throws {
        // Foundation would take an empty one for the root, and a relative one for a folder below the current one.
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
            // Another process may have looked at it before it was locked, and taken it for litter.
            var status = stat()
            let isTaken = descriptor < 0 || flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            if !isTaken, fstat(descriptor, &status) == 0, status.st_nlink > 0 {
                self.path = path
                self.descriptor = descriptor
                return
            }
            if descriptor >= 0 { close(descriptor) }
        }
    }

    deinit {
        // Left behind it would only be litter among temporary files.
        try? FileManager.default.removeItem(atPath: path)
        close(descriptor)
    }

    private static func failure() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    /// Removes what the dead left. What is not ours, or can't be looked at, stays.
    private static func sweep(_ parent: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil {
            let path = parent + "/" + name
            let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard folder >= 0 else { continue }
            defer { close(folder) }
            var status = stat()
            guard fstat(folder, &status) == 0, status.st_uid == geteuid(), flock(folder, LOCK_EX | LOCK_NB) == 0 else { continue }
            try? FileManager.default.removeItem(atPath: path)
        }
    }
}
