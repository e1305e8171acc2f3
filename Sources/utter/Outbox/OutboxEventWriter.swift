import Foundation
import Glibc
import Outbox
import Synchronization
import System

/// Writes each event in the queue to standard output as a JSON object, without the text that was said.
final class OutboxEventWriter: Sendable {
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
            _ event: String, _ id: UUID? = nil, _ destination: String? = nil, _ reason: String? = nil,
            attempts: Int? = nil,
            delay: Double? = nil
        ) -> String {
            JSONValue.object([
                "event": event, "id": id?.name, "destination": destination, "attempts": attempts,
                "nextInSeconds": delay.map(JSONValue.seconds), "reason": reason,
            ]).json
        }
        return switch event {
        case .delivered(let id, let destination, let attempts): object("delivered", id, destination, attempts: attempts)
        case .failed(let id, let destination, let reason, let attempts, let delay):
            object("failed", id, destination, reason, attempts: attempts, delay: delay)
        case .needsUser(let id, let destination, let reason): object("needsUser", id, destination, reason)
        case .unknownDestination(let id, let destination): object("unknownDestination", id, destination)
        case .putAside(let id): object("putAside", id)
        case .isDrainedElsewhere: object("drainedElsewhere")
        case .storeFailed(let error): object("storeFailed", nil, nil, error.description)
        }
    }
}
