/// The states of a sequence of results, without locks and continuations: events go in, actions come out.
///
/// Finals wait for the consumer however slow it is. Of volatile results only the newest waits, since each replaces the one
/// before; so what waits is bounded by what was said.
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

    /// A result has come.
    mutating func send(_ element: Element, isFinal: Bool) -> Action {
        if end != nil { return .none }
        if !waiting.isEmpty { return .resume(waiting.removeFirst().waiter, with: .success(element)) }
        if let last = buffer.last, !last.isFinal { buffer.removeLast() }
        buffer.append((element, isFinal))
        return .none
    }

    /// No more results will come; those that wait are still delivered.
    mutating func finish(_ end: End) -> [Action] {
        if self.end != nil { return [] }
        self.end = end
        defer { waiting = [] }
        // The failure is told once, to whoever asks first.
        return waiting.map { .resume($0.waiter, with: outcomeAtEnd()) }
    }

    /// No more results, and none of those that wait.
    mutating func cancel() -> [Action] {
        buffer = []
        if end != nil {
            end = .finished
            return []
        }
        return finish(.finished)
    }

    /// A consumer asks for the next result.
    mutating func next(_ waiter: Waiter, id: Int) -> Action {
        if let first = buffer.popFirst() { return .resume(waiter, with: .success(first.element)) }
        if end != nil { return .resume(waiter, with: outcomeAtEnd()) }
        waiting.append((id, waiter))
        return .none
    }

    /// The task of a consumer that waits was cancelled.
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
