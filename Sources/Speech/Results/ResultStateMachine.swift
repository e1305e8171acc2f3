/// The states of a sequence of results, without locks and continuations: its methods are events and return actions.
///
/// All final results wait for the consumer, however slow it is. Of the volatile results only the newest waits, since
/// each replaces the previous one, so the amount of speech limits what waits.
struct ResultStateMachine<Element: Sendable, Waiter: Sendable> {
    enum End: Sendable {
        case finished
        case failed(any Error)
    }

    enum Action: Sendable {
        case none
        case resume(Waiter, with: Result<Element?, any Error>)
    }

    private var waiting: [(id: Int, waiter: Waiter)] = []
    private var buffer: ArraySlice<(element: Element, isFinal: Bool)> = []
    private var end: End?

    var hasEnded: Bool { end != nil }

    /// Adds a result.
    mutating func send(_ element: Element, isFinal: Bool) -> Action {
        if end != nil { return .none }
        if !waiting.isEmpty { return .resume(waiting.removeFirst().waiter, with: .success(element)) }
        if let last = buffer.last, !last.isFinal { buffer.removeLast() }
        buffer.append((element, isFinal))
        return .none
    }

    /// Ends the sequence; the results that wait are still delivered.
    mutating func finish(_ end: End) -> [Action] {
        if self.end != nil { return [] }
        self.end = end
        defer { waiting = [] }
        // Only the first consumer that asks gets the failure.
        return waiting.map { .resume($0.waiter, with: outcomeAtEnd()) }
    }

    /// Ends the sequence and drops the results that wait.
    mutating func cancel() -> [Action] {
        buffer = []
        if end != nil {
            end = .finished
            return []
        }
        return finish(.finished)
    }

    /// Handles a consumer's request for the next result.
    mutating func next(_ waiter: Waiter, id: Int) -> Action {
        if let first = buffer.popFirst() { return .resume(waiter, with: .success(first.element)) }
        if end != nil { return .resume(waiter, with: outcomeAtEnd()) }
        waiting.append((id, waiter))
        return .none
    }

    /// Handles the cancellation of a consumer's task.
    mutating func cancelWaiter(id: Int) -> Action {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return .none }
        return .resume(waiting.remove(at: index).waiter, with: .success(nil))
    }

    private mutating func outcomeAtEnd() -> Result<Element?, any Error> {
        defer { end = .finished }
        if case .failed(let error) = end { return .failure(error) }
        return .success(nil)
    }
}
