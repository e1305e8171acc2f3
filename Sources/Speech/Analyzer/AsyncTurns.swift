import Synchronization

/// Lets one task through at a time, in the order of arrival. Unlike an actor, it stays closed while the current task
/// awaits something.
final class AsyncTurns: Sendable {
    private struct State {
        var isTaken = false
        /// Those who wait, who learn whether they have the turn.
        var waiters: [(id: Int, waiter: CheckedContinuation<Bool, Never>)] = []
        var lastID = 0
    }

    private let state = Mutex(State())

    /// The number of tasks that wait.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Waits for the turn.
    func take() async { _ = await wait(nextID()) { false } }

    /// Waits for the turn, unless the task is cancelled before.
    func takeUnlessCancelled() async throws(CancellationError) {
        let id = nextID()
        let isTaken = await withTaskCancellationHandler {
            // A later cancellation finds the waiter.
            await wait(id) { Task.isCancelled }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0).waiter }
            }
            waiter?.resume(returning: false)
        }
        if !isTaken { throw CancellationError() }
    }

    private func nextID() -> Int {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// - Returns: whether the turn is taken.
    private func wait(_ id: Int, unless isGivenUp: () -> Bool) async -> Bool {
        await withCheckedContinuation { waiter in
            let outcome = state.withLock { state -> Bool? in
                if isGivenUp() { return false }
                if state.isTaken {
                    state.waiters.append((id, waiter))
                    return nil
                }
                state.isTaken = true
                return true
            }
            if let outcome { waiter.resume(returning: outcome) }
        }
    }

    /// Ends the turn, and resumes the next task.
    func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            if state.waiters.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiters.removeFirst().waiter
        }
        next?.resume(returning: true)
    }
}
