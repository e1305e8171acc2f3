/// The captured sound, block by block. Each block has its position in the capture; a position after the end of the
/// previous block means that the samples between were lost.
///
/// The sequence is for one reader at a time: a second reader continues where the first one stopped.
///
/// After the tap stops, the sequence continues to the last captured sample and ends. If the device is lost, it
/// continues to the last captured sample and then throws a `CaptureError`. Releasing the tap stops the capture; the
/// samples captured until then can still be read.
public struct CaptureBlocks: AsyncSequence, Sendable {
    public typealias Element = AudioBlock
    public typealias Failure = any Error

    let session: CaptureSession

    /// Makes an iterator that continues where the last reader stopped.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(session: session)
    }

    /// The iterator over the blocks of a capture.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let session: CaptureSession

        /// Returns the samples captured since the last block, at most one second of them, or `nil` at the end. Waits
        /// until there is at least one.
        ///
        /// - Throws: `CaptureError` after the last block if the device was lost; `CancellationError`.
        public mutating func next() async throws -> AudioBlock? {
            while true {
                try Task.checkCancellation()
                // Read the end before the ring: if it is set, the ring already holds the last sample.
                let end = session.end
                if let block = session.nextBlock() { return block }
                if let end {
                    if let error = CaptureError(end, device: session.configuration.device) { throw error }
                    return nil
                }
                await session.wakeUp.wait()
            }
        }
    }
}
