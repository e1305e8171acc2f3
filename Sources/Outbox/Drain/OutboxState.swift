import Foundation

/// How the queue is.
public struct OutboxState: Hashable, Sendable {
    /// What fails, and since when.
    public struct Failure: Hashable, Sendable {
        /// The destination.
        public var kind: String
        /// When the operation that has failed for longest failed first.
        public var since: Date
        /// For people, without what was said.
        public var reason: String
    }

    /// All that have not arrived.
    public var pendingCount = 0
    /// Being tried now.
    public var inFlightCount = 0
    /// To be tried again by themselves.
    public var waitingCount = 0
    /// Those that the user must do something about, and those whose kind nobody here knows.
    public var heldCount = 0
    /// Files that no version that has run could read.
    public var asideCount = 0
    /// Another process brings them; this one waits for its end.
    public var isDrainedElsewhere = false
    /// Nil while nothing fails.
    public var oldestFailure: Failure?

    /// Whether the user should be told: something has failed for an hour.
    public func deservesWarning(at now: Date = Date()) -> Bool {
        oldestFailure.map { now.timeIntervalSince($0.since) >= 3600 } ?? false
    }
}

/// Something that the journal is told of. Never what was said.
public enum OutboxEvent: Hashable, Sendable {
    case delivered(id: UUID, kind: String, attempts: Int)
    /// It will be tried again after so many seconds.
    case failed(id: UUID, kind: String, reason: String, attempts: Int, delay: Double)
    case needsUser(id: UUID, kind: String, reason: String)
    /// No handler is configured for its kind.
    case unknownKind(id: UUID, kind: String)
    /// Its file can't be decoded and was put aside.
    case putAside(id: UUID)
    /// Another process drains; this one waits for its end.
    case isDrainedElsewhere
    /// The queue itself could not be read or written; it will be tried again.
    case storeFailed(OutboxError)
}

/// Which operations have failed, and which of them for longest.
struct FailureLedger {
    private struct Entry: Comparable {
        var since: Date
        var id: UUID

        static func < (one: Entry, other: Entry) -> Bool { (one.since, one.id.halves.high) < (other.since, other.id.halves.high) }
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
