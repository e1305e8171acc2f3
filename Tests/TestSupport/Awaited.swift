import Synchronization

/// A state that others change and a test waits for.
package final class Awaited<State: Sendable>: Sendable {
    private struct Content {
        var state: State
        var waiters: [(isSo: @Sendable (State) -> Bool, continuation: CheckedContinuation<State, Never>)] = []
    }

    private let content: Mutex<Content>

    package init(_ state: State) { content = Mutex(Content(state: state)) }

    package var state: State { content.withLock { $0.state } }

    /// Reads or changes the state, and lets those go on who have waited for what it is now.
    @discardableResult
    package func withLock<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, state, due) = content.withLock { content in
            let value = body(&content.state)
            let place = content.waiters.partition { [state = content.state] in $0.isSo(state) }
            let due = content.waiters[place...].map(\.continuation)
            content.waiters.removeSubrange(place...)
            return (value, content.state, due)
        }
        for continuation in due { continuation.resume(returning: state) }
        return value
    }

    /// Returns the first state that is so: that of now, or of after a change.
    @discardableResult
    package func wait(until isSo: @escaping @Sendable (State) -> Bool) async -> State {
        await withCheckedContinuation { continuation in
            let state = content.withLock { content -> State? in
                if isSo(content.state) { return content.state }
                content.waiters.append((isSo, continuation))
                return nil
            }
            if let state { continuation.resume(returning: state) }
        }
    }
}
