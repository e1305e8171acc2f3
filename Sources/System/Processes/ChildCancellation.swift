import Synchronization

/// Passes the cancellation of a task to the thread that does its work, even while that thread waits for a program.
package final class ChildCancellation: Sendable {
    private let state = Mutex((isStopped: false, child: ChildProcess?.none))

    package init() {}

    /// Does work on a thread of its own, and stops it when the task is cancelled.
    package static func onOwnThread<Value: Sendable>(
        _ work: @escaping @Sendable (ChildCancellation) throws -> Value
    ) async throws -> Value {
        let cancellation = ChildCancellation()
        return try await withTaskCancellationHandler {
            try await System.onOwnThread { try work(cancellation) }
        } onCancel: {
            cancellation.stop()
        }
    }

    /// Cancels the work, and kills the child that it waits for.
    package func stop() {
        let child = state.withLock { state in
            state.isStopped = true
            return state.child
        }
        child?.kill()
    }

    /// Throws `CancellationError` if the work was cancelled.
    package func check() throws {
        if state.withLock({ $0.isStopped }) { throw CancellationError() }
    }

    /// Kills `child` if the work is cancelled before `release()`.
    package func hold(_ child: ChildProcess) throws {
        let isStopped = state.withLock { state in
            state.child = child
            return state.isStopped
        }
        if isStopped { child.kill() }
        try check()
    }

    package func release() { state.withLock { $0.child = nil } }
}
