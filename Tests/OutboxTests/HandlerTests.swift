import Foundation
import Glibc
import System
import TestSupport
import Testing

@testable import Outbox

@Suite("Destinations", .serialized)
struct HandlerTests {
    private let folder = TemporaryFolder()
    private static let said = "buy milk\nand \"bread\" 우유 = geheim"

    private func operation(_ text: String = said, id: UUID = .timeOrdered(), destination: String = "work")
        -> OutboxOperation
    {
        let capture = CapturedText(
            text: text, capturedAt: Date(timeIntervalSince1970: 1_741_440_120),
            timeZone: TimeZone(identifier: "Europe/Berlin")!)
        return OutboxOperation(id: id, destination: destination, payload: capture.payload)
    }

    /// Why it failed, or "delivered". The reason never holds what was said.
    private func reason(_ outcome: DeliveryOutcome) -> String {
        switch outcome {
        case .delivered: return "delivered"
        case .failed(let reason, let pause, let isNetwork, let mayHaveArrived):
            #expect(!reason.contains("milk") && !reason.contains("geheim"))
            return (isNetwork ? "network: " : "failed: ") + reason
                + (pause.map { " after \($0.components.seconds)" } ?? "") + (mayHaveArrived ? "; perhaps sent" : "")
        case .needsUser(let reason):
            #expect(!reason.contains("milk") && !reason.contains("geheim"))
            return "user: " + reason
        }
    }

    @Test("A capture is the same after it is written to a payload and read again")
    func captures() throws {
        var random = SplitMix64(for: "captures")
        for zone in ["Europe/Berlin", "Asia/Kathmandu", "America/St_Johns", "GMT", "GMT+0130"] {
            let date = Date(
                timeIntervalSince1970: Double(Int.random(in: -10_000_000_000...2_000_000_000_000, using: &random))
                    / 1000)
            let capture = CapturedText(
                text: Self.said + "\u{0}\u{7F}🥛", capturedAt: date, timeZone: TimeZone(identifier: zone)!)
            let found = try #require(CapturedText(payload: capture.payload))
            #expect(
                found.text == capture.text
                    && found.timeZone.secondsFromGMT(for: date) == capture.timeZone.secondsFromGMT(for: date))
            #expect(abs(found.capturedAt.timeIntervalSince(date)) < 1e-3)
        }
        #expect(CapturedText(payload: Data("x".utf8)) == nil && CapturedText(payload: Data("{}".utf8)) == nil)
        #expect(CapturedText(payload: operation().payload)?.timestamp == "2025-03-08T14:22:00+01:00")
        let west = CapturedText(
            text: "", capturedAt: Date(timeIntervalSince1970: 0), timeZone: TimeZone(secondsFromGMT: -12_600)!)
        #expect(west.timestamp == "1969-12-31T20:30:00-03:30")
    }

    @Test("A foreign payload is read or refused, whatever its time and time zone")
    func foreignCaptures() throws {
        func capture(_ time: String, _ zone: String, _ offset: String) -> CapturedText? {
            CapturedText(
                payload: Data(
                    #"{"text":"x","capturedAt":\#(time),"timeZone":"\#(zone)","secondsFromGMT":\#(offset)}"#.utf8))
        }
        for offset in ["-9223372036854775808", "9223372036854775807", "86400", "-86400", "1e3", "null"] {
            #expect(capture("0", "Mars/Olympus", offset)?.timeZone.secondsFromGMT() == 0, "\(offset)")
        }
        #expect(capture("0", "Mars/Olympus", "-12600")?.timeZone.secondsFromGMT() == -12_600)
        #expect(capture("9000000000.001", "GMT", "0") == nil && capture("-1e300", "GMT", "0") == nil)
        // What is written can be read, to the edge and beyond.
        for time in ["-8999999999.9999", "8999999999.9999", "9e9"] {
            let payload = try #require(capture(time, "GMT", "0")).payload
            #expect(CapturedText(payload: payload)?.payload == payload, "\(time)")
        }
        for time in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 1e300)] {
            #expect(
                CapturedText(payload: CapturedText(text: "x", capturedAt: time, timeZone: .gmt).payload)?.text == "x")
        }
    }

    @Test("Every destination refuses a payload that is not a capture")
    func notACapture() async throws {
        let wrong = OutboxOperation(destination: "k", payload: Data("x".utf8))
        let handlers: [any OutboxHandler] = [
            VaultHandler(MarkdownVault(.own(folder.path + "/notes"))), CommandHandler("false"),
            try MailHandler(to: "a@b"),
            try WebHookHandler("http://127.0.0.1:9"),
        ]
        for handler in handlers {
            #expect(reason(await handler.deliver(wrong)).hasPrefix("user: the operation holds no text"))
        }
    }

    @Test("The vault adds a capture once, and after an error of the disk it is tried again")
    func vault() async throws {
        let handler = VaultHandler(MarkdownVault(.own(folder.path + "/notes")))
        let operation = operation(Self.said + "\u{1B}[31m\u{0}\u{202E}\u{2028}")
        #expect(await handler.deliver(operation) == .delivered)
        #expect(await handler.deliver(operation) == .delivered)
        #expect(
            folder.text(of: "notes/2025-03-08.md")
                == "- 14:22 buy milk\n  and \"bread\" 우유 = geheim[31m ^utter-\(operation.id.name)\n")
        folder.put("", in: "file")
        let refused = await VaultHandler(MarkdownVault(.own(folder.path + "/file"))).deliver(operation)
        #expect(reason(refused).hasPrefix("failed: \(folder.path)/file is not a folder"))
        #expect(
            reason(refused).hasSuffix(
                "or move it out of the way; to bring the text elsewhere: utter outbox move \(operation.id.name) --to notes; "
                    + "for another than the usual folder add --notes DIR"
            ))
        // What has the note's name: first what to do with that.
        for (folderName, advice) in [
            ("linked", ".md: it is a symbolic link; remove it, or put what it leads to in its place"),
            ("filled", "; move what is there out of the way"),
        ] {
            let notes = "\(folder.path)/\(folderName)"
            #expect(mkdir(notes, 0o700) == 0)
            let note = "\(notes)/2025-03-08.md"
            #expect((folderName == "linked" ? symlink("elsewhere.md", note) : mkdir(note, 0o700)) == 0)
            let refused = reason(await VaultHandler(MarkdownVault(.own(notes))).deliver(operation))
            #expect(refused.contains("\(advice); to bring the text elsewhere: utter outbox move "), "\(refused)")
        }
    }

    @Test(
        "A command gets the text unchanged on its input, id, time and kind in its environment, and runs in the home folder"
    )
    func command() async throws {
        let text = Self.said + "\u{1B}[31m\u{0}\u{7F}\u{9B}\r\n\u{2028}\u{202E}\t"
        let operation = operation(text)
        let home = BaseFolder.home(ProcessInfo.processInfo.environment)
        let outcome = await CommandHandler(
            "cat > '\(folder.path)/got'; { echo $UTTER_ID $UTTER_TIME $UTTER_KIND; pwd; } >> '\(folder.path)/got'"
        )
        .deliver(operation)
        #expect(outcome == .delivered)
        #expect(
            folder.text(of: "got") == text
                + "\(operation.id.uuidString.lowercased()) 2025-03-08T14:22:00+01:00 work\n\(home)\n")
    }

    @Test("A command gets one capture after the other, in order, so that what it appends to a file is not mixed")
    func commandsInOrder() async throws {
        let store = OutboxStore(folder: folder.path + "/queue")
        let texts = (1...6).map { "text \($0)" }
        for text in texts { try store.enqueue(operation(text)) }
        let command = CommandHandler("cat >> '\(folder.path)/all'; sleep 0.02; echo >> '\(folder.path)/all'")
        try await OutboxDrainer(store: store, handlers: ["work": command]).run(.once)
        #expect(folder.text(of: "all") == texts.map { $0 + "\n" }.joined())
    }

    @Test(
        "The exit status of a command decides the outcome, and nothing of its output, which may hold the text, is in the reason"
    )
    func commandFailures() async throws {
        let expected = [
            "exit 3": "failed: the command ended with exit status 3",
            "echo 'no route' >&2; exit 75": "failed: the command ended with exit status 75",
            "cat >&2; exit 1": "failed: the command ended with exit status 1",
            "base64 >&2; exit 1": "failed: the command ended with exit status 1",
            "rev; rev >&2; exit 1": "failed: the command ended with exit status 1",
            "base64 >&2; exit 126": "user: the command can't be run (exit status 126)",
            "no-such-program-here": "user: the command can't be run (exit status 127)",
            "base64 >&2; kill -9 $$": "failed: the command was ended by signal 9",
        ]
        for (command, expected) in expected {
            #expect(reason(await CommandHandler(command).deliver(operation())) == expected)
        }
        // Who tries it out at a terminal hears it.
        #expect(
            await CommandHandler("echo 'no route' >&2; exit 75").attempt(operation()).words == Array("no route\n".utf8))
    }

    @Test("A command that reads nothing, writes without end or leaves a process running delays nothing")
    func unruly() async throws {
        let long = String(repeating: "buy milk ", count: 100_000)
        #expect(await CommandHandler("exit 0").deliver(operation(long)) == .delivered)
        #expect(
            await CommandHandler("yes | head -c 10000000; yes | head -c 1000000 >&2").deliver(operation(long))
                == .delivered)
        #expect(await CommandHandler("wc -c > '\(folder.path)/count'").deliver(operation(long)) == .delivered)
        #expect(folder.text(of: "count") == "900000\n")
        // Holds our pipes after its parent has ended.
        #expect(
            await CommandHandler("tail -f /dev/null & echo $! > '\(folder.path)/pid'").deliver(operation())
                == .delivered)
        let child = try #require(folder.text(of: "pid").flatMap { Int32($0.dropLast()) })
        #expect(kill(child, SIGKILL) == 0)
    }

    @Test(
        "A command that doesn't end is killed with all processes that it started, at its time limit or when the drainer ends"
    )
    func stuck() async throws {
        let stuck = "tail -f /dev/null & echo $! > '\(folder.path)/pid'; wait"
        #expect(
            reason(await CommandHandler(stuck, timeLimit: .milliseconds(200)).deliver(operation()))
                == "failed: the command did not end within 0 seconds")
        var child = try #require(folder.text(of: "pid").flatMap { Int32($0.dropLast()) })
        try await waitForEnd(of: child)

        #expect(mkfifo(folder.file("ready"), 0o600) == 0)
        let operation = operation()
        let command = "tail -f /dev/null & echo $! > '\(folder.path)/ready'; wait"
        let task = Task { await CommandHandler(command).deliver(operation) }
        let path = folder.file("ready")
        let number = try await onThread {
            let ready = open(path, O_RDONLY | O_CLOEXEC)
            defer { close(ready) }
            var digits = [UInt8](repeating: 0, count: 20)
            let count = max(0, read(ready, &digits, digits.count))
            return String(decoding: digits.prefix(count).dropLast(), as: UTF8.self)
        }
        child = try #require(Int32(number))
        task.cancel()
        _ = await task.value
        try await waitForEnd(of: child)
    }

    /// A process that was killed has ended a moment later.
    private func waitForEnd(of process: Int32) async throws {
        try await Patience.wait(for: "process \(process) has ended") { ProcessTable.hasEnded(process) }
    }
}

extension HandlerTests {
    private func hook(
        _ peer: LoopbackPeer, _ path: String, bearer: WebHookHandler.Secret? = nil, limit: Int = 20
    ) throws -> WebHookHandler {
        try WebHookHandler("http://127.0.0.1:\(peer.port)\(path)", bearer: bearer, timeLimit: .seconds(limit))
    }

    @Test(
        "A web hook gets JSON with the key, the time and the secret, and no process has the secret among its arguments")
    func webHook() async throws {
        let peer = try await LoopbackPeer("web.py")
        folder.put("s3cret\n", in: "token")
        let operation = operation()
        #expect(
            await (try hook(peer, "/ok?a=[1]{2}", bearer: .file(folder.path + "/token"))).deliver(operation)
                == .delivered)
        let request = try await peer.next()
        let headers = try #require(request["headers"] as? [String: String])
        #expect(request["method"] as? String == "POST" && request["path"] as? String == "/ok?a=[1]{2}")
        #expect(headers["idempotency-key"] == operation.id.uuidString.lowercased())
        #expect(headers["content-type"] == "application/json" && headers["authorization"] == "Bearer s3cret")
        #expect(headers["expect"] == nil)
        let body =
            try JSONSerialization.jsonObject(with: Data((request["body"] as? String ?? "").utf8)) as? [String: String]
        #expect(
            body == [
                "id": operation.id.uuidString.lowercased(), "kind": "work", "text": Self.said,
                "time": "2025-03-08T14:22:00+01:00",
            ])

        // While it waits for the answer, everybody can see curl's arguments.
        let task = Task { [self] in
            await (try hook(peer, "/stall", bearer: .file(folder.path + "/token"))).deliver(operation)
        }
        _ = try await peer.next()
        let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
        let commands = processes.compactMap { FileManager.default.contents(atPath: "/proc/\($0)/cmdline") }
            .map { String(decoding: $0, as: UTF8.self).replacingOccurrences(of: "\0", with: " ") }
        #expect(commands.contains { $0.hasPrefix("curl -q -K /dev/fd/3") })
        #expect(
            !commands.contains {
                $0.contains("s3cret") || $0.contains(":\(peer.port)/stall") || $0.contains("buy milk")
            })
        task.cancel()
        _ = try await task.value
    }

    @Test("The status of a web hook's answer decides the outcome, which says whether the request may have been sent")
    func webHookAnswers() async throws {
        let peer = try await LoopbackPeer("web.py")
        let expected = [
            "/204": "delivered",
            "/409":
                "user: the web hook answered 409, a conflict, to what it can't have got before; look there, then retry or clear it",
            "/throttle": "failed: the web hook answered 429 after 7",
            "/503": "failed: the web hook answered 503", "/500": "failed: the web hook answered 500",
            "/404": "user: the web hook answered 404; look at its address and its secret",
            "/401": "user: the web hook answered 401; look at its address and its secret",
            "/408": "failed: the web hook answered 408",
            "/close": "network: the web hook gave no answer; perhaps sent",
            "/half": "network: the web hook broke off; perhaps sent",
        ]
        for (path, expected) in expected {
            #expect(reason(await (try hook(peer, path)).deliver(operation())) == expected, "\(path)")
        }
        // An answer without an end, of which nobody reads more than the beginning; and one that is large and has an end.
        #expect(await (try hook(peer, "/flood")).deliver(operation()) == .delivered)
        #expect(await (try hook(peer, "/large")).deliver(operation()) == .delivered)
        let later = reason(await (try hook(peer, "/later")).deliver(operation()))
        #expect(
            later.hasPrefix("failed: the web hook answered 503 after ")
                && later.split(separator: " ").last.flatMap { Int($0) } ?? 0 > 86_400)
        #expect(
            reason(await (try hook(peer, "/stall", limit: 1)).deliver(operation()))
                == "network: the web hook did not answer in time; perhaps sent")
        for (address, expected) in [
            ("http://127.0.0.1:1/", "network: the web hook can't be reached"),
            ("http://name.invalid/", "network: the web hook's host is not found"),
            ("https://127.0.0.1:\(peer.port)/ok", "network: no secure connection to the web hook comes about"),
        ] { #expect(reason(await (try WebHookHandler(address)).deliver(operation())) == expected) }
    }

    @Test("Only a complete answer of the web hook counts, and nothing that only resembles one")
    func webHookOddAnswers() async throws {
        let peer = try await LoopbackPeer("web.py")
        let brokeOff = "network: the web hook broke off; perhaps sent"
        let noServer = "network: the web hook did not answer as a web server does"
        let (ok, rest) = ("HTTP/1.1 200 OK\r\n", "Content-Length: 0\r\n\r\n")
        for (answer, expected) in [
            (ok + rest, "delivered"), ("HTTP/1.1 200 OK\nContent-Length: 0\n\n", "delivered"),
            ("HTTP/1.0 204\r\n\r\n", "delivered"),
            ("HTTP/2 200 \r\n" + rest, "delivered"), ("HTTP/1.1 100 Continue\r\n\r\n" + ok + rest, "delivered"),
            ("HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 500 No\r\n" + rest, "failed: the web hook answered 500"),
            // The head has no end. curl has no complaint about that.
            (ok, brokeOff), (ok + "X: y\r\n", brokeOff), (ok + "Content-Length: 0\r\n", brokeOff),
            // Only an announcement.
            ("HTTP/1.1 100 Continue\r\n\r\n", "network: the web hook gave no answer; perhaps sent"),
            ("HTTP/1.1 103 Early\r\n\r\n" + ok, brokeOff),
            // The body breaks off, or makes no sense.
            (ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nab", brokeOff),
            (ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", brokeOff),
            // What is not HTTP. `HTTPAnswerTests` have the other heads.
            ("hello\r\n", noServer + "; perhaps sent"), (ok + "no colon\r\n\r\n", noServer + "; perhaps sent"),
            ("HTTP/1.1 600 Odd\r\n" + rest, noServer),
        ] {
            let encoded = Data(answer.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            #expect(
                reason(await (try hook(peer, "/raw?" + encoded)).deliver(operation())) == expected,
                "\(answer.debugDescription)")
        }
        // It never comes to its end.
        let encoded = Data((ok + "X: y\r\n").utf8).base64EncodedString()
        #expect(
            reason(await (try hook(peer, "/raw-stall?" + encoded, limit: 1)).deliver(operation()))
                == "network: the web hook did not answer in time; perhaps sent")
    }

    @Test("A redirect is not followed", arguments: Tier.every(2, of: [301, 302, 303, 307, 308]))
    func redirects(status: Int) async throws {
        let (peer, other) = (try await LoopbackPeer("web.py"), try await LoopbackPeer("web.py"))
        folder.put("s3cret", in: "token")
        for target in [
            "http://127.0.0.1:\(other.port)/ok", "http://localhost:\(peer.port)/ok", "/ok", "file:///etc/passwd",
        ] {
            let outcome = await (try hook(peer, "/redirect?\(status),\(target)", bearer: .file(folder.path + "/token")))
                .deliver(operation())
            #expect(
                reason(outcome)
                    == "user: the web hook answered \(status) and wants to send us elsewhere; set its final address")
            #expect((try await peer.next()["path"] as? String)?.hasPrefix("/redirect") == true)
        }
        // Nothing but this has come to either.
        for server in [peer, other] {
            _ = await (try hook(server, "/204")).deliver(operation())
            #expect(try await server.next()["path"] as? String == "/204")
        }
    }

    @Test("The user's own settings of curl are ignored")
    func curlrc() async throws {
        let (peer, other) = (try await LoopbackPeer("web.py"), try await LoopbackPeer("web.py"))
        folder.put("location\nproxy = \"http://127.0.0.1:\(other.port)\"\n", in: ".curlrc")
        var hook = try hook(peer, "/ok")
        hook.environment = ["CURL_HOME": folder.path]
        #expect(await hook.deliver(operation()) == .delivered)
        #expect(try await peer.next()["path"] as? String == "/ok")
    }

    @Test("A missing secret and an invalid address are reported before anything is sent")
    func webHookConfiguration() async throws {
        for address in [
            "", "example.org", "ftp://example.org", "http://", "https://a b", "http://a\r\nX: y", "file:///etc/passwd",
        ] {
            #expect(throws: OutboxError.self) { try WebHookHandler(address) }
        }
        #expect(throws: OutboxError.self) { try WebHookHandler("http://a", headers: ["X: y\r\nZ": .environment("A")]) }
        folder.put("", in: "empty")
        folder.put("a\r\nX-Evil: 1", in: "evil")
        // Nobody writes to it.
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        for secret in [
            WebHookHandler.Secret.environment("UTTER_NO_SUCH"), .file("/nowhere"), .file(folder.path + "/empty"),
            .file(folder.path + "/evil"), .file(folder.path + "/pipe"), .file("/dev/zero"),
        ] {
            let outcome = await (try WebHookHandler("http://127.0.0.1:1", bearer: secret)).deliver(operation())
            #expect(reason(outcome).hasPrefix("user: the web hook's secret is missing"))
        }
    }

    private func msmtp(_ peer: LoopbackPeer) throws -> String {
        folder.put(
            "account default\nhost 127.0.0.1\nport \(peer.port)\nfrom me@example.org\ntimeout 20\n", in: "msmtprc")
        #expect(chmod(folder.path + "/msmtprc", 0o600) == 0)
        return "msmtp -C \(folder.path)/msmtprc"
    }

    @Test("A mail arrives through msmtp, complete, with the first words as its subject and the operation's id")
    func mail() async throws {
        let peer = try await LoopbackPeer("mail.py")
        let operation = operation(
            Self.said + "\n.\n.hidden\nFrom here\n" + String(repeating: "long ", count: 100) + "\nspace \n")
        let handler = try MailHandler(to: "you@example.org", from: "me@example.org", program: try msmtp(peer))
        #expect(await handler.deliver(operation) == .delivered)
        let mail = try await peer.next()
        #expect(mail["to"] as? [String] == ["you@example.org"])
        let message = try #require(mail["message"] as? String)
        folder.put(message, in: "message")
        // Python's own reader of mail judges.
        let script = """
            import email, email.policy, json, sys
            m = email.message_from_bytes(open(sys.argv[1], 'rb').read(), policy=email.policy.default)
            print(json.dumps([m['Subject'], m['From'], m['To'], m['Message-ID'], m['Date'], m.get_content(),
                [str(d) for d in m.defects], max(map(len, open(sys.argv[1], 'rb').read().splitlines()))]))
            """
        let read = await BoundedProgram(
            "python3", ["-c", script, folder.path + "/message"], timeLimit: .seconds(Patience.seconds)
        )
        .run()
        let fields = try #require(try JSONSerialization.jsonObject(with: Data(read.output)) as? [Any])
        try #require(fields.count == 8)
        #expect(fields[0] as? String == "buy milk and \"bread\" 우유 = geheim . .hidden From here long…")
        #expect(fields[1] as? String == "me@example.org" && fields[2] as? String == "you@example.org")
        #expect(fields[3] as? String == "<utter-\(operation.id.uuidString.lowercased())@example.org>")
        #expect(fields[4] as? String == "Sat, 08 Mar 2025 14:22:00 +0100")
        let text = try #require(fields[5] as? String).replacingOccurrences(of: "\r\n", with: "\n")
        #expect(text == CapturedText(payload: operation.payload)!.text + "\n")
        #expect((fields[6] as? [String]) == [] && (fields[7] as? Int ?? 999) <= 78)
    }

    @Test("The exit status of a mail program decides the outcome")
    func mailFailures() async throws {
        let peer = try await LoopbackPeer("mail.py")
        let program = try msmtp(peer)
        func outcome(_ recipient: String, _ program: String) async throws -> String {
            reason(await (try MailHandler(to: recipient, program: program)).deliver(operation()))
        }
        #expect(
            try await outcome("refuse@example.org", program).hasPrefix(
                "user: msmtp refused the mail with exit status 65"))
        let later = try await outcome("later@example.org", program)
        #expect(later.hasPrefix("network: msmtp ended with exit status 69"), "\(later)")
        #expect(
            try await outcome("a@example.org", "no-such-sendmail").hasPrefix("user: no-such-sendmail is not installed"))
        // Read by sh: to run a file just written may fail, while a child that another test starts has it open too.
        folder.put("cat >&2; exit 78\n", in: "sendmail")
        #expect(
            try await outcome("a@example.org", "sh \(folder.path)/sendmail")
                == "user: sh refused the mail with exit status 78")
        for address in ["", "a", "a@", "@b", "a@b@c", "a@b,c@d", "a@b\nBcc: c@d", "ä@b"] {
            #expect(throws: OutboxError.self) { try MailHandler(to: address) }
        }
        for program in ["", " "] { #expect(throws: OutboxError.self) { try MailHandler(to: "a@b", program: program) } }
    }

    @Test("Headers are ASCII whatever the text is, and a line of the text never becomes a header")
    func headers() {
        var random = SplitMix64(for: "mail headers")
        for _ in 0..<300 {
            let text = String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0...60, using: &random)).map { _ in
                        [" ", "\n", "\r", ":", "=?", "é", "우", "🥛", "a", "\u{0}", "\u{1B}", "Bcc"].randomElement(
                            using: &random)!
                            .unicodeScalars.first!
                    }))
            let message = MailMessage(
                recipient: "a@b", sender: nil, text: text, date: Date(), timeZone: .gmt, identifier: "x")
            let lines = String(decoding: message.bytes, as: UTF8.self).split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(message.bytes.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) })
            #expect(lines.allSatisfy { $0.utf8.count <= 78 })
            let head = lines.prefix { !$0.isEmpty }.filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
            #expect(
                head == [
                    "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type", "Content-Transfer-Encoding",
                ])
        }
        #expect(MailMessage.subject(of: " \n") == "(empty)")
        let hostile = MailMessage(
            recipient: "a@b", sender: nil, text: "a\u{1B}b\r\u{85}Bcc: x@y\u{2028}\u{202E}c\u{0}\t\u{9B}31m",
            date: Date(), timeZone: .gmt,
            identifier: "x")
        let text = String(decoding: hostile.bytes, as: UTF8.self)
        #expect(text.contains("\nSubject: ab Bcc: x@y c 31m\n") && text.hasSuffix("\n\nab\n\nBcc: x@y\nc\t31m\n"))
        #expect(MailMessage.subject(of: String(repeating: "x", count: 100)).count == 61)
        #expect(MailMessage.encodedWords("=?UTF-8?B?eA==?=").hasPrefix("=?UTF-8?B?PT9V"))
    }
}
