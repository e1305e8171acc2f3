import Glibc

/// What came of asking for a file's lock.
package enum LockOutcome: Hashable, Sendable {
    case taken
    /// Another process has it.
    case held
    /// A file system without locks: there is nobody to wait for.
    case unknown
    case failed(errno: Int32)
}

extension FileCalls {
    /// The numbers of the errors that say that a file system has no locks.
    static let noLocks = [ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL]

    /// Asks for the lock of an open file or folder, which goes with the descriptor, and does not wait for it. flock(2)
    package func tryLock(_ descriptor: Int32) -> LockOutcome {
        while lock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return .held
            case let code where Self.noLocks.contains(code): return .unknown
            case let code: return .failed(errno: code)
            }
        }
        return .taken
    }
}
