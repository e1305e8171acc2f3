/// What a tap hears, block by block, each where it stands in the capture: a position behind the end of the block before says that
/// the samples between are lost. For one reader at a time: another goes on where the one before stopped.
///
/// After the tap has stopped the sequence goes on to the last sample that was captured, and ends. When the device is lost it
/// goes on as far, and throws a `CaptureError` then. Dropping the tap ends the capture; the rest can still be read.
public struct CaptureBlocks: AsyncSequence, Sendable {
    public typealias Element = AudioBlock
    public typealias Failure = any Error

    let session: CaptureSession

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(session: session)
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let session: CaptureSession

        /// The samples since the last block, as soon as there are any; at most a second of them.
        ///
        /// - Throws: `CaptureError`, behind the last block; `CancellationError`.
        public mutating func next() async throws -> AudioBlock? {
            while true {
                try Task.checkCancellation()
                // Looked at before the ring: what is in there then is all there will be.
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
