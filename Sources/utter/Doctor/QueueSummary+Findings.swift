import Foundation
import Outbox

/// The doctor's findings about the operations in the queue, by destination.
extension QueueSummary {
    private static let subject = "outbox"

    func findings(asideCount: Int, folder: String, destinationsPath: String, now: Date) -> [Finding] {
        var findings = destinations.flatMap { Self.problems($0, destinationsPath, now) }
        if asideCount > 0 {
            let place = folder + "/aside"
            let verb = asideCount == 1 ? "is" : "are"
            let steps: [Finding.Step] = [
                .act("a newer version may read them; if there is none, take them out of the queue and look into them:"),
                .run("mv \(ShellWord.quoted(place)) ~/utter-aside"),
            ]
            findings.append(
                .lacking(
                    Self.subject,
                    "\(asideCount) can't be read by this version of utter, and \(verb) kept in \(place)", steps))
        }
        if !findings.isEmpty { return findings }
        let count = destinations.reduce(0) { $0 + $1.fresh.count }
        return [.fine(Self.subject, count == 0 ? Self.emptyText : "\(count) on the way")]
    }

    private static func problems(_ destination: Destination, _ destinationsPath: String, _ now: Date) -> [Finding] {
        let name = destination.name
        if !destination.isKnown {
            let steps = [
                Surroundings.edit(destinationsPath),
                .act(
                    "give a destination that name again, or bring them elsewhere: utter outbox move --from \(ShellWord.quoted(name)) --to "
                        + "DESTINATION; or throw them away: utter outbox list, utter outbox clear ID"),
            ]
            return [.lacking(subject, "\(name): \(destination.pending), and no destination has that name", steps)]
        }
        var problems: [Finding] = []
        let (held, failing, fresh) = (destination.held, destination.failing, destination.fresh)
        let drain = Finding.Step.run("utter outbox drain")
        let again: [Finding.Step] = [.run("utter outbox retry --all --no-drain"), drain]
        if held.count > 0 {
            problems.append(
                .lacking(
                    subject, "\(name): \(held.count) waiting for you: \(held.reason)",
                    [.act("mend what it says, and then:")] + again))
        }
        if failing.count > 0 {
            // The clock may have been set back since.
            let since = min(failing.since, now).formatted(.iso8601)
            problems.append(
                .lacking(
                    subject, "\(name): \(failing.count) failing since \(since): \(failing.reason)",
                    [.act("each is tried again by a drain after its delay; to try now:")] + again))
        }
        if fresh.count > 0, Delivery.isLong(since: fresh.since, at: now) {
            let since = fresh.since.formatted(.iso8601)
            problems.append(
                .lacking(
                    subject, "\(name): \(fresh.count) waiting since \(since), and nothing brings them", [drain]))
        }
        return problems
    }
}
