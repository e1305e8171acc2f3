import Foundation
import Outbox

/// Counts what is in the queue, by destination, and says what keeps it back. Pure.
struct QueueSummary {
    /// Operations of one destination that are kept back in the same way.
    struct Group: Equatable {
        var count = 0
        /// Since when the first of them is.
        var since = Date.distantFuture
        /// Why the one that was tried last is still there; empty where none was.
        var reason = ""
        fileprivate var lastAttempt = Date.distantPast

        fileprivate mutating func add(since: Date, attempt: Date, reason: String) {
            count += 1
            self.since = min(self.since, since)
            if attempt >= lastAttempt { (lastAttempt, self.reason) = (attempt, reason) }
        }
    }

    /// What waits for one destination.
    struct Destination: Equatable {
        var name: String
        var isKnown: Bool
        /// Those that wait for the user, or for a destination of that name.
        var held = Group()
        var failing = Group()
        /// Those that have not been tried.
        var fresh = Group()
        /// When the next of those that failed is tried, in seconds from now; nil where none has failed.
        var delay: Double?

        var pending: Int { held.count + failing.count + fresh.count }
        /// Why the one that was tried last is still there; empty where none was.
        var reason: String {
            if !isKnown { return "no destination has this name" }
            return failing.lastAttempt >= held.lastAttempt ? failing.reason : held.reason
        }
    }

    /// The text about an empty queue. It does not say that everything arrived, for the user may have cleared it.
    static let emptyText = "nothing is waiting"

    /// In the order of their names.
    var destinations: [Destination] { counts.values.sorted { $0.name < $1.name } }
    private var counts: [String: Destination] = [:]

    /// Counts operations.
    ///
    /// - Parameter isKnown: whether there is a destination with a name.
    init(_ operations: [OutboxOperation], isKnown: (String) -> Bool) {
        let now = Date()
        for operation in operations { add(operation, isKnown: isKnown(operation.destination), now) }
    }

    private mutating func add(_ operation: OutboxOperation, isKnown: Bool, _ now: Date) {
        let name = operation.destination
        var count = counts[name] ?? Destination(name: name, isKnown: isKnown)
        let attempt = operation.lastAttemptAt ?? operation.createdAt
        let reason = operation.lastError ?? "no reason was noted"
        if operation.waitsForUser || !isKnown {
            count.held.add(since: operation.createdAt, attempt: attempt, reason: reason)
        } else if operation.attemptCount > 0 {
            count.failing.add(
                since: operation.firstFailedAt ?? operation.createdAt, attempt: attempt, reason: reason)
            count.delay = min(count.delay ?? .infinity, operation.delay(at: now))
        } else {
            count.fresh.add(since: operation.createdAt, attempt: attempt, reason: "")
        }
        counts[name] = count
    }
}

extension QueueSummary.Destination {
    /// A line such as `work: 2 pending, 1 of them failing: the web hook answered 503; tried again in 5 min`.
    ///
    /// - Parameter isBrought: whether something tries again by itself.
    func line(isBrought: Bool) -> String {
        var line = "\(name): \(pending) pending"
        if failing.count > 0 { line += ", \(failing.count) of them failing" }
        if held.count > 0 { line += ", \(held.count) of them waiting for you" }
        if !reason.isEmpty { line += ": \(reason)" }
        if isBrought, let delay, delay > 0 { line += "; tried again in \(OutboxTable.age(delay.rounded(.up)))" }
        return line
    }
}
