import Foundation
import Outbox

/// Counts what is in the queue, by destination, and says what keeps it back. Pure.
struct QueueSummary {
    /// What waits for one destination.
    struct Destination: Equatable {
        var name: String
        var pending = 0
        /// How many have failed and are tried again.
        var failing = 0
        /// How many wait for the user, or for a destination of that name.
        var held = 0
        /// Why the one that was tried last is still there; empty where none was.
        var reason = ""
        /// When the next of those that failed is tried, in seconds from now; nil where none has failed.
        var delay: Double?
        fileprivate var lastAttempt = Date.distantPast
    }

    /// In the order of their names.
    var destinations: [Destination] { counts.values.sorted { $0.name < $1.name } }
    private var counts: [String: Destination] = [:]

    /// Counts an operation.
    ///
    /// - Parameters:
    ///   - operation: the operation.
    ///   - isKnown: whether there is a destination with its name.
    ///   - now: the time by the present clock.
    mutating func add(_ operation: OutboxOperation, isKnown: Bool, now: Date = Date()) {
        var count = counts[operation.destination] ?? Destination(name: operation.destination)
        count.pending += 1
        if operation.waitsForUser || !isKnown {
            count.held += 1
        } else if operation.attemptCount > 0 {
            count.failing += 1
            count.delay = min(count.delay ?? .infinity, operation.delay(at: now))
        }
        if !isKnown {
            count.reason = "no destination has this name"
        } else if operation.attemptCount > 0 || operation.waitsForUser {
            let attempt = operation.lastAttemptAt ?? operation.createdAt
            if attempt >= count.lastAttempt {
                (count.lastAttempt, count.reason) = (attempt, operation.lastError ?? "no reason was noted")
            }
        }
        counts[operation.destination] = count
    }
}

extension QueueSummary.Destination {
    /// A line such as `work: 2 pending, 1 of them failing: the web hook answered 503; tried again in 5 min`.
    ///
    /// - Parameter isBrought: whether something tries again by itself.
    func line(isBrought: Bool) -> String {
        var line = "\(name): \(pending) pending"
        if failing > 0 { line += ", \(failing) of them failing" }
        if held > 0 { line += ", \(held) of them waiting for you" }
        if !reason.isEmpty { line += ": \(reason)" }
        if isBrought, let delay, delay > 0 { line += "; tried again in \(OutboxTable.age(delay.rounded(.up)))" }
        return line
    }
}
