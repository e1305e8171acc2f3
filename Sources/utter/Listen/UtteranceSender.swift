import Foundation
import Outbox
import System

/// Adds each utterance to the queue for its destinations, in order, and drains the queue meanwhile. A slow disk or network delays
/// nothing else.
final class UtteranceSender: Sendable {
    private let queue: AsyncStream<(capture: CapturedText, id: UUID)>.Continuation
    private let sending: Task<Void, Never>
    private let draining: Task<Void, Never>

    /// Starts to drain the queue.
    ///
    /// - Parameters:
    ///   - delivery: the destinations and the queue.
    ///   - failed: called with the error when an utterance could not be queued.
    init(_ delivery: Delivery, failed: @escaping @Sendable (OutboxError) -> Void) {
        let (utterances, queue) = AsyncStream.makeStream(of: (capture: CapturedText, id: UUID).self)
        self.queue = queue
        let worker = Worker(delivery)
        sending = Task {
            for await utterance in utterances {
                do throws(OutboxError) {
                    try await worker.send(utterance.capture, id: utterance.id)
                } catch {
                    failed(error)
                }
            }
        }
        draining = Task {
            // Utterances that can't be delivered stay in the queue; utter outbox says why.
            _ = try? await OutboxDrainer(store: delivery.store, handlers: delivery.destinations.handlers).run(.watching)
        }
    }

    /// Adds an utterance, which is queued after all earlier ones.
    func add(_ capture: CapturedText, id: UUID) { queue.yield((capture, id)) }

    /// Returns when every utterance is on the disk. Those that have not arrived by then are delivered in the background.
    func finish() async {
        queue.finish()
        await sending.value
        draining.cancel()
        await draining.value
        Delivery.drainInBackground()
    }

    /// Waits for disks on a thread of its own.
    private actor Worker {
        private let executor = SerialDispatchExecutor(label: "utter.delivery", for: .waiting)
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        private let delivery: Delivery

        init(_ delivery: Delivery) { self.delivery = delivery }

        func send(_ capture: CapturedText, id: UUID) throws(OutboxError) { _ = try delivery.keep(capture, id: id) }
    }
}
