import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests that this version reads the files of earlier versions.
    @Suite("The files of an earlier version")
    struct Golden {
        private let sandbox = Sandbox()

        @Test("exist for each version that was released")
        func versions() {
            #expect(GoldenFiles.all.map(\.version).contains("0.1.0"))
        }

        @Test("in its queue are listed, shown, tried again and delivered", arguments: GoldenFiles.all)
        func outbox(_ golden: GoldenFiles) async throws {
            try golden.put("outbox", into: sandbox, as: "state/utter/outbox")
            let web = try await LoopbackPeer("web.py")
            let mail = sandbox.script("mail-program", "cat >>'\(sandbox.file("mail"))'")
            try sandbox.configureDestinations(
                """
                {"diary": {"type": "vault", "folder": "~/diary"}, "me": {"type": "mail", "to": "me@example.org", "program": "\(mail)"},
                 "work": {"type": "webhook", "url": "http://127.0.0.1:\(web.port)/ok"},
                 "print": {"type": "command", "command": "cat >>'\(sandbox.file("printed"))'"}}
                """)
            let list = try await sandbox.outbox("list", "--json").objects()
            try #require(list.compactMap { $0["destination"] as? String } == ["diary", "me", "work", "print"])
            #expect(list.allSatisfy { $0["attempts"] as? Int == 1 && ($0["lastError"] as? String)?.isEmpty == false })
            for (number, kind) in ["diary", "me", "work", "print"].enumerated() {
                let id = try #require(list[number]["id"] as? String)
                let shown = try await sandbox.outbox("show", id)
                #expect(
                    shown.output.contains("to \(kind)\n")
                        && shown.output.contains("übermorgen 🥛 “quoted” \\ and a tab\there"))
            }
            let table = try await sandbox.outbox("list")
            #expect(
                table.outputLines.count == 4
                    && table.output.contains("  me  waits for you: no-mail-program is not installed"))
            _ = try await sandbox.outbox("retry", "--all")
            // The drain that retry started in the background may still run.
            _ = try await sandbox.outbox("drain", "--watch", "--for", "100")
            #expect(try sandbox.queued == [])
            #expect(sandbox.memos(in: "home/diary").first == "to diary")
            #expect(sandbox.text(of: "printed") == "to print\n" + GoldenFiles.lines)
            let mailed = try #require(sandbox.text(of: "mail"))
            #expect(mailed.contains("Message-ID: <utter-\(list[1]["id"] as? String ?? "")@example.org>"))
            try await web.wait(for: list[2]["id"] as? String ?? "")
            #expect((web.received.first?["body"] as? String)?.contains("to work\\nbuy milk") == true)
        }

        @Test(
            "in a note and in its queue, as after a kill, are not added to the note a second time",
            arguments: GoldenFiles.all)
        func note(_ golden: GoldenFiles) async throws {
            try golden.put("note/outbox", into: sandbox, as: "state/utter/outbox")
            try golden.put("note/diary", into: sandbox, as: "home/diary")
            try golden.put("configuration", into: sandbox, as: "home/.config/utter")
            let notes = sandbox.names(in: "home/diary")
            let name = try #require(notes.first)
            let before = try #require(sandbox.text(of: "home/diary/" + name))
            #expect(notes.count == 1 && before.contains("once and no more ^utter-"))
            let drained = try await sandbox.outbox("drain")
            #expect(drained.exitCode == 0 && drained.errors == "")
            #expect(try sandbox.queued == [] && sandbox.names(in: "home/diary") == notes)
            #expect(sandbox.text(of: "home/diary/" + name) == before)
        }

        @Test("beside an installed model still show whether its files are unchanged", arguments: GoldenFiles.all)
        func model(_ golden: GoldenFiles) async throws {
            let place = "data/utter/models/" + ModelArchive.name
            try FileManager.default.copyItem(atPath: Sandbox.model, toPath: sandbox.file(place))
            sandbox.put(try golden.text(of: "model/.utter-manifest"), in: place + "/.utter-manifest")
            let list = try await sandbox.models("list", "--installed")
            #expect(list.outputLines.contains { $0.hasPrefix("  \(ModelArchive.name)  ") })
            let verified = try await sandbox.models("verify", ModelArchive.name)
            #expect(
                verified.exitCode == 0 && verified.errors.contains("\(ModelArchive.name) is as it was installed"),
                "\(verified.errors)")
            sandbox.put("changed", in: place + "/graph/words.txt")
            let changed = try await sandbox.models("verify", ModelArchive.name)
            #expect(changed.exitCode == 69 && changed.errors.contains("graph/words.txt"), "\(changed.errors)")
        }

        @Test("of an interrupted download are continued, not fetched again", arguments: GoldenFiles.all)
        func download(_ golden: GoldenFiles) async throws {
            try golden.put("download", into: sandbox, as: "data/utter/models")
            try FileManager.default.createDirectory(atPath: sandbox.file("served"), withIntermediateDirectories: true)
            try await sandbox.run(
                "python3", Sandbox.root + "/Scripts/golden", "--archive", sandbox.file("served/m.zip"))
            let server = try await ModelServer(sandbox.file("served"))
            // Replace the address of the server of that time by the test's.
            for name in ["model-list.json", ".install/\(ModelArchive.name)/archive.zip.note"] {
                let text = try #require(sandbox.text(of: "data/utter/models/" + name))
                let here = text.replacing(#/http:\/\/127\.0\.0\.1:\d+\/hold\/1000/#, with: server.address + "/plain")
                #expect(here != text)
                sandbox.put(here, in: "data/utter/models/" + name)
            }
            let installed = try await sandbox.models("install", ModelArchive.name)
            #expect(
                installed.exitCode == 0 && installed.errorLines.first == "utter: installed \(ModelArchive.name)",
                "\(installed.errors)")
            #expect(
                server.requests.count == 1 && server.requests.first?.contains("range=bytes=1000-") == true,
                "\(server.requests)")
            #expect(try await sandbox.models("verify", ModelArchive.name).exitCode == 0)
        }

        @Test("for its configuration are read, with every key", arguments: GoldenFiles.all)
        func configuration(_ golden: GoldenFiles) async throws {
            try golden.put("configuration", into: sandbox, as: "home/.config/utter")
            let shown = try await sandbox.utter(["config"])
            #expect(shown.exitCode == 0 && shown.errors == "")
            for line in [
                "locale             en-US  [file]", "endpoint-silence   0.5  [file]",
                "device             plughw:1  [file]",
                "device-rate        16000  [file]", "device-channels    1  [file]",
                "notes              /home/me/notes  [file]",
            ] { #expect(shown.outputLines.contains(line), "\(line) is not in \(shown.output)") }
            for name in ["diary", "me", "work", "print"] {
                let added = try await sandbox.outbox("add", "--no-drain", "--to", name, "something")
                #expect(added.exitCode == 0 && added.errors == "", "\(added.errors)")
            }
        }

        @Test(
            "with transcripts are left alone by --resume, which does the rest and removes temporary files",
            arguments: GoldenFiles.all)
        func transcripts(_ golden: GoldenFiles) async throws {
            try golden.put("texts", into: sandbox, as: "texts")
            // No version would write this text, so it stays only if the file is left alone.
            sandbox.put("as it was\n", in: "texts/digits-slt.txt")
            let (done, missing) = (Recording.named("digits-slt.wav"), Recording.named("date-rms.wav"))
            let finished = try await sandbox.transcribe(
                "--resume", "--output-dir", sandbox.file("texts"), done.path, missing.path)
            #expect(finished.exitCode == 0 && finished.errors == "utter: 1 left out, for it was done already\n")
            #expect(sandbox.names(in: "texts") == ["date-rms.txt", "digits-slt.txt"])
            #expect(sandbox.text(of: "texts/digits-slt.txt") == "as it was\n")
            #expect(sandbox.text(of: "texts/date-rms.txt") == missing.transcript + "\n")
        }
    }
}

extension MemoTests {
    @Suite("Memos of an earlier version")
    struct Golden {
        /// Opens a memo for the diary, restores the text that is offered, and keeps it.
        private func bringBack(_ golden: GoldenFiles, _ journals: String, offered: Bool?, _ terminal: MemoTerminal)
            async throws
        {
            let sandbox = terminal.sandbox
            try golden.put(journals, into: sandbox, as: "state/utter/memos")
            mkdir(sandbox.file("diary"), 0o700)
            try sandbox.configureDestinations(
                #"{"diary": {"type": "vault", "folder": "\#(sandbox.file("diary"))"}, "other": {"type": "command", "command": "cat"}}"#
            )
            try await terminal.start("memo --to diary", until: "no microphone")
            let isOffered = try await terminal.screen().contains { $0.contains("Ctrl-R brings it back") }
            if let offered { #expect(isOffered == offered) }
            if isOffered {
                try await terminal.press("C-r")
                try await terminal.expect("the text") { !$0.contains { $0.contains("Ctrl-R brings it back") } }
            }
            try await terminal.endWithEnter()
            #expect(sandbox.journalNames == [])
            #expect(try sandbox.queued == [])
        }

        @Test("that were cut off are offered, and kept with every line", arguments: GoldenFiles.all)
        func cutOff(_ golden: GoldenFiles) async throws {
            try await MemoTests.scene { terminal in
                try await bringBack(golden, "memo-cut-off", offered: true, terminal)
                let note = try #require(terminal.sandbox.names(in: "diary").first)
                let text = terminal.sandbox.text(of: "diary/" + note) ?? ""
                #expect(text.contains("buy milk\n  übermorgen 🥛 “quoted” \\ and a tab\there ^utter-"), "\(text)")
            }
        }

        @Test("that were so long that changes were written are kept whole", arguments: GoldenFiles.all)
        func long(_ golden: GoldenFiles) async throws {
            try await MemoTests.scene(columns: 200, rows: 50) { terminal in
                try await bringBack(golden, "memo-long", offered: true, terminal)
                #expect(terminal.sandbox.memos(in: "diary") == [GoldenFiles.long])
            }
        }

        @Test(
            "that were killed after Enter arrive in their note once, even if they are in the queue as well",
            arguments: GoldenFiles.all)
        func kept(_ golden: GoldenFiles) async throws {
            try await MemoTests.scene { terminal in
                try golden.put("memo-kept/outbox", into: terminal.sandbox, as: "state/utter/outbox")
                try await bringBack(golden, "memo-kept/memos", offered: nil, terminal)
                #expect(terminal.sandbox.memos(in: "diary") == ["kept and not yet there"])
            }
        }
    }
}
