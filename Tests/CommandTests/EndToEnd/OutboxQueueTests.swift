import Foundation
import Glibc
import Outbox
import TestSupport
import Testing

@testable import utter

extension EndToEndTests {
    @Suite struct OutboxQueue {
        private let sandbox = Sandbox()
        private static let later = Date(timeIntervalSince1970: 4_000_000_000)

        private func fail(_ operation: inout OutboxOperation) {
            operation.attemptCount = 3
            operation.lastError = "the web hook answered 503"
            operation.lastAttemptAt = Self.later - 10
            operation.nextEligibleAt = Self.later
        }

        private func hold(_ operation: inout OutboxOperation) {
            operation.attemptCount = 1
            operation.lastError = "the web hook answered 404"
            operation.waitsForUser = true
        }

        @Test("In an empty queue nothing is waiting, and there is nothing to list, to retry or to clear")
        func empty() async throws {
            #expect(try await sandbox.outbox().output == "nothing is waiting\n")
            #expect(try await sandbox.outbox("clear").output == "0 thrown away\n")
            let summary = try await sandbox.outbox("summary", "--json")
            #expect(
                summary.output == "{\"pending\":0,\"aside\":0,\"foreign\":0,\"brought\":false,\"destinations\":[]}\n")
            for arguments in [
                ["list"], ["list", "--json"], ["retry", "--all"], ["clear", "--yes", "--json"], ["drain"],
            ] {
                let finished = try await sandbox.outbox(arguments)
                #expect(finished.end == .exited(0) && finished.output == "" && finished.errors == "", "\(arguments)")
            }
        }

        @Test(
            "What is piped in is taken whatever the configuration holds; it waits until that is mended, and then goes to its place",
            arguments: [
                ("config.json", #"{"notes": "#), ("config.json", #"["a"]"#),
                ("config.json", #"{"notes": 7, "device": "x"}"#), ("destinations.json", "{"),
                ("destinations.json", #"{"work": {"type": "none such"}}"#),
            ])
        func damagedConfiguration(_ name: String, _ content: String) async throws {
            try sandbox.configureDestinations(#"{"notes": {"type": "vault", "folder": "~/notes"}}"#)
            sandbox.put(content, in: "home/.config/utter/\(name)")
            let add = try sandbox.startUtter(["outbox", "add"], input: .pipe)
            try await add.write(Array("buy milk\n".utf8))
            let added = try await add.finish()
            #expect(added.exitCode == 0 && added.outputLines.count == 1, "\(added.errors)")
            #expect(added.errors.contains(name) && added.errors.contains("waits in the outbox until"))
            #expect(!added.errors.contains("milk"))
            let store = OutboxStore(folder: sandbox.file("state/utter/outbox"))
            let operation = try #require(try store.index().ids.first.flatMap { try store.operation($0) })
            #expect(operation.destination == "notes" && CapturedText(payload: operation.payload)?.notesFolder == nil)

            unlink(sandbox.file("home/.config/utter/config.json"))
            try FileManager.default.createDirectory(
                atPath: sandbox.file("home/notes"), withIntermediateDirectories: true)
            try sandbox.configureDestinations(#"{"notes": {"type": "vault", "folder": "~/notes"}}"#)
            #expect(try await sandbox.outbox(["drain"]).exitCode == 0)
            let note = try #require(sandbox.names(in: "home/notes").first)
            #expect(sandbox.text(of: "home/notes/" + note)?.contains("buy milk") == true)
        }

        @Test("The summary counts, for each destination, operations that are pending, fail, or wait for the user")
        func summary() async throws {
            try sandbox.configureDestinations(
                #"{"notes":{"type":"vault","folder":"~/notes"},"work":{"type":"command","command":"true"}}"#)
            for _ in 0..<2 { try sandbox.queue() }
            try sandbox.queue(for: "work", change: fail)
            try sandbox.queue(for: "work", change: hold)
            try sandbox.queue(for: "elsewhere")
            let finished = try await sandbox.outbox()
            #expect(finished.end == .exited(0) && finished.errors == "")
            #expect(
                finished.outputLines == [
                    "elsewhere: 1 pending, 1 of them waiting for you: no destination has this name", "notes: 2 pending",
                    "work: 2 pending, 1 of them failing, 1 of them waiting for you: the web hook answered 503",
                    Sandbox.unbrought,
                ])
            let summary = try #require(try await sandbox.outbox("--json").objects().first)
            #expect(summary["pending"] as? Int == 5 && summary["aside"] as? Int == 0 && summary["foreign"] as? Int == 0)
            let destinations = try #require(summary["destinations"] as? [[String: Any]])
            #expect(destinations.map { $0["destination"] as? String } == ["elsewhere", "notes", "work"])
            #expect(destinations.map { $0["pending"] as? Int } == [1, 2, 2])
            #expect(destinations.map { $0["failing"] as? Int } == [0, 0, 1])
            #expect(destinations.map { $0["held"] as? Int } == [1, 0, 1])
            #expect(destinations.last?["reason"] as? String == "the web hook answered 503")
            // The clock was set back by many years since the last attempt, which leaves no more than the delay itself.
            #expect(destinations.map { $0["nextInSeconds"] as? Double } == [nil, nil, 10])
        }

        @Test(
            "The summary says when failed ones are tried again, where systemd's timer or a drain does that, else what does"
        )
        func brought() async throws {
            try sandbox.configureDestinations(#"{"work":{"type":"command","command":"exit 75"}}"#)
            try sandbox.queue(for: "work") { operation in
                fail(&operation)
                operation.attemptCount = 9
            }
            let line = "work: 1 pending, 1 of them failing: the web hook answered 503"
            #expect(try await sandbox.outbox().outputLines == [line, Sandbox.unbrought])
            let wants = "home/.config/systemd/user/timers.target.wants"
            try FileManager.default.createDirectory(
                atPath: sandbox.file(wants), withIntermediateDirectories: true)
            // As systemctl enables it.
            let link = sandbox.file(wants + "/utter-drain.timer")
            #expect(symlink(sandbox.put([], in: "utter-drain.timer"), link) == 0)
            #expect(try await sandbox.outbox().outputLines == [line + "; tried again in 10 s"])
            #expect(unlink(link) == 0)

            try sandbox.store.change(try #require(try sandbox.queued.first)) { $0.retry() }
            let program = try sandbox.startOutbox("drain", "--watch")
            try await program.wait(forError: "attempt 10, the next in ")
            let told = try #require(try await sandbox.outbox().outputLines.first)
            #expect(
                told.hasPrefix(
                    "work: 1 pending, 1 of them failing: the command ended with exit status 75; tried again in ")
                    && told.hasSuffix(" min"), "\(told)")
            program.signal(SIGTERM)
            #expect(try await program.finish().end == .exited(0))
            // What waits for the user needs nobody who brings it.
            try sandbox.store.change(try #require(try sandbox.queued.first), hold)
            #expect(
                try await sandbox.outbox().outputLines == [
                    "work: 1 pending, 1 of them waiting for you: the web hook answered 404"
                ])
        }

        @Test("The list is in creation order, shows each operation's state, and has no word of the text")
        func list() async throws {
            let ids = [
                try sandbox.queue(), try sandbox.queue(change: fail), try sandbox.queue(change: hold),
                try sandbox.queue(for: "elsewhere"),
                try sandbox.queue {
                    $0.lastError = "no\n\u{1B}[31mway"; $0.attemptCount = 1
                },
            ]
            let finished = try await sandbox.outbox("list")
            let standings = [
                "notes  not tried yet", "notes  tried 3 times: the web hook answered 503",
                "notes  waits for you: the web hook answered 404", "elsewhere  no destination has this name",
                "notes  tried once: no\\x0A\\x1B[31mway",
            ]
            #expect(finished.outputLines == zip(ids, standings).map { "\($0.name)  2025-03-08T13:22:00Z  \($1)" })
            let json = try await sandbox.outbox("list", "--json")
            let objects = try json.objects()
            try #require(objects.map { $0["id"] as? String } == ids.map(\.name))
            #expect(objects.map { $0["destination"] as? String } == ["notes", "notes", "notes", "elsewhere", "notes"])
            #expect(objects.map { $0["attempts"] as? Int } == [0, 3, 1, 0, 1])
            #expect(objects.map { $0["waitsForUser"] as? Bool } == [false, false, true, false, false])
            #expect(objects[0]["nextAt"] == nil)
            // No later than by the delay, though the clock was set back by many years since.
            let next = try Date(try #require(objects[1]["nextAt"] as? String), strategy: .iso8601)
            #expect((-60...11).contains(next.timeIntervalSinceNow))
            #expect(objects[1]["lastError"] as? String == "the web hook answered 503" && objects[0]["lastError"] == nil)
            #expect(objects.allSatisfy { $0["createdAt"] as? String == "2025-03-08T13:22:00Z" && $0["text"] == nil })
            for output in [finished.output, json.output] { #expect(!output.contains("milk")) }
        }

        @Test(
            "On a terminal the list has short ids that the other commands accept, ages and the first words, and fits",
            .needs("tmux"))
        func table() async throws {
            let now = Date()
            let capture = CapturedText(text: "call Ada back tomorrow\nabout the house", capturedAt: now - 300)
            let operation = OutboxOperation(capture, id: .timeOrdered(), to: "notes")
            try sandbox.store.enqueue(operation)
            try sandbox.queue("buy \u{1B}[31mmilk", for: "work", change: hold)
            let session = try await sandbox.terminal(
                "\"$UTTER\" outbox list; id=$(\"$UTTER\" outbox list | tail -1); echo \"$id\" | wc -w")
            let lines = session.screen
            let short = String(operation.id.name.suffix(8))
            #expect(
                lines.contains { $0.hasPrefix("\(short)  5 min ") && $0.contains("notes  call Ada back tomorrow…") },
                "\(lines)")
            #expect(lines.contains { $0.contains(" days  ") && $0.contains("work   buy [31mmilk  ") })
            #expect(lines.allSatisfy { displayWidth($0) <= 99 })
            #expect(try await sandbox.outbox("show", short).output.hasPrefix("id: \(operation.id.name)\n"))
        }

        @Test("An operation is shown by its id, or by a unique beginning or end of it")
        func show() async throws {
            let ids = [
                "0190aaaa-0000-7000-8000-000000000001", "0190aaaa-1111-7000-8000-000000000002",
                "0191aaaa-2222-7000-8000-000000000001",
            ]
            .map { UUID(uuidString: $0)! }
            for id in ids { try sandbox.queue("buy milk\n\tand \u{1B}[31mbread", id: id) }
            try sandbox.store.change(ids[2], fail)
            for cut in [ids[2].name, "0191", "2222-7000-8000-000000000001", "0191AAAA-2222"] {
                let finished = try await sandbox.outbox("show", cut)
                #expect(finished.end == .exited(0) && finished.errors == "", "\(cut)")
                #expect(
                    finished.output == """
                        id: \(ids[2].name)
                        destination: notes
                        since: 2025-03-08T13:22:00Z
                        attempts: 3
                        state: tried 3 times: the web hook answered 503
                        next attempt: in 10 s

                        buy milk
                        \tand \\x1B[31mbread

                        """, "\(cut)")
            }
            let object = try #require(try await sandbox.outbox("show", "0191", "--json").objects().first)
            #expect(
                object["text"] as? String == "buy milk\n\tand \u{1B}[31mbread" && object["id"] as? String == ids[2].name
            )

            for (cut, count) in [("0190", 2), ("019", 3), ("000000000001", 2)] {
                let finished = try await sandbox.outbox("show", cut)
                #expect(finished.end == .exited(64) && finished.output == "")
                #expect(finished.errors == "utter: \(cut) stands for \(count) operations; write more of it\n")
            }
            for cut in ["7", "0192", "%"] {
                let finished = try await sandbox.outbox("show", cut)
                finished.expectEnd(
                    66, output: "",
                    errors: "utter: there is no operation '\(cut)' in the queue; utter outbox list shows them\n")
            }
        }

        @Test("An operation that is not a capture is shown as far as possible")
        func foreignPayload() async throws {
            let operation = OutboxOperation(destination: "from the future", payload: Data([0xFF, 0x41]))
            try sandbox.store.enqueue(operation)
            #expect(try await sandbox.outbox("show", operation.id.name).output.hasSuffix("\n\n\u{FFFD}A\n"))
        }

        @Test("A text from arguments or standard input is queued for each destination, or for those that are named")
        func add() async throws {
            try sandbox.configureDestinations(
                #"{"one": {"type": "command", "command": "true"}, "two": {"type": "command", "command": "true"}}"#)
            let words = try await sandbox.outbox("add", "--no-drain", "buy", "milk")
            let lines = words.outputLines
            #expect(
                words.end == .exited(0) && words.errors == ""
                    && lines.map { $0.dropFirst(36) } == ["  notes", "  one", "  two"])
            var ids = lines.map { String($0.prefix(36)) }
            let named = try await sandbox.outbox("add", "--no-drain", "--json", "--to", "two", "--", "--milk")
            #expect(try named.objects().map { $0["destination"] as? String } == ["two"])
            ids += try named.objects().compactMap { $0["id"] as? String }
            let bytes = Array("buy milk\nand \u{1B}bread\n\n".utf8)
            for operands in [[], ["-"]] {
                let (reading, writing) = makePipe()
                #expect(write(writing, bytes, bytes.count) == bytes.count)
                close(writing)
                let piped = try await sandbox.utter(
                    ["outbox", "add", "--no-drain", "--to", "one"] + operands, input: .descriptor(reading))
                close(reading)
                ids += piped.outputLines.map { String($0.prefix(36)) }
            }
            #expect(try sandbox.queued.map(\.name).sorted() == ids.sorted() && ids.count == 6)
            let texts = try ids.map {
                try CapturedText(payload: #require(try sandbox.store.operation(UUID(uuidString: $0)!)).payload)?.text
            }
            #expect(
                texts == ["buy milk", "buy milk", "buy milk", "--milk"]
                    + Array(repeating: "buy milk\nand \u{1B}bread\n", count: 2))
        }

        @Test("An invalid text is refused with a sentence, and is neither queued nor repeated")
        func addRefused() async throws {
            let none = try await sandbox.outbox("add", "--no-drain", "--to", "notes", "--to", "nowhere", "geheim")
            #expect(none.end == .exited(78) && none.errors == "utter: 'nowhere' is not a destination: there is notes\n")
            for text in [" ", "\n\t"] {
                let empty = try await sandbox.outbox("add", text)
                #expect(empty.end == .exited(65) && empty.errors == "utter: there is no text to add\n")
            }
            #expect(try await sandbox.outbox("add").errors == "utter: there is no text to add\n")
            let bytes = sandbox.put([0x61, 0xFF], in: "bytes")
            let descriptor = open(bytes, O_RDONLY | O_CLOEXEC)
            let wrong = try await sandbox.utter(["outbox", "add"], input: .descriptor(descriptor))
            close(descriptor)
            #expect(wrong.end == .exited(65) && wrong.errors == "utter: standard input holds no text in UTF-8\n")
            #expect(try sandbox.queued == [])
            try FileManager.default.removeItem(atPath: sandbox.file("state/utter/outbox"))
            sandbox.put([], in: "state/utter/outbox")
            let blocked = try await sandbox.outbox("add", "geheim")
            #expect(blocked.end == .exited(73) && blocked.errorLines.count == 1 && !blocked.errors.contains("geheim"))
        }

        @Test("Retry makes one operation ready, or all, keeps their history, and changes no other")
        func retry() async throws {
            let ids = [
                try sandbox.queue(change: fail), try sandbox.queue(change: hold), try sandbox.queue(change: hold),
            ]
            let one = try await sandbox.outbox("retry", "--no-drain", String(ids[1].name.suffix(12)))
            #expect(one.end == .exited(0) && one.output == "" && one.errors == "")
            let operation = try #require(try sandbox.store.operation(ids[1]))
            #expect(
                !operation.waitsForUser && operation.attemptCount == 1
                    && operation.lastError == "the web hook answered 404")
            #expect(try sandbox.store.operation(ids[0])?.nextEligibleAt == Self.later)
            #expect(try sandbox.store.operation(ids[2])?.waitsForUser == true)

            let all = try await sandbox.outbox("retry", "--all", "--no-drain", "--json")
            #expect(try all.objects().map { $0["id"] as? String } == ids.map(\.name) && all.end == .exited(0))
            #expect(
                try all.objects().allSatisfy {
                    $0["waitsForUser"] as? Bool == false && $0["nextAt"] == nil && $0["text"] == nil
                })
            for id in ids {
                let operation = try #require(try sandbox.store.operation(id))
                #expect(!operation.waitsForUser && operation.nextEligibleAt == nil && operation.attemptCount > 0)
            }
            let none = try await sandbox.outbox("retry", "0000")
            #expect(none.end == .exited(66) && none.errors.contains("there is no operation '0000'"))
        }

        @Test("What is to be tried again is brought at once, though nothing else drains")
        func retryBrings() async throws {
            try sandbox.configureDestinations(
                #"{"work":{"type":"command","command":"cat >> '\#(sandbox.file("got"))'"}}"#)
            let ids = try [fail, hold].map { try sandbox.queue(for: "work", change: $0) }
            let finished = try await sandbox.outbox("retry", ids[0].name)
            #expect(finished.end == .exited(0) && finished.output == "" && finished.errors == "")
            try await Patience.wait(for: "it arrives") { try sandbox.queued == [ids[1]] }
            _ = try await sandbox.outbox("retry", "--all")
            try await Patience.wait(for: "all arrive") { try sandbox.store.isEmpty() }
            #expect(sandbox.text(of: "got") == "buy milkbuy milk")
        }

        @Test(
            "Clear removes one operation, or all, with --yes; without a terminal to ask on it removes nothing and reports that"
        )
        func clear() async throws {
            let ids = try (0..<3).map { _ in try sandbox.queue() }
            for arguments in [["clear"], ["clear", ids[0].name]] {
                let finished = try await sandbox.outbox(arguments)
                finished.expectEnd(64, errors: "utter: clear asks on a terminal; without one add --yes\n")
            }
            #expect(try sandbox.queued == ids)
            let one = try await sandbox.outbox("clear", "-y", ids[1].name)
            #expect(one.end == .exited(0) && one.output == "1 thrown away\n" && one.errors == "")
            #expect(try sandbox.queued == [ids[0], ids[2]])
            let none = try await sandbox.outbox("clear", "--yes", ids[1].name)
            #expect(none.end == .exited(66) && none.output == "")
            let all = try await sandbox.outbox("clear", "--yes", "--json")
            #expect(try all.objects().map { $0["id"] as? String } == [ids[0].name, ids[2].name])
            #expect(try sandbox.queued == [] && sandbox.names(in: "state/utter/outbox") == [".changes"])
        }

        @Test("Show, retry and clear accept several ids, use each once, and do nothing if one is unknown")
        func several() async throws {
            let ids = try ["one", "two", "three"].map { try sandbox.queue($0) }
            for word in ["show", "retry", "clear"] {
                let refused = try await sandbox.outbox(
                    word, word == "clear" ? "-y" : "--json", ids[0].name, "0000", ids[1].name)
                #expect(refused.end == .exited(66) && refused.output == "" && refused.errorLines.count == 1, "\(word)")
            }
            #expect(try sandbox.queued == ids)
            let shown = try await sandbox.outbox("show", "--json", ids[2].name, ids[0].name, ids[2].name)
            #expect(try shown.objects().map { $0["text"] as? String } == ["three", "one"])
            #expect(
                try await sandbox.outbox("show", ids[2].name, ids[0].name).output.contains(
                    "\n\nthree\n\nid: \(ids[0].name)\n"))
            for id in ids { try sandbox.store.change(id) { $0.waitsForUser = true } }
            let retried = try await sandbox.outbox(
                "retry", "--no-drain", "--json", ids[0].name, ids[1].name, ids[0].name)
            #expect(try retried.objects().map { $0["id"] as? String } == [ids[0].name, ids[1].name])
            #expect(try ids.map { try sandbox.store.operation($0)?.waitsForUser } == [false, false, true])
            #expect(
                try await sandbox.outbox("clear", "-y", ids[0].name, ids[2].name, ids[0].name).output
                    == "2 thrown away\n")
            #expect(try sandbox.queued == [ids[1]])
        }

        @Test(
            "On a terminal clear asks, and only a yes removes; what arrives meanwhile is not counted as thrown away",
            .needs("tmux"), arguments: ["Yes", "y", "", "what"])
        func clearAsks(answer: String) async throws {
            let ids = try (0..<3).map { _ in try sandbox.queue() }
            let session = try await sandbox.terminal("\"$UTTER\" outbox clear; echo exit $?") { terminal in
                try await terminal.stream.wait(forOutput: "Throw away 3 that have not arrived? [y/N] ")
                try sandbox.store.remove(ids[1])
                if !answer.isEmpty { try await terminal.press(answer) }
                try await terminal.press("Enter")
            }
            let isYes = ["Yes", "y"].contains(answer)
            let question = ("Throw away 3 that have not arrived? [y/N] " + answer).trimmingCharacters(in: .whitespaces)
            #expect(session.screen == [question, isYes ? "2 thrown away" : "0 thrown away", "exit 0"])
            #expect(try sandbox.queued == (isYes ? [] : [ids[0], ids[2]]))
        }

        @Test(
            "On a terminal the end of input is not a yes, and there is no question if the output is a file",
            .needs("tmux"))
        func clearWithoutAnswer() async throws {
            let id = try sandbox.queue()
            let session = try await sandbox.terminal(
                "\"$UTTER\" outbox clear 2>'\(sandbox.file("errors"))'; echo exit $?; \"$UTTER\" outbox clear \(id.name); echo exit $?"
            ) { terminal in
                try await terminal.stream.wait(forOutput: "Throw away one that has not arrived? [y/N] ")
                try await terminal.press("C-d")
            }
            #expect(session.screen.first == "exit 64" && session.screen.last?.hasSuffix("exit 0") == true)
            #expect(sandbox.text(of: "errors") == "utter: clear asks on a terminal; without one add --yes\n")
            #expect(try sandbox.queued == [id])
        }

        @Test("A file that can't be read is put aside unchanged, shown from then on, and restored when it can be read")
        func aside() async throws {
            let good = try sandbox.queue()
            let id = UUID.timeOrdered()
            let path = "state/utter/outbox/\(id.name).json"
            sandbox.put("half of someth", in: path)
            sandbox.put([], in: "state/utter/outbox/mine\u{1B}.txt")
            let folder = sandbox.file("state/utter/outbox")
            for _ in 0..<2 {
                #expect(
                    try await sandbox.outbox().outputLines == [
                        "notes: 1 pending", Sandbox.unbrought, "unreadable and put aside: 1 in \(folder)/aside",
                        "not ours: mine\\x1B.txt",
                    ])
            }
            let summary = try #require(try await sandbox.outbox("--json").objects().first)
            #expect(summary["pending"] as? Int == 1 && summary["aside"] as? Int == 1 && summary["foreign"] as? Int == 1)
            #expect(sandbox.text(of: "state/utter/outbox/aside/\(id.name).json") == "half of someth")

            let another = UUID.timeOrdered()
            sandbox.put("{}", in: "state/utter/outbox/\(another.name).json")
            let shown = try await sandbox.outbox("show", another.name)
            shown.expectEnd(
                65, errors: "utter: the file of \(another.name) can't be read; it was put aside in \(folder)/aside\n")
            #expect(try await sandbox.outbox("list").outputLines.count == 1)

            // A version that can read it.
            let whole = try #require(sandbox.text(of: "state/utter/outbox/\(good.name).json"))
            sandbox.put(whole.replacing(good.name, with: id.name), in: "state/utter/outbox/aside/\(id.name).json")
            #expect(try await sandbox.outbox("list").outputLines.map { String($0.prefix(36)) } == [good.name, id.name])
            #expect(sandbox.names(in: "state/utter/outbox").contains("mine\u{1B}.txt"))
        }

        @Test(
            "What puts a damaged file aside says so in one line, and ends with 65",
            arguments: [
                ["list"], ["list", "--json"], [], ["--json"], ["retry", "--all", "--no-drain"],
                ["move", "--all", "--to", "notes", "--no-drain"],
            ], [true, false])
        func damaged(_ arguments: [String], isOurs: Bool) async throws {
            let queued = try [sandbox.queue(), sandbox.queue()]
            // An id that another program made may be of any version.
            let ids = [isOurs ? queued[0] : UUID()]
            let whole = try #require(sandbox.text(of: "state/utter/outbox/\(queued[0].name).json"))
            sandbox.put(String(whole.prefix(100)), in: "state/utter/outbox/\(ids[0].name).json")
            let folder = sandbox.file("state/utter/outbox/aside")
            let found = try await sandbox.outbox(arguments)
            found.expectEnd(
                65, errors: "utter: the file of \(ids[0].name) can't be read; it was put aside in \(folder)\n")
            let again = try await sandbox.outbox(arguments)
            again.expectEnd(0, errors: "")
        }

        @Test("A wrong command line is refused with one sentence, and nothing is done")
        func usage() async throws {
            let id = try sandbox.queue()
            for (arguments, message) in [
                (["retry"], "retry needs an ID, or --all"),
                (["move", "a"], "move needs --to DESTINATION"),
                (["move", "--to", "notes"], "move needs an ID, or several, or --all, or --from DESTINATION"),
                (
                    ["move", "--to", "notes", "--from", "a", "--all"],
                    "move needs an ID, or several, or --all, or --from DESTINATION"
                ),
                (["retry", "--all", "a"], "an ID and --all can't go together"),
                (["--json", "list"], "'list' comes before its options: utter outbox list --json"),
                (["drain", "--for", "1"], "--for goes with --watch"),
            ] {
                let finished = try await sandbox.outbox(arguments)
                #expect(finished.end == .exited(64) && finished.output == "", "\(arguments)")
                #expect(
                    finished.errorLines.count == 2 && finished.errors.contains(message),
                    "\(arguments): \(finished.errors)")
            }
            #expect(try sandbox.queued == [id])
        }

        @Test("A file in place of the queue's folder is reported, with its exit code")
        func folderInTheWay() async throws {
            let folder = sandbox.put([], in: "state/utter/outbox")
            let file = try await sandbox.outbox("list")
            #expect(file.end == .exited(73))
            #expect(file.errors == "utter: \(folder) is not a folder; choose another place or move it out of the way\n")
            #expect(unlink(folder) == 0 && symlink(sandbox.file("empty"), folder) == 0)
            let link = try await sandbox.outbox("drain")
            #expect(link.end == .exited(73) && link.errorLines.count == 1)
            #expect(link.errors.hasPrefix("utter: a symbolic link stands in place of the folder \(folder)"))
            #expect(sandbox.names(in: "empty") == [])
        }

        @Test("Where a full output keeps a command from saying what it has done, the error says it")
        func changedWithFullOutput() async throws {
            let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
            defer { close(full) }
            func expect(_ arguments: String..., done: String) async throws {
                let failed = try await sandbox.utter(arguments, output: .descriptor(full))
                failed.expectEnd(74, errors: "utter: can't write standard output: No space left on device; \(done)\n")
            }
            try await expect(
                "outbox", "add", "--to", "notes", "--no-drain", "buy milk", done: "the text is kept in the outbox")
            #expect(try sandbox.queued.count == 1)
            try await expect("outbox", "move", "--all", "--to", "notes", "--no-drain", done: "the outbox is changed")
            try await expect("outbox", "clear", "--yes", done: "1 thrown away")
            #expect(try sandbox.queued == [])
            _ = try await sandbox.outbox("add", "--to", "notes", "--no-drain", "buy milk")
            #expect(try await sandbox.outbox("drain").exitCode == 0)
            try await expect("notes", "undo", done: "the memo is taken out")
            try await expect("notes", "redo", done: "the note is changed")
            #expect(try await sandbox.utter(["notes", "last"]).output.hasSuffix("  buy milk\n"))
        }

        @Test("A full output is reported, and a reader that closes is no error", arguments: ["list", "summary"])
        func output(action: String) async throws {
            for _ in 0..<3 { try sandbox.queue() }
            let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
            defer { close(full) }
            let failed = try await sandbox.outbox(action, output: .descriptor(full))
            failed.expectEnd(74, errors: "utter: can't write standard output: No space left on device\n")
            let (reading, writing) = makePipe()
            close(reading)
            let ended = try await sandbox.outbox(action, output: .descriptor(writing))
            close(writing)
            #expect(ended.end == .exited(0) && ended.errors == "")
        }
    }
}
