import Glibc

/// Temporary files of outputs: hidden, readable by their owner only, and locked as long as their writer lives. A writer that was killed
/// leaves one behind, which has no lock any more; the next run in that folder removes it.
///
/// Earlier versions locked nothing and used other names. What has one of those is removed when nobody has written to it for a day: until
/// then its writer may live.
enum OutputLitter {
    private static let prefix = ".utter-output-"
    private static let earlierPrefix = ".utter-"
    /// In seconds.
    private static let earlierAge = 86_400

    /// A short name of its own: the output's may already be as long as names can be.
    static func temporaryName() -> String { prefix + String(UInt64.random(in: 0...(.max)), radix: 36) }

    /// Makes an empty file with a temporary name, and locks it. openat(2), flock(2)
    static func createLocked(in folder: OutputFolder) throws(OutputFolder.Errno) -> (descriptor: Int32, name: String) {
        while true {
            let name = temporaryName()
            let descriptor = openat(folder.descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor < 0, [EEXIST, EINTR].contains(errno) { continue }
            if descriptor < 0 { throw OutputFolder.Errno(code: errno) }
            // Another run may have looked at it before it was locked, and taken it for litter.
            var status = stat()
            let isTaken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            if !isTaken, fstat(descriptor, &status) == 0, status.st_nlink > 0 { return (descriptor, name) }
            close(descriptor)
        }
    }

    /// Removes what the dead left in a folder. What can't be looked at or removed stays; nothing depends on it.
    static func sweep(_ folder: OutputFolder) {
        let descriptor = openat(folder.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
            }
            guard let name else { continue }
            if isTemporary(name, prefix) {
                removeIfLitter(name, in: folder)
            } else if isTemporary(name, earlierPrefix) {
                removeIfLitter(name, in: folder, age: earlierAge)
            }
        }
    }

    private static func isTemporary(_ name: String, _ prefix: String) -> Bool {
        name.hasPrefix(prefix) && UInt64(name.dropFirst(prefix.count), radix: 36) != nil
    }

    /// - Parameter age: how long nobody must have written to it, in seconds.
    private static func removeIfLitter(_ name: String, in folder: OutputFolder, age: Int = 0) {
        let file = openat(folder.descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else { return }
        if age > 0, time(nil) - status.st_mtim.tv_sec < age { return }
        // A file system without locks says so: there the living can't be told from the dead.
        if flock(file, LOCK_EX | LOCK_NB) == 0 { unlinkat(folder.descriptor, name, 0) }
    }
}
