import Foundation
import Outbox

/// The doctor's findings about the operations in the queue, by destination.
extension QueueSummary {
    func findings(asideCount: Int, folder: String, destinationsPath: String, now: Date) -> [Finding] {
        let subject = "outbox"
        var findings = destinations.flatMap { destination in
            Self.problems(destination, destinationsPath, now).map { Finding.lacking(subject, $0.words, $0.mend) }
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
        let count = destinations.reduce(0) { $0 + $1.fresh.count }
        return [.fine(subject, count == 0 ? Self.emptyText : "\(count) on the way")]
    }

    private static func problems(
        _ destination: Destination, _ destinationsPath: String, _ now: Date
    ) -> [(words: String, mend: [Finding.Step])] {
        let name = destination.name
        if !destination.isKnown {
            let steps = [
                Surroundings.edit(destinationsPath),
                .act(
                    "give a destination that name again, or bring them elsewhere: utter outbox move --from \(ShellWord.quoted(name)) --to "
                        + "DESTINATION; or throw them away: utter outbox list, utter outbox clear ID"),
            ]
            return [("\(name): \(destination.pending), and no destination has that name", steps)]
        }
        var problems: [(String, [Finding.Step])] = []
        if destination.held.count > 0 {
            let steps: [Finding.Step] = [
                .act("mend what it says, and then:"), .run("utter outbox retry --all --no-drain"),
                .run("utter outbox drain"),
            ]
            problems.append(("\(name): \(destination.held.count) waiting for you: \(destination.held.reason)", steps))
        }
        if destination.failing.count > 0 {
            // The clock may have been set back since.
            let since = min(destination.failing.since, now).formatted(.iso8601)
            let words = "\(name): \(destination.failing.count) failing since \(since): \(destination.failing.reason)"
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
        if destination.fresh.count > 0, Delivery.isLong(since: destination.fresh.since, at: now) {
            let since = destination.fresh.since.formatted(.iso8601)
            problems.append(
                (
                    "\(name): \(destination.fresh.count) waiting since \(since), and nothing brings them",
                    [.run("utter outbox drain")]
                ))
        }
        return problems
    }
}
