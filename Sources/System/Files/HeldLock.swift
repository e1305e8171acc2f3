import Glibc

/// A held lock on a file. It is released with this object, or by the kernel when the process ends.
package final class HeldLock: Sendable {
    private let file: OpenFile

    private init(_ file: consuming OpenFile) { self.file = file }

    fileprivate static func openFile(_ name: String, in folder: borrowing OpenFolder) throws(StorageError) -> OpenFile {
        guard let file = try OpenFile(name, in: folder, flags: O_RDWR | O_CREAT, mode: 0o600) else {
            preconditionFailure("a file that is created is there")
        }
        return file
    }

    /// Waits for the lock.
    ///
    /// - Throws: `StorageError` with the code `busy` when another process keeps it for five seconds.
    package static func waiting(for name: String, in folder: borrowing OpenFolder) throws(StorageError) -> HeldLock {
        let file = try openFile(name, in: folder)
        try file.waitForLock()
        return HeldLock(file)
    }

    /// Waits for the lock, which others can then hold too by this method, and nobody alone; a file system without locks has none.
    /// flock(2)
    package static func shared(_ name: String, in folder: borrowing OpenFolder) throws(StorageError) -> HeldLock {
        let file = try openFile(name, in: folder)
        while file.calls.lock(file.descriptor, LOCK_SH) != 0 {
            if FileCalls.noLocks.contains(errno) { break }
            if errno != EINTR { throw StorageError("lock", path: file.path, errno: errno) }
        }
        return HeldLock(file)
    }

    /// Waits for the lock, and holds it while `body` runs.
    ///
    /// - Throws: `StorageError` with the code `busy` when another process keeps it for five seconds, and what `body` throws.
    package static func holding<Value>(
        _ name: String, in folder: borrowing OpenFolder, _ body: () throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        let lock = try waiting(for: name, in: folder)
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }
}

/// A lock that another process may hold for long.
///
/// The file stays open while waiting: closing it raises IN_CLOSE_WRITE, which other waiting processes take for a release.
package final class LockCandidate {
    private let file: OpenFile

    package init(_ name: String, in folder: borrowing OpenFolder) throws(StorageError) {
        file = try HeldLock.openFile(name, in: folder)
    }

    /// Takes the lock if it is free.
    ///
    /// - Returns: false when another process holds it.
    package func tryLock() throws(StorageError) -> Bool { try file.tryLock() }

    /// Releases the lock. flock(2)
    package func unlock() { _ = file.calls.lock(file.descriptor, LOCK_UN) }
}
