/// The results of a module, in order, as they come. It ends after a finish of the analyzer, and throws what went wrong in
/// the module.
///
/// Each result goes to one consumer: a second iterator shares the results with the first, it does not repeat them. A consumer
/// that is slow, or stops, holds nothing up: finals wait for it, of volatile results the newest does. When the consumer's task is
/// cancelled its iteration ends; the results stay for another.
public struct ResultSequence<Element: Sendable>: AsyncSequence, Sendable {
    let storage: ResultStorage<Element>

    public struct AsyncIterator: AsyncIteratorProtocol {
        let storage: ResultStorage<Element>

        public mutating func next() async throws -> Element? {
            try await storage.next()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(storage: storage) }
}
