import Audio
import Speech
import Synchronization

/// The input of an analyzer from a microphone that may be paused: several captures, one after another, as one stream. A pause takes
/// no time in it.
final class LiveInput: AsyncSequence, Sendable {
    typealias Element = AnalyzerInput

    private struct State {
        var waiting: [any Blocks] = []
        var isFinished = false
        var waiter: CheckedContinuation<(any Blocks)?, Never>?
    }

    typealias Blocks = AsyncSequence<AudioBlock, any Error> & Sendable

    private let state = Mutex(State())
    /// Called when a capture has ended, with the error if it failed. The stream goes on.
    private let captureEnded: @Sendable ((any Error)?) -> Void

    init(captureEnded: @escaping @Sendable ((any Error)?) -> Void) { self.captureEnded = captureEnded }

    func append(_ blocks: any Blocks) {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            if state.waiter == nil { state.waiting.append(blocks) }
            return state.waiter
        }
        waiter?.resume(returning: blocks)
    }

    /// Ends the stream after the last capture that was added.
    func finish() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            state.isFinished = true
            return state.waiter
        }
        waiter?.resume(returning: nil)
    }

    private func nextBlocks() async -> (any Blocks)? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isThere, next) = state.withLock { state -> (Bool, (any Blocks)?) in
                    if !state.waiting.isEmpty { return (true, state.waiting.removeFirst()) }
                    if state.isFinished || Task.isCancelled { return (true, nil) }
                    state.waiter = continuation
                    return (false, nil)
                }
                if isThere { continuation.resume(returning: next) }
            }
        } onCancel: {
            finish()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(input: self) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let input: LiveInput
        private var blocks: (any AsyncIteratorProtocol<AudioBlock, any Error>)?
        /// The position in the stream, in samples.
        private var position: Int64 = 0
        /// The position at which the present capture began, in samples.
        private var start: Int64 = 0

        fileprivate init(input: LiveInput) { self.input = input }

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
                guard let next = await input.nextBlocks() else { return nil }
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
