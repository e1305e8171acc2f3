import CALSA
import Dispatch
import Glibc
import Synchronization

/// How a thread that may not lock wakes a task that waits: it writes to an eventfd, and a Dispatch source resumes the task.
final class WakeUp: Sendable {
    private struct State {
        /// Woken since the last wait.
        var isSignalled = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// What to write to; see `capture_write_wake_up`.
    let descriptor: Int32
    private let state = Mutex(State())
    // Set in init and only read after that.
    nonisolated(unsafe) private var source: (any DispatchSourceRead)?

    /// C: `eventfd`
    init() {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global(qos: .userInitiated))
        source.setEventHandler { [weak self, descriptor] in
            var count: UInt64 = 0
            _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
            self?.signal()
        }
        // The source may be looking at the descriptor until then.
        source.setCancelHandler { [descriptor] in close(descriptor) }
        source.activate()
        self.source = source
    }

    deinit { source?.cancel() }

    /// Wakes the task from a thread that may lock.
    func signal() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            state.isSignalled = state.waiter == nil
            return state.waiter
        }
        waiter?.resume()
    }

    /// Returns when there was a signal since the last return, or when the task is cancelled. One task waits at a time.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    if state.isSignalled || Task.isCancelled {
                        state.isSignalled = false
                        return false
                    }
                    precondition(state.waiter == nil, "a capture has one reader")
                    state.waiter = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            signal()
        }
    }
}
