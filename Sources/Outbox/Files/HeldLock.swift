import Glibc

/// The lock on a file, held as long as this lives, and let go by the kernel when the process dies.
final class HeldLock: Sendable {
    private let file: OpenFile

    private init(_ file: consuming OpenFile) { self.file = file }

    private static func openFile(_ name: String, in folder: borrowing OpenFolder) throws(OutboxError) -> OpenFile {
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
