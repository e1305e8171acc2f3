import Foundation
import Outbox

/// Collects the findings about the operations in the queue, by destination. Pure.
struct QueueReview {
    private struct Destination {
        var isKnown: Bool
        /// The number of operations that need the user.
        var heldCount = 0
        var heldReason = ""
        /// The number of operations that failed and will be tried again.
        var failingCount = 0
        var failingSince = Date.distantFuture
        var lastFailure = Date.distantPast
        var failingReason = ""
        /// The number of operations that have not been tried.
        var freshCount = 0
        var freshSince = Date.distantFuture
    }

    /// The text about an empty queue. It does not say that everything arrived, for the user may have cleared it.
    static let emptyText = "nothing is waiting"

    private var destinations: [String: Destination] = [:]

    /// Counts an operation.
    ///
    /// - Parameters:
    ///   - operation: the operation.
    ///   - isKnown: whether there is a destination with its name.
    mutating func add(_ operation: OutboxOperation, isKnown: Bool) {
        var destination = destinations[operation.destination] ?? Destination(isKnown: isKnown)
        let reason = operation.lastError ?? "no reason was noted"
        if operation.waitsForUser {
            destination.heldCount += 1
            destination.heldReason = reason
        } else if operation.attemptCount > 0 {
            destination.failingCount += 1
            destination.failingSince = min(destination.failingSince, operation.firstFailedAt ?? operation.createdAt)
            let attempt = operation.lastAttemptAt ?? operation.createdAt
            if attempt >= destination.lastFailure {
                (destination.lastFailure, destination.failingReason) = (attempt, reason)
            }
        } else {
            destination.freshCount += 1
            destination.freshSince = min(destination.freshSince, operation.createdAt)
        }
        destinations[operation.destination] = destination
    }

    /// The findings about all operations that were added.
    ///
    /// - Parameters:
    ///   - asideCount: the number of files that were put aside.
    ///   - folder: the path of the queue's folder.
    ///   - destinationsPath: the path of the file that configures the destinations.
    ///   - now: the current time.
    func findings(asideCount: Int, folder: String, destinationsPath: String, now: Date) -> [Finding] {
        let subject = "outbox"
        var findings = destinations.sorted { $0.key < $1.key }.flatMap { name, destination in
            Self.problems(name, destination, destinationsPath, now).map { Finding.lacking(subject, $0.words, $0.mend) }
        }
        if asideCount > 0 {
            let place = folder + "/aside"
            findings.append(
                .lacking(
                    subject,
                    "\(asideCount) can't be read by this version of utter, and \(asideCount == 1 ? "is" : "are") kept in \(place)",
                    [
                        .act(
                            "a newer version may read them; if there is none, take them out of the queue and look into them:"
                        ),
                        .run("mv \(ShellWord.quoted(place)) ~/utter-aside"),
                    ]))
        }
        if !findings.isEmpty { return findings }
        let count = destinations.values.reduce(0) { $0 + $1.freshCount }
        return [.fine(subject, count == 0 ? Self.emptyText : "\(count) on the way")]
    }

    private static func problems(
        _ name: String, _ destination: Destination, _ destinationsPath: String, _ now: Date
    ) -> [(words: String, mend: [Finding.Step])] {
        if !destination.isKnown {
            let count = destination.heldCount + destination.failingCount + destination.freshCount
            let steps = [
                Surroundings.edit(destinationsPath),
                .act(
                    "give a destination that name again, or bring them elsewhere: utter outbox move --from \(ShellWord.quoted(name)) --to "
                        + "DESTINATION; or throw them away: utter outbox list, utter outbox clear ID"),
            ]
            return [("\(name): \(count), and no destination has that name", steps)]
        }
        var problems: [(String, [Finding.Step])] = []
        if destination.heldCount > 0 {
            let steps: [Finding.Step] = [
                .act("mend what it says, and then:"), .run("utter outbox retry --all --no-drain"),
                .run("utter outbox drain"),
            ]
            problems.append(("\(name): \(destination.heldCount) waiting for you: \(destination.heldReason)", steps))
        }
        if destination.failingCount > 0 {
            // The clock may have been set back since.
            let since = min(destination.failingSince, now).formatted(.iso8601)
            let words = "\(name): \(destination.failingCount) failing since \(since): \(destination.failingReason)"
            problems.append(
                (
                    words,
                    [
                        .act("each is tried again by a drain after its delay; to try now:"),
                        .run("utter outbox retry --all --no-drain"),
                        .run("utter outbox drain"),
                    ]
                ))
        }
        if destination.freshCount > 0, Delivery.isLong(since: destination.freshSince, at: now) {
            let since = destination.freshSince.formatted(.iso8601)
            problems.append(
                (
                    "\(name): \(destination.freshCount) waiting since \(since), and nothing brings them",
                    [.run("utter outbox drain")]
                ))
        }
        return problems
    }
}
