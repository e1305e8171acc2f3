import Foundation
import Outbox
import System

/// Adds each utterance to a queue, in order. A slow disk or network delays nothing else.
final class UtteranceSender: Sendable {
    enum Utterance: Sendable {
        case text(CapturedText)
        /// The text before is not meant.
        case takeBack
        /// What may be said next, in place of the guess before; empty for nothing.
        case guess(String)
    }

    /// Puts an utterance into the queue, and returns when it is on the disk.
    typealias Keep = @Sendable (_ utterance: Utterance, _ id: UUID) throws(OutboxError) -> Void

    private let queue: AsyncStream<(utterance: Utterance, id: UUID)>.Continuation
    /// Whether the text goes into a window, where blank text counts and what was typed can be taken back.
    let types: Bool
    let takesGuesses: Bool
    private let sending: Task<Void, Never>
    /// Ends the draining of the queue when all is in it, and tells what could not be brought so far; nil where another process drains it.
    private let endDraining: (@Sendable () async -> Void)?
    /// How long the attempts that are under way at the end may take: what one has brought already would be brought again.
    private static let patience = Duration.seconds(5)

    /// Creates a sender to destinations, and starts to drain their queue. A warning says what waits in the queue, and why.
    convenience init(
        _ delivery: Delivery, notes: MarkdownVault.Location, warn: @escaping @Sendable (String) -> Void,
        failed: @escaping @Sendable (OutboxError) -> Void
    ) {
        let (end, mailbox) = AsyncStream.makeStream(of: Never.self)
        let draining = Task {
            // Utterances that can't be delivered stay in the queue; utter outbox says why.
            _ = try? await Draining.run(.watching, delivery.store, notes: notes, until: end)
        }
        let endDraining = { @Sendable in
            mailbox.finish()
            let waiting = Task { if (try? await Task.sleep(for: Self.patience)) != nil { draining.cancel() } }
            await draining.value
            waiting.cancel()
            if let remark = delivery.remark { warn(remark) }
            Delivery.drainInBackground()
        }
        self.init(
            keep: { utterance, id throws(OutboxError) in
                if case .text(let capture) = utterance { _ = try delivery.keep(capture, id: id) }
            }, types: false, endDraining: endDraining, failed: failed)
    }

    /// Creates a sender to a queue, by default that of the texts that another process types.
    ///
    /// - Parameter keep: puts an utterance into the queue. It is called for one after another, on a thread that may wait.
    init(
        keep: @escaping Keep, takesGuesses: Bool = false, types: Bool = true,
        endDraining: (@Sendable () async -> Void)? = nil, failed: @escaping @Sendable (OutboxError) -> Void
    ) {
        (self.endDraining, self.types, self.takesGuesses) = (endDraining, types, takesGuesses)
        let (utterances, queue) = AsyncStream.makeStream(of: (utterance: Utterance, id: UUID).self)
        self.queue = queue
        // It waits for disks on a thread of its own.
        sending = Task(executorPreference: SerialDispatchExecutor(label: "utter.delivery", for: .waiting).tasks) {
            for await utterance in utterances {
                do throws(OutboxError) {
                    try keep(utterance.utterance, utterance.id)
                } catch {
                    failed(error)
                }
            }
        }
    }

    /// Adds an utterance, which is queued after all earlier ones.
    func add(_ utterance: Utterance, id: UUID) { queue.yield((utterance, id)) }

    /// Returns when every utterance is on the disk. Those that have not arrived by then are delivered in the background.
    func finish() async {
        queue.finish()
        await sending.value
        await endDraining?()
    }
}
