import Audio
import Foundation
import Outbox

/// Puts each utterance into the queue for its destinations, one after another, in order, and brings them there meanwhile. A slow
/// disk or network holds nothing else up.
final class UtteranceSender: Sendable {
    private let queue: AsyncStream<(capture: Capture, id: UUID)>.Continuation
    private let sending: Task<Void, Never>
    private let draining: Task<Void, Never>

    /// - Parameter failed: told why an utterance could not be queued.
    init(_ delivery: Delivery, failed: @escaping @Sendable (OutboxError) -> Void) {
        let (utterances, queue) = AsyncStream.makeStream(of: (capture: Capture, id: UUID).self)
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
            // What can't be brought stays in the queue; utter outbox tells why.
            _ = try? await OutboxDrainer(store: delivery.store, handlers: delivery.destinations.handlers).run(.watching)
        }
    }

    /// Adds an utterance behind those before it.
    func add(_ capture: Capture, id: UUID) { queue.yield((capture, id)) }

    /// Returns when every utterance is on the disk for good. What has not arrived by then is brought in the background.
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

        func send(_ capture: Capture, id: UUID) throws(OutboxError) { _ = try delivery.send(capture, id: id) }
    }
}
