import Audio
import CLinux
import Glibc

/// A folder that outputs go into. It is held open, so that what is done in it is done in this one folder, whatever happens to its path.
final class OutputFolder: Sendable {
    /// As the user gave it, for messages.
    let path: String
    /// Names a place only (O_PATH), so a folder that may be written to and not be read will do.
    let descriptor: Int32

    /// Opens the folder at `path`.
    ///
    /// - Throws: `FileError`; with ELOOP where a link leads on that somebody else may have put there.
    convenience init(path: String) throws(FileError) {
        var walk = try OutputWalk(path, as: path)
        while let name = walk.next() { try walk.enter(name) }
        self.init(descriptor: walk.takeFolder(), path: path)
    }

    /// The same, making the folder, and those above it, where they are missing, for whom the umask lets use them.
    ///
    /// - Throws: the same; where a symbolic link leads to nothing, nothing is made, for there a disk may not be mounted.
    convenience init(making path: String) throws(FileError) {
        var walk = try OutputWalk(path, as: path)
        while let name = walk.next() { try walk.enter(name, making: true) }
        self.init(descriptor: walk.takeFolder(), path: path)
    }

    /// Takes over the descriptor.
    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// What `name` is in it, a link itself and not what it leads to; nil when there is nothing. fstatat(2)
    ///
    /// - Throws: the error number.
    func status(of name: String) throws(Errno) -> stat? {
        var status = stat()
        if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return status }
        if errno == ENOENT { return nil }
        throw Errno(code: errno)
    }

    struct Errno: Error { let code: Int32 }

    /// Whether something is there by that name. faccessat(2)
    func has(_ name: String) -> Bool { faccessat(descriptor, name, F_OK, 0) == 0 }

    /// Whether others can put links, pipes and files into it.
    var isShared: Bool { Self.isShared(descriptor) }

    /// Root may do anything, so what is root's alone is as good as our own.
    static func isShared(_ folder: Int32) -> Bool {
        var status = stat()
        guard fstat(folder, &status) == 0 else { return true }
        return status.st_uid != geteuid() && status.st_uid != 0 || status.st_mode & (S_IWGRP | S_IWOTH) != 0
    }

    /// Brings the names in it to the disk. Without this the newest may be forgotten when the power goes. fsync(2)
    ///
    /// - Throws: the error number.
    func flush() throws(Errno) { try Self.flush(descriptor) }

    /// The same for a folder of which there is a descriptor, if only one that names the place.
    static func flush(_ descriptor: Int32) throws(Errno) {
        let folder = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A folder may allow writing and not reading: then it can't be flushed, and the file is in its place all the same.
        if folder < 0, errno == EACCES { return }
        guard folder >= 0 else { throw Errno(code: errno) }
        defer { close(folder) }
        // Some file systems can't flush a folder and say so with EINVAL.
        if fsync(folder) != 0, errno != EINVAL { throw Errno(code: errno) }
    }
}
