import Foundation
import Glibc
import Outbox
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct OutboxWatch {
        private let sandbox = Sandbox()

        /// Configures a destination that writes the ids that arrive into the pipe `arrivals`.
        private func arrivals() throws -> NamedPipe {
            let pipe = NamedPipe("arrivals", in: sandbox)
            try sandbox.configureDestinations(
                #"{"notes": {"type": "command", "command": "echo $UTTER_ID > '\#(pipe.path)'"}}"#)
            return pipe
        }

        /// Configures a destination that writes its process's number when it begins, and continues when the test writes to a pipe.
        private func waitingReceiver() throws -> (begun: NamedPipe, go: NamedPipe) {
            let (begun, go) = (NamedPipe("begun", in: sandbox), NamedPipe("go", in: sandbox))
            let line =
                "echo $$ > '\(begun.path)'; read go < '\(go.path)'; cat > '\(sandbox.file("got"))'; echo end > '\(begun.path)'"
            try sandbox.configureDestinations("{\"notes\": {\"type\": \"command\", \"command\": \"\(line)\"}}")
            return (begun, go)
        }

        @Test(
            "Watching, it delivers what any process queues, and a signal ends it cleanly", arguments: [SIGINT, SIGTERM])
        func watching(signal: Int32) async throws {
            let arrivals = try arrivals()
            let first = try sandbox.queue()
            let program = try sandbox.startOutbox("drain", "--watch")
            #expect(try await arrivals.line() == first.name)
            for _ in 0..<5 {
                let id = try sandbox.queue()
                #expect(try await arrivals.line() == id.name)
            }
            // An operation leaves the queue a moment after it has arrived.
            try await Patience.wait(for: "the queue is empty") { try sandbox.store.isEmpty() }
            program.signal(signal)
            let finished = try await program.finish()
            #expect(finished.end == .exited(0) && finished.output == "" && finished.errors == "")
        }

        @Test("When its time is over, it begins nothing more, and what it has begun ends well")
        func timeIsOver() async throws {
            let got = sandbox.file("got")
            try sandbox.configureDestinations(
                #"{"notes": {"type": "command", "command": "sleep 1.5; echo $UTTER_ID >> '\#(got)'"}}"#)
            // Three are brought at a time.
            let texts = try (0..<4).map { _ in try sandbox.queue() }
            let finished = try await sandbox.outbox(["drain", "--watch", "--for", "0.5"])
            #expect(finished.end == .exited(75))
            let arrived = sandbox.text(of: "got")?.split(separator: "\n").sorted()
            #expect(arrived?.map { String($0) } == texts.prefix(3).map(\.name).sorted())
            #expect(finished.errors == "utter: 1 could not be brought yet; utter outbox list shows why\n")
        }

        @Test(
            "Watching, it follows the destinations: the first, one more, another receiver, a mistake, and one that is taken away"
        )
        func followsDestinations() async throws {
            let pipe = NamedPipe("arrivals", in: sandbox)
            func destination(_ name: String, _ mark: String) -> String {
                #""\#(name)": {"type": "command", "command": "echo \#(mark) $UTTER_ID > '\#(pipe.path)'"}"#
            }
            let early = try sandbox.queue(for: "work")
            let program = try sandbox.startOutbox("drain", "--watch")
            try await program.wait(forError: "utter: \(early.name): no destination is named work\n")
            // There is not even a folder yet.
            #expect(!FileManager.default.fileExists(atPath: sandbox.file("home/.config")))
            try sandbox.configureDestinations("{\(destination("work", "first"))}")
            #expect(try await pipe.line() == "first \(early.name)")
            // As editors write it: beside, and renamed to it.
            sandbox.put(
                "{\(destination("work", "second")), \(destination("me", "mine"))}",
                in: "home/.config/utter/destinations.json.new")
            let path = sandbox.file("home/.config/utter/destinations.json")
            #expect(rename(path + ".new", path) == 0)
            let mine = try sandbox.queue(for: "me")
            // It may be looked at a moment before the change is.
            #expect(try await pipe.line() == "mine \(mine.name)")
            let later = try sandbox.queue(for: "work")
            #expect(try await pipe.line() == "second \(later.name)")
            try sandbox.configureDestinations("{")
            try await program.wait(forError: "the destinations before stay in force\n")
            let after = try sandbox.queue(for: "work")
            #expect(try await pipe.line() == "second \(after.name)")
            try sandbox.configureDestinations("{\(destination("me", "mine"))}")
            let last = try sandbox.queue(for: "me")
            #expect(try await pipe.line() == "mine \(last.name)")
            try await Patience.wait(for: "the queue is empty") { try sandbox.store.isEmpty() }
            program.signal(SIGTERM)
            #expect(try await program.finish().end == .exited(0))
        }

        @Test("It can watch a queue that was never used")
        func fromTheStart() async throws {
            let arrivals = try arrivals()
            try FileManager.default.removeItem(atPath: sandbox.file("state"))
            let program = try sandbox.startOutbox("drain", "--watch", "--json")
            try await Patience.wait(for: "it drains") { sandbox.names(in: "state/utter/outbox").contains(".drain") }
            #expect(sandbox.mode(of: "state/utter/outbox") == 0o700)
            let id = try sandbox.queue()
            #expect(try await arrivals.line() == id.name)
            try await program.wait(
                forOutput: "{\"event\":\"delivered\",\"id\":\"\(id.name)\",\"destination\":\"notes\",\"attempts\":1}\n")
            #expect(try sandbox.queued == [])
            program.signal(SIGTERM)
            #expect(try await program.finish().end == .exited(0))
        }

        @Test(
            "With --for it ends when nothing can be delivered any more, or when its time is over, and says what is left"
        )
        func forAWhile() async throws {
            let arrivals = try arrivals()
            let ids = [try sandbox.queue(), try sandbox.queue(for: "nowhere")]
            let finished = try await sandbox.outbox("drain", "--watch", "--for", "1000")
            finished.expectEnd(
                75,
                errors:
                    "utter: \(ids[1].name): no destination is named nowhere\nutter: 1 could not be brought yet; utter outbox list shows why\n"
            )
            #expect(try await arrivals.line() == ids[0].name)
            #expect(try sandbox.queued == [ids[1]])

            try sandbox.configureDestinations(#"{"notes": {"type": "command", "command": "exit 1"}}"#)
            let failing = try sandbox.queue()
            try sandbox.store.change(failing) { $0.attemptCount = 8 }
            let late = try await sandbox.outbox("drain", "--watch", "--for", "0.5")
            #expect(late.end == .exited(75) && late.errors.contains("attempt 9, the next in "))
            #expect(try sandbox.queued.contains(failing))
        }

        @Test("Of several processes one drains; the others report that, and one takes over when it is killed")
        func several() async throws {
            let arrivals = try arrivals()
            var id = try sandbox.queue()
            let first = try sandbox.startOutbox("drain", "--watch")
            #expect(try await arrivals.line() == id.name)

            // Where nothing waits, nothing is left to do, whoever drains.
            try await Patience.wait(for: "the queue is empty") { try sandbox.store.isEmpty() }
            try await sandbox.outbox("drain").expectEnd(0, errors: "")
            let waiting = try sandbox.queue(for: "nowhere")
            let once = try await sandbox.outbox("drain")
            #expect(once.end == .exited(75) && once.errors == "utter: another process brings what is in the queue\n")
            #expect(try sandbox.store.remove(waiting))
            let second = try sandbox.startOutbox("drain", "--watch")
            try await second.wait(forError: "utter: another process brings what is in the queue; waiting for its end\n")
            id = try sandbox.queue()
            #expect(try await arrivals.line() == id.name)

            first.signal(SIGKILL)
            #expect(try await first.finish().end == .killed(signal: SIGKILL))
            id = try sandbox.queue()
            var arrived = try await arrivals.line()
            // An operation that the first had delivered but not yet removed arrives again.
            while arrived != id.name, arrived.count == 36 { arrived = try await arrivals.line() }
            #expect(arrived == id.name)
            second.signal(SIGTERM)
            let finished = try await second.finish()
            finished.expectEnd(0, errors: "utter: another process brings what is in the queue; waiting for its end\n")
        }

        @Test(
            "A signal during a delivery ends the receiver too, and the operation stays as it was",
            arguments: [(SIGINT, false, 130), (SIGTERM, false, 143), (SIGTERM, true, 0), (SIGINT, true, 0)]
                as [(Int32, Bool, Int32)])
        func interrupted(signal: Int32, watches: Bool, code: Int32) async throws {
            let (begun, _) = try waitingReceiver()
            let id = try sandbox.queue()
            let program = watches ? try sandbox.startOutbox("drain", "--watch") : try sandbox.startOutbox("drain")
            let process = try #require(pid_t(try await begun.line()))
            program.signal(signal)
            let finished = try await program.finish()
            #expect(finished.end == .exited(code) && finished.output == "" && finished.errors == "")
            try await Patience.wait(for: "the command has ended") { ProcessTable.hasEnded(process) }
            #expect(try sandbox.store.operation(id)?.attemptCount == 0)
            #expect(sandbox.text(of: "got") == nil)
        }

        @Test(
            "A signal ends a destination's test, and its command too",
            arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
        func testInterrupted(signal: Int32, code: Int32) async throws {
            let (begun, _) = try waitingReceiver()
            let program = try sandbox.startOutbox("test", "notes")
            let process = try #require(pid_t(try await begun.line()))
            program.signal(signal)
            try await program.finish().expectEnd(code, output: "", errors: "")
            try await Patience.wait(for: "the command has ended") { ProcessTable.hasEnded(process) }
            #expect(sandbox.text(of: "got") == nil)
        }

        @Test("Killed while a receiver reads, the text still reaches it whole, and is delivered again later")
        func killed() async throws {
            let (begun, go) = try waitingReceiver()
            // The text is longer than a pipe's capacity.
            let text = String(repeating: "buy milk and bread, ", count: 20_000) + "end"
            let id = try sandbox.queue(text)
            let program = try sandbox.startOutbox("drain")
            _ = try await begun.line()
            program.signal(SIGKILL)
            #expect(try await program.finish().end == .killed(signal: SIGKILL))
            go.say("go")
            #expect(try await begun.line() == "end")
            #expect(sandbox.text(of: "got") == text)
            #expect(try sandbox.store.operation(id)?.attemptCount == 0)
            try sandbox.configureDestinations(
                #"{"notes": {"type": "command", "command": "test $(wc -c) -eq \#(text.utf8.count)"}}"#)
            #expect(try await sandbox.outbox("drain").end == .exited(0))
        }

        @Test("When the queue's folder is removed, watching ends and reports that")
        func folderGone() async throws {
            let arrivals = try arrivals()
            let id = try sandbox.queue()
            let program = try sandbox.startOutbox("drain", "--watch")
            #expect(try await arrivals.line() == id.name)
            // The drainer writes there until it is idle, and only an empty folder can be removed.
            try await Patience.wait(for: "the folder can be taken away") {
                rename(sandbox.file("state/utter/outbox"), sandbox.file("taken")) == 0
            }
            let finished = try await program.finish()
            #expect(finished.end == .exited(73))
            #expect(
                finished.errorLines.last?.hasPrefix(
                    "utter: can't watch \(sandbox.file("state/utter/outbox")): No such file or directory")
                    == true)
        }
    }
}
