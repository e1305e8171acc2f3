import Synchronization

/// The results of a module that wait for a consumer.
///
/// All final results wait, however slow the consumer is. Of the volatile results only the newest waits, since each
/// replaces the previous one, so the amount of speech limits what waits.
final class ResultStorage<Element: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Element?, any Error>

    private struct State {
        var buffer: ArraySlice<(element: Element, isFinal: Bool)> = []
        var waiting: [(id: Int, waiter: Waiter)] = []
        var lastID = 0
        var hasEnded = false
        /// The error that has ended the sequence, for the first consumer that asks.
        var failure: (any Error)?

        mutating func outcomeAtEnd() -> Result<Element?, any Error> {
            defer { failure = nil }
            return failure.map { .failure($0) } ?? .success(nil)
        }
    }

    private let state = Mutex(State())

    func send(_ element: Element, isFinal: Bool) {
        let waiter = state.withLock { state -> Waiter? in
            if state.hasEnded { return nil }
            if !state.waiting.isEmpty { return state.waiting.removeFirst().waiter }
            if state.buffer.last?.isFinal == false { state.buffer.removeLast() }
            state.buffer.append((element, isFinal))
            return nil
        }
        waiter?.resume(returning: element)
    }

    /// Ends the sequence; the results that wait are still delivered.
    func finish(throwing error: (any Error)? = nil) { end(error) }

    /// Ends the sequence and drops the results that wait. Does nothing if it has ended: those results remain for their consumer.
    func cancel() { end(nil) { $0.buffer = [] } }

    private func end(_ error: (any Error)?, _ change: (inout State) -> Void = { _ in }) {
        let waiting = state.withLock { state -> [(Waiter, Result<Element?, any Error>)] in
            if state.hasEnded { return [] }
            change(&state)
            (state.hasEnded, state.failure) = (true, error)
            defer { state.waiting = [] }
            return state.waiting.map { ($0.waiter, state.outcomeAtEnd()) }
        }
        for (waiter, outcome) in waiting { waiter.resume(with: outcome) }
    }

    /// Returns the next result, or `nil` at the end and when the task is cancelled. Waits until there is one.
    func next() async throws -> Element? {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let outcome = state.withLock { state -> Result<Element?, any Error>? in
                    // A later cancellation finds the waiter.
                    if Task.isCancelled { return .success(nil) }
                    if let first = state.buffer.popFirst() { return .success(first.element) }
                    if state.hasEnded { return state.outcomeAtEnd() }
                    state.waiting.append((id, waiter))
                    return nil
                }
                if let outcome { waiter.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).waiter }
            }
            waiter?.resume(returning: nil)
        }
    }
}
