import Foundation
import Outbox
import Testing

@testable import utter

@Suite("The doctor's review of the queue")
struct QueueSummaryTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func operation(_ kind: String, age: Double = 0, _ change: (inout OutboxOperation) -> Void = { _ in })
        -> OutboxOperation
    {
        var operation = OutboxOperation(destination: kind, payload: Data(), createdAt: now.addingTimeInterval(-age))
        change(&operation)
        return operation
    }

    private func findings(_ operations: [OutboxOperation], known: Set<String> = ["notes", "mail"], aside: Int = 0)
        -> [Finding]
    {
        QueueSummary(operations, isKnown: known.contains).findings(
            asideCount: aside, folder: "/q", destinationsPath: "/c/d.json", now: now)
    }

    @Test("is fine while everything has arrived or is on its way")
    func fine() {
        #expect(findings([]) == [.fine("outbox", "nothing is waiting")])
        #expect(findings([operation("notes"), operation("mail", age: 3599)]) == [.fine("outbox", "2 on the way")])
        // The clock may have been set back.
        #expect(findings([operation("notes", age: -1e6)]) == [.fine("outbox", "1 on the way")])
    }

    @Test("reports failing operations, since when, with the reason of the last attempt, in any order")
    func failing() {
        let older = operation("mail", age: 9000) { operation in
            operation.attemptCount = 7
            operation.firstFailedAt = now.addingTimeInterval(-8000)
            operation.lastAttemptAt = now.addingTimeInterval(-10)
            operation.lastError = "the newest reason"
        }
        let newer = operation("mail", age: 100) { operation in
            operation.attemptCount = 1
            operation.firstFailedAt = now.addingTimeInterval(-90)
            operation.lastAttemptAt = now.addingTimeInterval(-90)
            operation.lastError = "an old reason"
        }
        for operations in [[older, newer], [newer, older]] {
            #expect(
                findings(operations) == [
                    .lacking(
                        "outbox", "mail: 2 failing since 2027-01-15T05:46:40Z: the newest reason",
                        [
                            .act("each is tried again by a drain after its delay; to try now:"),
                            .run("utter outbox retry --all --no-drain"), .run("utter outbox drain"),
                        ])
                ])
        }
    }

    @Test("reports, by destination, operations that wait for the user, are not delivered, or have no destination")
    func several() {
        let held = operation("mail") { operation in
            operation.waitsForUser = true
            operation.attemptCount = 1
            operation.lastError = "there is no sendmail"
        }
        let found = findings([
            operation("work"), held, operation("notes", age: 3601), operation("notes"), operation("work"),
        ])
        #expect(
            found.map(\.words) == [
                "mail: 1 waiting for you: there is no sendmail",
                "notes: 2 waiting since 2027-01-15T06:59:59Z, and nothing brings them",
                "work: 2, and no destination has that name",
            ])
        #expect(found.allSatisfy { $0.state == .lacking && $0.subject == "outbox" })
        #expect(
            found.prefix(2).map(\.mend) == [
                [
                    .act("mend what it says, and then:"), .run("utter outbox retry --all --no-drain"),
                    .run("utter outbox drain"),
                ],
                [.run("utter outbox drain")],
            ])
        let orphans =
            "give a destination that name again, or bring them elsewhere: utter outbox move --from work --to DESTINATION; "
            + "or throw them away: utter outbox list, utter outbox clear ID"
        #expect(found.last?.mend == [.run("${EDITOR:-nano} /c/d.json"), .act(orphans)])
        let silent = operation("mail") { $0.waitsForUser = true }
        #expect(findings([silent]).map(\.words) == ["mail: 1 waiting for you: no reason was noted"])
        // One destination may have several of these.
        #expect(
            findings([held, operation("mail", age: 4000) { $0.attemptCount = 1 }, operation("mail", age: 4000)]).count
                == 3)
    }

    @Test("counts files that can't be read, and says how to move them away")
    func aside() {
        let found = findings([operation("notes")], aside: 1)
        #expect(found.map(\.words) == ["1 can't be read by this version of utter, and is kept in /q/aside"])
        #expect(found.first?.mend.last == .run("mv /q/aside ~/utter-aside"))
        #expect(
            findings([], aside: 2).map(\.words) == [
                "2 can't be read by this version of utter, and are kept in /q/aside"
            ])
    }
}
