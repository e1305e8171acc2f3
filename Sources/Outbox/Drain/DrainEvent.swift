import Foundation
import System

/// What wakes a drainer.
enum DrainEvent: Sendable {
    case folder(FolderWatch.Change)
    case network
    /// There are other handlers.
    case handlers
    case timer
    /// Nothing more is to begin.
    case end
    case finished(UUID, DrainMachine.Result)

    /// As long as its lock is open a folder that was removed is not gone for the kernel; but the lock has no name any more.
    var meansFolderIsGone: Bool {
        switch self {
        case .folder(.gone), .folder(.removed(OutboxStore.drainLockName)): true
        default: false
        }
    }

    /// Whether the process that drains may have ended: its end closes the file of its lock.
    var mayFreeLock: Bool {
        switch self {
        case .folder(.closed(OutboxStore.drainLockName)), .folder(.unknown): true
        default: false
        }
    }
}
