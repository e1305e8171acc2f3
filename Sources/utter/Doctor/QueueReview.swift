import Foundation
import Outbox

/// What is to be said of the operations in the queue, destination by destination. Pure.
struct QueueReview {
    private struct Destination {
        var isKnown: Bool
        /// Since the user must do something.
        var heldCount = 0
        var heldReason = ""
        /// Tried in vain, and to be tried again.
        var failingCount = 0
        var failingSince = Date.distantFuture
        var lastFailure = Date.distantPast
        var failingReason = ""
        /// Not tried yet.
        var freshCount = 0
        var freshSince = Date.distantFuture
    }

    /// How long what is new may wait, in seconds, before nobody seems to bring it.
    private static let patience = 3600.0

    /// Of an empty queue. What was in it may have been thrown away.
    static let emptyText = "nothing is waiting"

    private var destinations: [String: Destination] = [:]

    mutating func add(_ operation: OutboxOperation, isKnown: Bool) {
        var destination = destinations[operation.kind] ?? Destination(isKnown: isKnown)
        let reason = operation.lastError ?? "no reason was noted"
        if operation.waitsForUser {
            destination.heldCount += 1
            destination.heldReason = reason
        } else if operation.attemptCount > 0 {
            destination.failingCount += 1
            destination.failingSince = min(destination.failingSince, operation.firstFailedAt ?? operation.createdAt)
            let attempt = operation.lastAttemptAt ?? operation.createdAt
            if attempt >= destination.lastFailure { (destination.lastFailure, destination.failingReason) = (attempt, reason) }
        } else {
            destination.freshCount += 1
            destination.freshSince = min(destination.freshSince, operation.createdAt)
        }
        destinations[operation.kind] = destination
    }

    /// - Parameters:
    ///   - asideCount: how many files could not be read.
    ///   - folder: of the queue.
    ///   - destinationsPath: the file that says which destinations there are.
    func findings(asideCount: Int, folder: String, destinationsPath: String, now: Date) -> [Finding] {
        let subject = "outbox"
        var findings = destinations.sorted { $0.key < $1.key }.flatMap { name, destination in
            Self.problems(name, destination, destinationsPath, now).map { Finding.lacking(subject, $0.words, $0.mend) }
        }
        if asideCount > 0 {
            let place = folder + "/aside"
            findings.append(
                .lacking(
                    subject, "\(asideCount) can't be read by this version of utter, and \(asideCount == 1 ? "is" : "are") kept in \(place)",
                    [
                        .act("a newer version may read them; if there is none, take them out of the queue and look into them:"),
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
                .act("mend what it says, and then:"), .run("utter outbox retry --all"), .run("utter outbox drain"),
            ]
            problems.append(("\(name): \(destination.heldCount) waiting for you: \(destination.heldReason)", steps))
        }
        if destination.failingCount > 0 {
            let since = destination.failingSince.formatted(.iso8601)
            let words = "\(name): \(destination.failingCount) failing since \(since): \(destination.failingReason)"
            problems.append((words, [.act("they are tried again by themselves; to try now:"), .run("utter outbox drain")]))
        }
        if destination.freshCount > 0, now.timeIntervalSince(destination.freshSince) > patience {
            let since = destination.freshSince.formatted(.iso8601)
            problems.append(
                ("\(name): \(destination.freshCount) waiting since \(since), and nothing brings them", [.run("utter outbox drain")]))
        }
        return problems
    }
}
