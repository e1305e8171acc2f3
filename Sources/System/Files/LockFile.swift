import Glibc

/// A file with a lock that one process holds at a time. A held lock is released with this object, or by the kernel when the process ends.
///
/// The file stays open while others hold the lock: closing it raises IN_CLOSE_WRITE, which other waiting processes take for a release.
package final class LockFile: Sendable {
    private let file: OpenFile

    /// Opens the file, and takes no lock yet.
    package init(_ name: String, in folder: borrowing OpenFolder) throws(StorageError) {
        guard let file = try OpenFile(name, in: folder, flags: O_RDWR | O_CREAT, mode: 0o600) else {
            preconditionFailure("a file that is created is there")
        }
        self.file = file
    }

    /// Waits for the lock.
    ///
    /// - Throws: `StorageError` with the code `busy` when another process keeps it for five seconds.
    package static func waiting(for name: String, in folder: borrowing OpenFolder) throws(StorageError) -> LockFile {
        let lock = try LockFile(name, in: folder)
        try lock.file.waitForLock()
        return lock
    }

    /// Waits for the lock, which others can then hold too by this method, and nobody alone; a file system without locks has none.
    /// flock(2)
    package static func shared(_ name: String, in folder: borrowing OpenFolder) throws(StorageError) -> LockFile {
        let lock = try LockFile(name, in: folder)
        while lock.file.calls.lock(lock.file.descriptor, LOCK_SH) != 0 {
            if FileCalls.noLocks.contains(errno) { break }
            if errno != EINTR { throw StorageError("lock", path: lock.file.path, errno: errno) }
        }
        return lock
    }

    /// Takes the lock if it is free.
    ///
    /// - Returns: false when another process holds it.
    package func tryLock() throws(StorageError) -> Bool { try file.tryLock() }

    /// Releases the lock. flock(2)
    package func unlock() { _ = file.calls.lock(file.descriptor, LOCK_UN) }
}
