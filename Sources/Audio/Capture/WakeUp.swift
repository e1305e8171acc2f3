import CALSA
import Dispatch
import Glibc
import Synchronization

/// Lets a thread that may not lock wake a waiting task: the thread writes to an eventfd, and a Dispatch source resumes
/// the task.
final class WakeUp: Sendable {
    private struct State {
        /// Whether there was a signal since the last wait.
        var isSignalled = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// The eventfd to write to with `capture_write_wake_up`.
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
        // The source may use the descriptor until it is cancelled.
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

    /// Waits until there is a signal since the last return, or until the task is cancelled. One task at a time may
    /// wait.
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
