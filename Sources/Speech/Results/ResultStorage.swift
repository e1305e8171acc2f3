import Synchronization

/// The lock and the continuations around a `ResultStateMachine`.
final class ResultStorage<Element: Sendable>: Sendable {
    private typealias Machine = ResultStateMachine<Element, CheckedContinuation<Element?, any Error>>

    private struct State {
        var machine = Machine()
        var lastID = 0
        /// Waiters whose task was cancelled before they began to wait.
        var cancelledEarly: Set<Int> = []
    }

    private let state = Mutex(State())

    /// Whether no more results will come; some may still wait for a consumer.
    var hasEnded: Bool { state.withLock { $0.machine.hasEnded } }

    func send(_ element: Element, isFinal: Bool) {
        perform(state.withLock { $0.machine.send(element, isFinal: isFinal) })
    }

    func finish(throwing error: (any Error)? = nil) {
        for action in state.withLock({ $0.machine.finish(error.map { .failed($0) } ?? .finished) }) { perform(action) }
    }

    func cancel() {
        for action in state.withLock({ $0.machine.cancel() }) { perform(action) }
    }

    func next() async throws -> Element? {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        defer {
            if Task.isCancelled { state.withLock { _ = $0.cancelledEarly.remove(id) } }
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                perform(
                    state.withLock { state in
                        if state.cancelledEarly.remove(id) != nil {
                            return .resume(continuation, with: .success(nil))
                        }
                        return state.machine.next(continuation, id: id)
                    })
            }
        } onCancel: {
            perform(
                state.withLock { state in
                    let action = state.machine.cancelWaiter(id: id)
                    if case .none = action { state.cancelledEarly.insert(id) }
                    return action
                })
        }
    }

    private func perform(_ action: Machine.Action) {
        if case .resume(let continuation, let result) = action { continuation.resume(with: result) }
    }
}
