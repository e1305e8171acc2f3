import Foundation
import Glibc
import Outbox
import Synchronization
import System

/// Writes each event in the queue to standard output as a JSON object, without the text that was said.
final class OutboxEvents: Sendable {
    private let failure = Atomic<Int32>(0)

    func tell(_ event: OutboxEvent) {
        let code = Descriptor.write(Self.json(event) + "\n", to: STDOUT_FILENO)
        if code != 0 { failure.store(code, ordering: .relaxed) }
    }

    /// Throws if an event could not be written. Draining does not stop for that, so the caller checks at the end.
    func check() throws(CommandError) {
        let code = failure.load(ordering: .relaxed)
        if code != 0 { throw Output.failure(code) }
    }

    private static func json(_ event: OutboxEvent) -> String {
        func object(
            _ event: String, _ id: UUID? = nil, _ kind: String? = nil, _ reason: String? = nil, attempts: Int? = nil,
            delay: Double? = nil
        ) -> String {
            JSONWriter.object([
                "event": JSONWriter.string(event), "id": id.map { JSONWriter.string($0.name) },
                "destination": kind.map(JSONWriter.string), "attempts": attempts.map(String.init),
                "nextInSeconds": delay.map(JSONWriter.seconds), "reason": reason.map(JSONWriter.string),
            ])
        }
        return switch event {
        case .delivered(let id, let kind, let attempts): object("delivered", id, kind, attempts: attempts)
        case .failed(let id, let kind, let reason, let attempts, let delay):
            object("failed", id, kind, reason, attempts: attempts, delay: delay)
        case .needsUser(let id, let kind, let reason): object("needsUser", id, kind, reason)
        case .unknownKind(let id, let kind): object("unknownDestination", id, kind)
        case .putAside(let id): object("putAside", id)
        case .isDrainedElsewhere: object("drainedElsewhere")
        case .storeFailed(let error): object("storeFailed", nil, nil, error.description)
        }
    }
}
