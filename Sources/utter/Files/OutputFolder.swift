import CLinux
import Glibc
import System

/// An open folder for outputs. All work in it stays in this one folder, whatever happens to its path.
final class OutputFolder: Sendable {
    /// The path as the user gave it, for messages.
    let path: String
    /// The folder's descriptor, opened with O_PATH, which needs no permission to read the folder.
    let descriptor: Int32

    /// Opens a folder; if it is missing, creates it and the folders above it, with the permissions that the umask allows.
    ///
    /// - Throws: `FileError`, with ELOOP when the path leads through a symbolic link that another user may have put there.
    ///   Nothing is created when a symbolic link leads nowhere, for a disk may not be mounted.
    convenience init(making path: String) throws(FileError) {
        var walk = try OutputWalk(path, as: path)
        while let name = walk.next() { try walk.enter(name, making: true) }
        self.init(descriptor: walk.takeFolder(), path: path)
    }

    /// Takes over an open descriptor, which is closed with this object.
    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// The status of a name in the folder; that of a symbolic link is the link's own; nil when there is none. fstatat(2)
    func status(of name: String, for output: String) throws(FileError) -> stat? {
        var status = stat()
        if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return status }
        if errno == ENOENT { return nil }
        throw FileError(.create, path: output, errno: errno)
    }

    /// Whether a name in the folder is that of a file, or of a link to one. fstatat(2)
    func has(_ name: String) -> Bool {
        var status = stat()
        return fstatat(descriptor, name, &status, 0) == 0 && status.st_mode & S_IFMT != S_IFDIR
    }

    /// Whether other users can put symbolic links, pipes and files into the folder.
    var isShared: Bool { Self.isShared(descriptor) }

    /// Whether users other than this one and root can put anything into an open folder. Root may do so anywhere. fstat(2)
    static func isShared(_ folder: Int32) -> Bool {
        guard let status = stat(folder) else { return true }
        return status.st_uid != geteuid() && status.st_uid != 0 || status.st_mode & (S_IWGRP | S_IWOTH) != 0
    }

    /// Flushes the names in an open folder to the disk, so that they survive a power failure; a descriptor opened with O_PATH will do.
    /// fsync(2)
    static func flush(
        _ descriptor: Int32, _ operation: FileError.Operation, for output: String
    ) throws(FileError) {
        do throws(FileError) { try FileCalls.system.flushFolder(at: ".", in: descriptor) } catch {
            throw FileError(operation, path: output, errno: error.errno)
        }
    }
}
