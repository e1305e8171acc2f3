import Audio
import Speech

/// The input of an analyzer from a microphone that may be paused: several captures, one after another, as one stream. A pause takes
/// no time in it.
final class LiveInput: AsyncSequence, Sendable {
    typealias Element = AnalyzerInput

    typealias Blocks = AsyncSequence<AudioBlock, any Error> & Sendable

    private let captures: AsyncStream<any Blocks>
    private let adding: AsyncStream<any Blocks>.Continuation
    /// Called when a capture has ended, with the error if it failed. The stream goes on.
    private let captureEnded: @Sendable ((any Error)?) -> Void

    init(captureEnded: @escaping @Sendable ((any Error)?) -> Void) {
        (captures, adding) = AsyncStream.makeStream()
        self.captureEnded = captureEnded
    }

    func append(_ blocks: any Blocks) { adding.yield(blocks) }

    /// Ends the stream after the last capture that was added.
    func finish() { adding.finish() }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(input: self) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let input: LiveInput
        private var captures: AsyncStream<any Blocks>.Iterator
        private var blocks: (any AsyncIteratorProtocol<AudioBlock, any Error>)?
        /// The position in the stream, in samples.
        private var position: Int64 = 0
        /// The position at which the present capture began, in samples.
        private var start: Int64 = 0

        fileprivate init(input: LiveInput) { (self.input, captures) = (input, input.captures.makeAsyncIterator()) }

        mutating func next() async -> AnalyzerInput? {
            while true {
                if var present = blocks {
                    do {
                        let block = try await present.next()
                        blocks = present
                        if let block { return stamped(block) }
                        input.captureEnded(nil)
                    } catch is CancellationError {
                        return nil
                    } catch {
                        input.captureEnded(error)
                    }
                    blocks = nil
                }
                guard let next = await captures.next() else { return nil }
                blocks = Self.iterator(next)
                start = position
            }
        }

        private static func iterator(_ blocks: some Blocks) -> any AsyncIteratorProtocol<AudioBlock, any Error> {
            blocks.makeAsyncIterator()
        }

        private mutating func stamped(_ block: AudioBlock) -> AnalyzerInput {
            var block = block
            let place = block.position.map { start + $0 } ?? position
            position = place + Int64(block.samples.count)
            block.position = place
            return AnalyzerInput(buffer: block)
        }
    }
}
