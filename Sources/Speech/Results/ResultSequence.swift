/// The results of a module, in order. The sequence ends after the analyzer finishes, and throws if the module fails.
///
/// Each result goes to one consumer: a second iterator shares the results with the first, and does not repeat them. A
/// consumer that is slow or stops delays nothing: all final results wait for it, and of the volatile results the
/// newest. If the consumer's task is cancelled, its iteration ends, and the remaining results stay for another
/// consumer.
public struct ResultSequence<Element: Sendable>: AsyncSequence, Sendable {
    let storage: ResultStorage<Element>

    /// The iterator over the results of a module.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let storage: ResultStorage<Element>

        /// Returns the next result, or `nil` at the end. Waits until there is one.
        ///
        /// - Throws: the error that ended the module, once.
        public mutating func next() async throws -> Element? {
            try await storage.next()
        }
    }

    /// Makes an iterator that shares the results with all others.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(storage: storage) }
}
