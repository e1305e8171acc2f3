import Foundation

/// The state of the queue while it is drained.
public struct OutboxState: Hashable, Sendable {
    /// A failing operation.
    public struct Failure: Hashable, Sendable {
        /// The name of the operation's destination.
        public var destination: String
        /// When the operation failed for the first time.
        public var since: Date
        /// Why the last attempt failed, as a sentence for people that never holds what was said.
        public var reason: String
    }

    /// The number of operations that have not arrived.
    public var pendingCount = 0
    /// The number of operations that are being tried now.
    public var inFlightCount = 0
    /// The number of operations that wait for their next attempt.
    public var waitingCount = 0
    /// The number of operations that are not tried: they need the user, or there is no handler for their destination.
    public var heldCount = 0
    /// The number of files that can't be decoded and were put aside.
    public var asideCount = 0
    /// Whether another process drains the queue; this one waits until it ends.
    public var isDrainedElsewhere = false
    /// The operation that has failed for the longest time; nil while none fails.
    public var oldestFailure: Failure?

    /// Whether to warn the user: an operation has failed for an hour.
    public func deservesWarning(at now: Date = Date()) -> Bool {
        oldestFailure.map { Self.deservesWarning(since: $0.since, at: now) } ?? false
    }

    /// Whether what has failed, or waited for somebody to bring it, since then has done so for an hour.
    public static func deservesWarning(since: Date, at now: Date) -> Bool { now.timeIntervalSince(since) >= 3600 }
}

/// An event for the log. It never holds what was said.
public enum OutboxEvent: Hashable, Sendable {
    /// An operation arrived, after so many attempts.
    case delivered(id: UUID, destination: String, attempts: Int)
    /// An attempt failed; the next follows after `delay` seconds.
    case failed(id: UUID, destination: String, reason: String, attempts: Int, delay: Double)
    /// An attempt failed; no further one follows before the user does something.
    case needsUser(id: UUID, destination: String, reason: String)
    /// There is no handler for the operation's destination.
    case unknownDestination(id: UUID, destination: String)
    /// An operation's file can't be decoded and was put aside.
    case putAside(id: UUID)
    /// Another process drains the queue; this one waits until it ends.
    case isDrainedElsewhere
    /// The queue's folder could not be read or written; this is tried again.
    case storeFailed(OutboxError)
}

/// The operations that have failed, and which of them has failed for the longest time.
struct FailureLedger {
    private struct Entry: Comparable {
        var since: Date
        var id: UUID

        static func < (one: Entry, other: Entry) -> Bool {
            (one.since, one.id.halves.high) < (other.since, other.id.halves.high)
        }
    }

    private var failures: [UUID: OutboxState.Failure] = [:]
    private var order = Heap<Entry>()

    mutating func failed(_ id: UUID, _ failure: OutboxState.Failure) {
        if failures[id]?.since != failure.since { order.insert(Entry(since: failure.since, id: id)) }
        failures[id] = failure
    }

    mutating func cleared(_ id: UUID) { failures[id] = nil }

    mutating func oldest() -> OutboxState.Failure? {
        while let first = order.min {
            if let failure = failures[first.id], failure.since == first.since { return failure }
            _ = order.popMin()
        }
        return nil
    }
}
