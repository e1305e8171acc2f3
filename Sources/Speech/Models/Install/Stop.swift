import Audio
import Synchronization

/// Passes the cancellation of a task to the thread that does its work, even while that thread waits for a program.
final class Stop: Sendable {
    private struct State {
        var isStopped = false
        var child: ChildProcess?
    }

    private let state = Mutex(State())

    /// Cancels the work, and kills the child that it waits for.
    func stop() {
        let child = state.withLock { state in
            state.isStopped = true
            return state.child
        }
        child?.kill()
    }

    /// Throws `CancellationError` if the work was cancelled.
    func check() throws {
        if state.withLock({ $0.isStopped }) { throw CancellationError() }
    }

    /// Kills `child` if the work is cancelled before `release()`.
    func hold(_ child: ChildProcess) throws {
        let isStopped = state.withLock { state in
            state.child = child
            return state.isStopped
        }
        if isStopped { child.kill() }
        try check()
    }

    func release() { state.withLock { $0.child = nil } }
}
