import Foundation
import Glibc
import Outbox
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct OutboxDrain {
        private let sandbox = Sandbox()
        private static let said = "buy milk and bread\ncall the plumber"

        /// A sendmail that keeps its input, and ends with the exit status in the file `sendmail-status`.
        private func sendmail() -> String {
            sandbox.script(
                "sendmail",
                "echo \"$@\" >'\(sandbox.file("sendmail-arguments"))'; cat >'\(sandbox.file("mail"))'; exit $(cat '\(sandbox.file("sendmail-status"))' || echo 0)"
            )
        }

        private func command(_ line: String, name: String = "notes") throws {
            let quoted = line.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            try sandbox.configureDestinations("{\"\(name)\": {\"type\": \"command\", \"command\": \"\(quoted)\"}}")
        }

        @Test("Queued texts arrive at every kind of destination, silently, and then the queue is empty")
        func arrives() async throws {
            let (web, mail) = (try await LoopbackPeer("web.py"), try await LoopbackPeer("mail.py"))
            sandbox.put("s3cret\n", in: "home/.token")
            let msmtprc = sandbox.put(
                "account default\nhost 127.0.0.1\nport \(mail.port)\nfrom me@example.org\ntimeout 20\n",
                in: "msmtprc")
            #expect(chmod(msmtprc, 0o600) == 0)
            try sandbox.configureDestinations(
                """
                {"vault": {"type": "vault", "folder": "~/vault", "heading": "Memos", "line": "* {time} {text}"},
                 "hook": {"type": "webhook", "url": "http://127.0.0.1:\(web.port)/ok", "bearer": {"file": "~/.token"},
                          "headers": {"X-Key": {"environment": "HOOK_KEY"}}},
                 "mail": {"type": "mail", "to": "you@example.org", "from": "me@example.org", "program": "msmtp -C \(msmtprc)"},
                 "print": {"type": "command", "command": "{ cat; echo \\" $UTTER_KIND $UTTER_TIME $UTTER_ID\\"; } >> '\(sandbox.file("printed"))'"}}
                """)
            let ids = try ["vault", "hook", "mail", "print"].map { try sandbox.queue(Self.said, for: $0) }
            let finished = try await sandbox.outbox("drain", environment: ["HOOK_KEY": "k3y"])
            #expect(finished.end == .exited(0) && finished.output == "" && finished.errors == "")
            #expect(try sandbox.queued == [])

            #expect(
                sandbox.text(of: "home/vault/2025-03-08.md")
                    == "## Memos\n* 13:22 buy milk and bread\n  call the plumber ^utter-\(ids[0].name)\n")
            try await web.wait(for: ids[1].name)
            let headers = try #require(web.received.first?["headers"] as? [String: String])
            #expect(
                headers["authorization"] == "Bearer s3cret" && headers["x-key"] == "k3y"
                    && headers["idempotency-key"] == ids[1].name)
            try await mail.wait(for: "utter-\(ids[2].name)@example.org")
            #expect(mail.received.count == 1 && mail.received.first?["to"] as? [String] == ["you@example.org"])
            #expect(
                sandbox.text(of: "printed")
                    == "\(Self.said) print 2025-03-08T13:22:00Z \(ids[3].name)\n".replacing("00Z", with: "00+00:00")
            )
        }

        @Test("Without a file of destinations a text goes into the local notes, or those of --notes and UTTER_NOTES")
        func localVault() async throws {
            for (arguments, environment, folder) in [
                ([], [:], "data/utter/notes"), (["--notes", sandbox.file("a")], [:], "a"),
                ([], ["UTTER_NOTES": sandbox.file("b")], "b"),
            ] as [([String], [String: String], String)] {
                let id = try sandbox.queue()
                let finished = try await sandbox.utter(["outbox", "drain"] + arguments, environment: environment)
                #expect(finished.end == .exited(0) && finished.errors == "", "\(folder)")
                #expect(sandbox.text(of: folder + "/2025-03-08.md") == "- 13:22 buy milk ^utter-\(id.name)\n")
            }
        }

        @Test(
            "A failed operation stays, is reported with its next attempt, and is tried again when the user asks for it")
        func fails() async throws {
            sandbox.put("75", in: "sendmail-status")
            let program = sendmail()
            try sandbox.configureDestinations(
                "{\"mail\": {\"type\": \"mail\", \"to\": \"you@example.org\", \"program\": \"\(program)\"}}")
            let id = try sandbox.queue(Self.said, for: "mail")
            let first = try await sandbox.outbox("drain")
            #expect(first.end == .exited(75) && first.output == "")
            let sentence = "\(id.name) to mail: \(program) ended with exit status 75; attempt 1, the next in 2 s"
            #expect(
                first.errorLines == [
                    "utter: \(sentence)", "utter: 1 could not be brought yet; utter outbox list shows why",
                ])
            #expect(try sandbox.store.operation(id)?.attemptCount == 1)
            #expect(sandbox.text(of: "sendmail-arguments") == "-t -i\n")

            // The next attempt is not due yet.
            try sandbox.store.change(id) { $0.nextEligibleAt = $0.lastAttemptAt.map { $0 + 500 } }
            let second = try await sandbox.outbox("drain")
            second.expectEnd(75, errors: "utter: 1 could not be brought yet; utter outbox list shows why\n")
            #expect(try sandbox.store.operation(id)?.attemptCount == 1)

            sandbox.put("0", in: "sendmail-status")
            #expect(try await sandbox.outbox("retry", "--no-drain", id.name).end == .exited(0))
            let third = try await sandbox.outbox("drain")
            #expect(third.end == .exited(0) && third.errors == "")
            #expect(sandbox.text(of: "mail")?.hasSuffix("\n\nbuy milk and bread\ncall the plumber\n") == true)
        }

        @Test("An operation that needs the user waits, and another destination continues")
        func waits() async throws {
            let web = try await LoopbackPeer("web.py")
            try sandbox.configureDestinations(
                """
                {"hook": {"type": "webhook", "url": "http://127.0.0.1:\(web.port)/404"}, "notes": {"type": "vault", "folder": "~/notes"}}
                """)
            let ids = try ["hook", "notes", "renamed"].map { try sandbox.queue(for: $0) }
            let finished = try await sandbox.outbox("drain")
            #expect(finished.end == .exited(75))
            #expect(
                Set(finished.errorLines) == [
                    "utter: \(ids[0].name) to hook waits for you: the web hook answered 404; look at its address and its secret",
                    "utter: \(ids[2].name): no destination is named renamed",
                    "utter: 2 could not be brought yet; utter outbox list shows why",
                ])
            #expect(try sandbox.queued == [ids[0], ids[2]])
            #expect(
                try await sandbox.outbox().outputLines == [
                    "hook: 1 pending, 1 of them waiting for you: the web hook answered 404; look at its address and its secret",
                    "renamed: 1 pending, 1 of them waiting for you: no destination has this name",
                ])
            // Without the user it is not tried again.
            _ = try await sandbox.outbox("drain")
            #expect(web.received.count == 1)
            try sandbox.configureDestinations(
                """
                {"hook": {"type": "webhook", "url": "http://127.0.0.1:\(web.port)/ok"}, "renamed": {"type": "command", "command": "true"}}
                """)
            _ = try await sandbox.outbox("retry", "--all", "--no-drain")
            #expect(try await sandbox.outbox("drain").end == .exited(0))
            #expect(try sandbox.queued == [])
        }

        @Test("With --json each event is a line with an object, and a full output is reported at the end")
        func json() async throws {
            let web = try await LoopbackPeer("web.py")
            try sandbox.configureDestinations(
                """
                {"notes": {"type": "vault", "folder": "~/notes"}, "busy": {"type": "webhook", "url": "http://127.0.0.1:\(web.port)/throttle"},
                 "refusing": {"type": "webhook", "url": "http://127.0.0.1:\(web.port)/401"}}
                """)
            let ids = try ["notes", "busy", "refusing", "elsewhere"].map { try sandbox.queue(for: $0) }
            let broken = UUID.timeOrdered()
            sandbox.put([], in: "state/utter/outbox/\(broken.name).json")
            let finished = try await sandbox.outbox("drain", "--json")
            #expect(finished.end == .exited(75))
            let objects = try finished.objects()
            func event(_ id: UUID) -> [String: Any] { objects.first { $0["id"] as? String == id.name } ?? [:] }
            #expect(objects.count == 5 && ids.allSatisfy { !event($0).isEmpty })
            #expect(
                event(ids[0])["event"] as? String == "delivered" && event(ids[0])["destination"] as? String == "notes"
                    && event(ids[0])["attempts"] as? Int == 1)
            #expect(
                event(ids[1])["event"] as? String == "failed"
                    && event(ids[1])["reason"] as? String == "the web hook answered 429")
            #expect((event(ids[1])["nextInSeconds"] as? Double).map { (7...9.1).contains($0) } == true)
            #expect(
                event(ids[2])["event"] as? String == "needsUser"
                    && event(ids[3])["event"] as? String == "unknownDestination")
            #expect(event(broken)["event"] as? String == "putAside")
            #expect(finished.errors.contains("utter: the file of \(broken.name) can't be read; it was put aside\n"))

            try sandbox.queue()
            let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
            defer { close(full) }
            let failed = try await sandbox.outbox("drain", "--json", output: .descriptor(full))
            #expect(
                failed.end == .exited(74)
                    && failed.errors.hasSuffix("utter: can't write standard output: No space left on device\n"))
            #expect(try sandbox.queued.count == 3)
        }

        @Test(
            "What could not be brought is in the exit status: an unreadable file, and what waits when a watch ends by itself"
        )
        func exitStatus() async throws {
            try command("exit 75")
            try sandbox.queue()
            #expect(try await sandbox.outbox("drain").end == .exited(75))
            try command("cat >/dev/null")
            _ = try await sandbox.outbox("retry", "--all", "--no-drain")
            sandbox.put([], in: "state/utter/outbox/\(UUID.timeOrdered().name).json")
            let drained = try await sandbox.outbox("drain")
            #expect(drained.end == .exited(65) && drained.errorLines.count == 1)
            #expect(try await sandbox.outbox("drain").end == .exited(0))
            try command("exit 75")
            try sandbox.queue()
            let watched = try await sandbox.outbox("drain", "--watch", "--for", "1")
            #expect(watched.end == .exited(75))
            #expect(watched.errors.hasSuffix("utter: 1 could not be brought yet; utter outbox list shows why\n"))
            #expect(try sandbox.queued.count == 1)
        }

        @Test("No message, stored reason or list has words of the text, whatever a receiver repeats")
        func privacy() async throws {
            let web = try await LoopbackPeer("web.py")
            let shouting = sandbox.script("shouting", "cat >&2; exit 75")
            // A number alone may be that of the test's folder.
            for text in [Self.said, "pin 4711x ok", "내일 우유 사기", "明天买牛奶", "Schlüssel", "yes"] {
                let echoing = "{ cat; env; } | tr '\\\\n' ' ' | sed 's/^/can not take /' >&2; exit 1"
                try sandbox.configureDestinations(
                    """
                    {"echo": {"type": "command", "command": "\(echoing)"}, "shout": {"type": "command", "command": "cat >&2; exit 127"},
                     "mail": {"type": "mail", "to": "you@example.org", "program": "\(shouting)"},
                     "hook": {"type": "webhook", "url": "http://127.0.0.1:\(web.port)/503"}, "vault": {"type": "vault", "folder": "/dev/null/x"}}
                    """)
                let kinds = ["echo", "shout", "mail", "hook", "vault", "none"]
                for kind in kinds { try sandbox.queue(text, for: kind) }
                let drained = try await sandbox.outbox("drain", "--json")
                #expect(drained.end == .exited(75) && drained.errorLines.count == 7)
                var told = drained.errors + drained.output
                for arguments in [
                    ["list"], ["list", "--json"], ["summary"], ["retry", "--all", "--no-drain", "--json"],
                ] {
                    let finished = try await sandbox.outbox(arguments)
                    told += finished.output + finished.errors
                }
                for kind in kinds where kind != "none" {
                    let tested = try await sandbox.outbox("test", kind)
                    #expect(tested.end != .exited(0))
                    told += tested.errors
                }
                let words = Set(told.lowercased().split { !$0.isLetter && !$0.isNumber })
                for word in text.split(whereSeparator: \.isWhitespace) where word != "and" && word != "the" {
                    #expect(
                        !words.contains(Substring(word.lowercased())) && !(word.count > 3 && told.contains(word)),
                        "\(word): \(told)")
                }
                _ = try await sandbox.outbox("clear", "--yes")
            }
        }

        @Test(
            "No message has the text in another form either; the outbox's test shows a program's message with a text of its own"
        )
        func otherShapes() async throws {
            try command("base64 >&2; rev; exit 1")
            try sandbox.queue("good morning")
            let encoded = try await sandbox.outbox("drain")
            #expect(
                encoded.errors.contains("notes: the command ended with exit status 1; attempt 1")
                    && encoded.errorLines.count == 2)
            let list = try await sandbox.outbox("list")
            #expect(list.output.hasSuffix("notes  tried once: the command ended with exit status 1\n"))
            let shown = try await sandbox.outbox("show", try #require(try sandbox.queued.first).name)
            #expect(shown.outputLines.contains("to see what it says: utter outbox test notes"))
            let tested = try await sandbox.outbox("test", "notes")
            #expect(
                tested.errors == Data("a test of utter".utf8).base64EncodedString()
                    + "\nutter: notes: the command ended with exit status 1\n")
            try command("printf 'a\\033[31m\\377b' >&2; exit 1")
            #expect(try await sandbox.outbox("test", "notes").errors.hasPrefix("a\\x1B[31m\\xFFb"))
        }

        @Test("In systemd's journal each line has its level; an inherited variable alone makes no journal")
        func journal() async throws {
            try command("test $UTTER_KIND = notes")
            let log = sandbox.put([], in: "journal")
            let descriptor = open(log, O_WRONLY | O_APPEND | O_CLOEXEC)
            defer { close(descriptor) }
            var status = stat()
            #expect(fstat(descriptor, &status) == 0)
            let ids = [try sandbox.queue(), try sandbox.queue(for: "elsewhere")]
            let stream = "\(status.st_dev):\(status.st_ino)"
            _ = try await sandbox.outbox(
                "drain", environment: ["JOURNAL_STREAM": stream], errors: .descriptor(descriptor))
            let lines = try #require(sandbox.text(of: "journal")).split(separator: "\n")
            #expect(lines.contains("<6>\(ids[0].name) arrived at notes with attempt 1"))
            #expect(lines.contains("<4>\(ids[1].name): no destination is named elsewhere"))

            try sandbox.queue()
            let inherited = try await sandbox.outbox("drain", environment: ["JOURNAL_STREAM": stream])
            #expect(!inherited.errors.contains("<") && !inherited.errors.contains("arrived"))
        }

        @Test("A destination of any kind can be tried with test, which queues nothing")
        func test() async throws {
            let web = try await LoopbackPeer("web.py")
            let program = sendmail()
            try sandbox.configureDestinations(
                """
                {"vault": {"type": "vault", "folder": "~/vault"}, "hook": {"type": "webhook", "url": "http://127.0.0.1:\(web.port)/ok"},
                 "mail": {"type": "mail", "to": "you@example.org", "program": "\(program)"}, "print": {"type": "command", "command": "cat"},
                 "failing": {"type": "command", "command": "exit 3"}, "wrong": {"type": "command", "command": "no-such-program"},
                 "a\\u001bb": {"type": "command", "command": "true"}}
                """)
            for name in ["vault", "hook", "mail", "print"] {
                let finished = try await sandbox.outbox("test", name)
                #expect(finished.end == .exited(0) && finished.output == "\(name) works\n" && finished.errors == "")
                #expect(
                    try await sandbox.outbox("test", name, "--json").output
                        == "{\"destination\":\"\(name)\",\"works\":true}\n")
            }
            #expect(try await sandbox.outbox("test", "a\u{1B}b").output == "a\\x1Bb works\n")
            try await web.wait(for: "a test of utter")
            #expect(sandbox.text(of: "mail")?.contains("Subject: a test of utter\n") == true)
            #expect(sandbox.names(in: "home/vault").count == 1)

            let failing = try await sandbox.outbox("test", "failing", "--json")
            failing.expectEnd(75, errors: "utter: failing: the command ended with exit status 3\n")
            #expect(
                failing.output
                    == "{\"destination\":\"failing\",\"works\":false,\"reason\":\"the command ended with exit status 3\"}\n"
            )
            let wrong = try await sandbox.outbox("test", "wrong")
            #expect(
                wrong.end == .exited(78)
                    && wrong.errors.hasSuffix("utter: wrong: the command can't be run (exit status 127)\n"))
            let none = try await sandbox.outbox("test", "nowhere")
            #expect(none.end == .exited(78))
            #expect(
                none.errors.hasPrefix(
                    "utter: 'nowhere' is not a destination: there are notes, vault, hook, mail, print, failing, wrong and a"
                ))
            #expect(try sandbox.queued == [])
        }

        @Test("An error in the file of destinations is reported with its place, and nothing is tried")
        func configuration() async throws {
            try sandbox.configureDestinations("{\n\n\"a\": {,}}")
            let path = sandbox.file("home/.config/utter/destinations.json")
            let id = try sandbox.queue()
            for action in ["drain", "summary"] {
                let finished = try await sandbox.outbox(action)
                finished.expectEnd(78, output: "", errors: "utter: \(path): in line 3, column 7 it is not JSON\n")
            }
            #expect(try sandbox.queued == [id])
        }

        @Test("A file of destinations that can't be read is reported")
        func unreadableConfiguration() async throws {
            try FileManager.default.createDirectory(
                atPath: sandbox.file("home/.config/utter/destinations.json"), withIntermediateDirectories: true)
            let finished = try await sandbox.outbox("drain")
            #expect(finished.end == .exited(78) && finished.errorLines.count == 1)
            let path = sandbox.file("home/.config/utter/destinations.json")
            #expect(finished.errors.contains("can't read the destinations \(path)"), "\(finished.errors)")
        }
    }
}
