import Audio
import Synchronization

/// Lets the cancellation of a task reach the thread that does its work, also while that waits for a program.
final class Stop: Sendable {
    private struct State {
        var isStopped = false
        var child: ChildProcess?
    }

    private let state = Mutex(State())

    func stop() {
        let child = state.withLock { state in
            state.isStopped = true
            return state.child
        }
        child?.kill()
    }

    func check() throws {
        if state.withLock({ $0.isStopped }) { throw CancellationError() }
    }

    /// Ends `child` when the stop comes before `release()`.
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
