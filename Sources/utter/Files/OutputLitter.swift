import Glibc
import System

/// The temporary files of outputs: hidden, readable by their owner only, and locked while their writer runs. A killed writer
/// leaves its file without a lock, and the next run in that folder removes it.
///
/// Earlier versions used other names and no locks. A file of such a name is removed when nobody has written to it for a day, for
/// until then its writer may be running.
enum OutputLitter {
    private static let prefix = ".utter-output-"
    private static let earlierPrefix = ".utter-"
    /// The age, in seconds, at which a file of an earlier version is removed.
    private static let earlierAge = 86_400

    /// A random temporary name, independent of the output's, which may already have the greatest length.
    static func temporaryName() -> String { prefix + String(UInt64.random(in: 0...(.max)), radix: 36) }

    /// Creates an empty file with a temporary name, and locks it. openat(2), flock(2)
    static func createLocked(
        in folder: OutputFolder, for output: String
    ) throws(FileError) -> (descriptor: Int32, name: String) {
        while true {
            let name = temporaryName()
            let descriptor = openat(folder.descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor < 0, [EEXIST, EINTR].contains(errno) { continue }
            if descriptor < 0 { throw FileError(.create, path: output, errno: errno) }
            // Another run may have removed the file before it was locked.
            let isTaken = FileCalls.system.tryLock(descriptor) == .held
            if !isTaken, let status = stat(descriptor), status.st_nlink > 0 { return (descriptor, name) }
            close(descriptor)
        }
    }

    /// Removes the temporary files that killed processes left in a folder. A file that can't be read or removed stays.
    static func sweep(_ folder: OutputFolder) {
        _ = FileCalls.system.names(folder.descriptor) { name in
            if isTemporary(name, prefix) {
                removeIfLitter(name, in: folder)
            } else if isTemporary(name, earlierPrefix) {
                removeIfLitter(name, in: folder, age: earlierAge)
            }
            return true
        }
    }

    private static func isTemporary(_ name: String, _ prefix: String) -> Bool {
        name.hasPrefix(prefix) && UInt64(name.dropFirst(prefix.count), radix: 36) != nil
    }

    /// Removes a temporary file whose writer has ended.
    ///
    /// - Parameters:
    ///   - name: the file's name.
    ///   - folder: the folder that the file is in.
    ///   - age: how long ago, in seconds, the file must have been written last.
    private static func removeIfLitter(_ name: String, in folder: OutputFolder, age: Int = 0) {
        let file = openat(folder.descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        guard let status = stat(file), status.isFile, status.st_uid == geteuid() else { return }
        if age > 0, time(nil) - status.st_mtim.tv_sec < age { return }
        // A file system without locks says so: there the living can't be told from the dead.
        if FileCalls.system.tryLock(file) == .taken { unlinkat(folder.descriptor, name, 0) }
    }
}
