import Foundation
import Glibc
import Outbox
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct OutboxMove {
        private let sandbox = Sandbox()

        /// Configures destinations that write what they get to a file of their name, after its id.
        private func configure(_ names: String...) throws {
            let members = names.map { name in
                #""\#(name)": {"type": "command", "command": "{ cat; echo \" $UTTER_ID\"; } >> '\#(sandbox.file(name))'"}"#
            }
            try sandbox.configureDestinations("{\(members.joined(separator: ", "))}")
        }

        @Test(
            "For a memo whose folder is missing, the message names the command that moves it, and with that it arrives")
        func wrongFolder() async throws {
            let folder = sandbox.file("valt/x")
            let added = try await sandbox.outbox("add", "--no-drain", "--notes", folder, "buy milk")
            let id = try #require(try sandbox.queued.first)
            #expect(added.output == "\(id.name)  notes\n")
            let drained = try await sandbox.outbox("drain")
            let advice = "utter outbox move \(id.name) --to notes"
            let reason =
                "can't open the folder \(folder): No such file or directory; make its folder again or choose another place; "
                + "to bring the text elsewhere: \(advice); "
                + "for another than the usual folder add --notes DIR"
            #expect(
                drained.end == .exited(75)
                    && drained.errorLines.first == "utter: \(id.name) to notes: \(reason); attempt 1, the next in 2 s")
            #expect(try sandbox.store.operation(id)?.lastError == reason)

            let moved = try await Program(
                [
                    "sh", "-c",
                    "\(advice.replacing("utter ", with: "'\(Sandbox.utter)' ", maxReplacements: 1)) --no-drain",
                ],
                environment: sandbox.environment()
            ).finish()
            moved.expectEnd(0, output: "\(id.name)  from notes to notes\n", errors: "")
            let again = try await sandbox.outbox("drain")
            #expect(again.end == .exited(0) && again.errors == "")
            #expect(sandbox.memos(in: "data/utter/notes") == ["buy milk"])
            #expect(!FileManager.default.fileExists(atPath: sandbox.file("valt")))
        }

        @Test("What is added and moved is complete even if the reader of standard output has left")
        func readerGoesAway() async throws {
            try configure("one", "two")
            let (reading, writing) = makePipe()
            close(reading)
            defer { close(writing) }
            func unread(_ arguments: String...) async throws {
                let finished = try await sandbox.utter(["outbox"] + arguments, output: .descriptor(writing))
                #expect(finished.end == .exited(0) && finished.errors == "")
            }
            func destinations() throws -> [String] {
                try sandbox.queued.compactMap { try sandbox.store.operation($0)?.destination }
            }
            for _ in 0..<2 { try await unread("add", "--no-drain", "--to", "one", "--to", "two", "buy milk") }
            #expect(try destinations().sorted() == ["one", "one", "two", "two"])
            try await unread("move", "--from", "one", "--to", "two", "--no-drain")
            // Each text goes there once.
            #expect(try destinations() == ["two", "two"])
            for id in try sandbox.queued { _ = try sandbox.store.change(id) { $0.waitsForUser = true } }
            try await unread("retry", "--all", "--no-drain", "--json")
            #expect(try sandbox.queued.allSatisfy { try sandbox.store.operation($0)?.waitsForUser == false })
            try await unread("clear", "--yes", "--json")
            #expect(try destinations() == [])
        }

        @Test(
            "A text that is in the notes does not come into them twice when what waits for another destination is moved there"
        )
        func already() async throws {
            try sandbox.configureDestinations(#"{"hook": {"type": "command", "command": "exit 1"}}"#)
            _ = try await sandbox.outbox("add", "--no-drain", "--to", "notes", "--to", "hook", "buy milk")
            #expect(try await sandbox.outbox("drain").end == .exited(75))
            #expect(sandbox.memos(in: "data/utter/notes") == ["buy milk"])
            #expect(try await sandbox.outbox("move", "--from", "hook", "--to", "notes", "--no-drain").end == .exited(0))
            #expect(try await sandbox.outbox("drain").end == .exited(0))
            #expect(sandbox.memos(in: "data/utter/notes") == ["buy milk"])
            #expect(try sandbox.store.isEmpty())
        }

        @Test("The folder that --notes names in the move is the one that counts")
        func namedFolder() async throws {
            _ = try await sandbox.outbox("add", "--no-drain", "--notes", sandbox.file("valt/x"), "buy milk")
            let id = try #require(try sandbox.queued.first)
            let moved = try await sandbox.outbox(
                "move", id.name, "--to", "notes", "--notes", sandbox.file("other"), "--no-drain")
            #expect(moved.end == .exited(0))
            #expect(try await sandbox.outbox("drain").end == .exited(0))
            #expect(sandbox.memos(in: "other") == ["buy milk"])
        }

        @Test(
            "One, several, all, or all of a destination can be moved; each is delivered in the background"
        )
        func chosen() async throws {
            try configure("work", "desk")
            let ids = try ["gone", "gone", "work", "gone"].map { try sandbox.queue($0, for: $0) }
            try sandbox.store.change(ids[0]) {
                $0.waitsForUser = true; $0.attemptCount = 1; $0.lastError = "why"
            }
            let one = try await sandbox.outbox(
                "move", String(ids[0].name.suffix(12)), "--to", "work", "--no-drain", "--json")
            let object = try #require(try one.objects().first)
            let atWork = ids[0].forDestination("gone").forDestination("work")
            #expect(
                object["id"] as? String == atWork.name && object["destination"] as? String == "work"
                    && object["text"] == nil)
            #expect(
                object["attempts"] as? Int == 0 && object["waitsForUser"] as? Bool == false
                    && object["lastError"] == nil)

            let several = try await sandbox.outbox(
                "move", atWork.name, ids[2].name, atWork.name, "--to", "desk", "--no-drain")
            func moved(_ id: UUID, _ origin: String, _ target: String) -> UUID {
                id.forDestination(origin).forDestination(target)
            }
            let atDesk = [moved(ids[0], "gone", "desk"), moved(ids[2], "work", "desk")]
            #expect(several.output == "\(atDesk[0].name)  from work to desk\n\(atDesk[1].name)  from work to desk\n")
            let from = try await sandbox.outbox("move", "--from", "gone", "--to", "work", "--no-drain")
            let later = [moved(ids[1], "gone", "work"), moved(ids[3], "gone", "work")]
            #expect(from.output == "\(later[0].name)  from gone to work\n\(later[1].name)  from gone to work\n")
            let none = try await sandbox.outbox("move", "--from", "nowhere", "--to", "work")
            none.expectEnd(0, output: "", errors: "utter: nothing waits for nowhere\n")
            #expect(try Set(sandbox.queued) == Set(atDesk + later))

            let all = try await sandbox.outbox("move", "--all", "--to", "desk")
            #expect(all.end == .exited(0) && all.outputLines.count == 4)
            #expect(try await sandbox.outbox("drain", "--watch", "--for", "100").end == .exited(0))
            let arrived = Set((sandbox.text(of: "desk") ?? "").split(separator: "\n").map { String($0.suffix(36)) })
            #expect(
                arrived == Set((atDesk + later.map { moved($0, "work", "desk") }).map(\.name))
                    && sandbox.text(of: "work") == nil)
        }

        @Test("An unknown destination and an unknown operation are refused before anything is moved")
        func refused() async throws {
            try configure("work", "desk")
            let id = try sandbox.queue(for: "gone")
            let nowhere = try await sandbox.outbox("move", "--all", "--to", "nowhere")
            #expect(nowhere.end == .exited(78) && nowhere.output == "")
            #expect(nowhere.errors == "utter: 'nowhere' is not a destination: there are notes, work and desk\n")
            let none = try await sandbox.outbox("move", id.name, "0000", "--to", "work")
            #expect(
                none.end == .exited(66) && none.output == "" && none.errors.contains("there is no operation '0000'"))
            #expect(try sandbox.store.operation(id)?.destination == "gone")
        }
    }
}
