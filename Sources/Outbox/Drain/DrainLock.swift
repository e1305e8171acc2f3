import System

/// The lock by which one of several processes drains a folder, and the others wait for its end.
struct DrainLock {
    private let candidate: LockCandidate

    init(in folder: borrowing OpenFolder) throws(OutboxError) {
        candidate = try LockCandidate(OutboxStore.drainLockName, in: folder)
    }

    /// - Returns: whether it is held from now on.
    func tryLock() throws(OutboxError) -> Bool { try candidate.tryLock() }

    func unlock() { candidate.unlock() }

    enum Wait: Hashable {
        case isWorthTrying
        case isFolderGone
        /// The task was cancelled.
        case isOver
    }

    /// Waits until its holder may have ended. What else comes meanwhile is read from the folder later.
    static func wait(
        for events: inout AsyncStream<DrainEvent>.AsyncIterator, isolation: isolated (any Actor)? = #isolation
    ) async -> Wait {
        while let event = await events.next(isolation: isolation) {
            if event.mayFreeLock { return .isWorthTrying }
            if event.meansFolderIsGone { return .isFolderGone }
        }
        return .isOver
    }
}
