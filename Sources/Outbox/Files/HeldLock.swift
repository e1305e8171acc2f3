import Glibc

/// The lock on a file, held as long as this lives, and let go by the kernel when the process dies.
final class HeldLock: Sendable {
    private let file: OpenFile

    private init(_ file: consuming OpenFile) { self.file = file }

    fileprivate static func openFile(_ name: String, in folder: borrowing OpenFolder) throws(OutboxError) -> OpenFile {
        guard let file = try OpenFile(name, in: folder, flags: O_RDWR | O_CREAT, mode: 0o600) else {
            preconditionFailure("a file that is created is there")
        }
        return file
    }

    /// Waits for the lock. Throws `busy` when its holder keeps it for long.
    static func waiting(for name: String, in folder: borrowing OpenFolder) throws(OutboxError) -> HeldLock {
        let file = try openFile(name, in: folder)
        try file.waitForLock()
        return HeldLock(file)
    }

    /// - Returns: nil when another process has it.
    static func trying(_ name: String, in folder: borrowing OpenFolder) throws(OutboxError) -> HeldLock? {
        let file = try openFile(name, in: folder)
        return try file.tryLock() ? HeldLock(file) : nil
    }

    /// Keeps it until here.
    func keep() { withExtendedLifetime(self) {} }
}

/// A lock that may be held by others for long. The file stays open while it is wanted, so that wanting it is not taken for
/// letting it go by those who watch the file being closed.
final class LockCandidate {
    private let file: OpenFile

    init(_ name: String, in folder: borrowing OpenFolder) throws(OutboxError) {
        file = try HeldLock.openFile(name, in: folder)
    }

    func tryLock() throws(OutboxError) -> Bool { try file.tryLock() }

    /// flock(2)
    func unlock() { _ = file.calls.lock(file.descriptor, LOCK_UN) }
}
