import Foundation
import Outbox
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct NotesCommands {
        private let sandbox = Sandbox()

        private func notes(_ arguments: String..., environment: [String: String] = [:]) async throws -> Program.Finished
        {
            try await sandbox.utter(["notes"] + arguments, environment: environment)
        }

        private var vault: MarkdownVault { MarkdownVault(.own(sandbox.file("data/utter/notes"))) }

        /// Keeps a text as a memo does, at noon `daysAgo` days ago.
        private func keep(_ text: String, daysAgo: Int = 0) throws {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .current
            let noon = try #require(calendar.date(bySettingHour: 12, minute: 5, second: 0, of: Date()))
            let date = noon - Double(daysAgo) * 86_400
            try vault.append(.init(id: .timeOrdered(), text: text, capturedAt: date, timeZone: .current))
        }

        @Test("If nothing was kept yet, each command says so")
        func empty() async throws {
            for (arguments, code) in [
                ([], 0), (["last"], 0), (["edit"], 66), (["undo"], 66), (["redo"], 66), (["search", "a"], 1),
            ] {
                let finished = try await sandbox.utter(["notes"] + arguments)
                #expect(finished.exitCode == Int32(code) && finished.output == "", "\(arguments)")
                #expect(finished.errorLines.count == (code == 1 ? 0 : 1), "\(finished.errors)")
            }
        }

        @Test(
            "Today's note, the last memos and a search are printed without marks, also with other destinations configured"
        )
        func reading() async throws {
            try sandbox.configureDestinations(#"{"print": {"type": "command", "command": "true"}}"#)
            try keep("Call Ada about the house", daysAgo: 2)
            try keep("buy milk\nand bread")
            #expect(try await notes().output == "- 12:05 buy milk\n  and bread\n")
            let last = try await notes("-n", "20")
            #expect(
                last.outputLines.map { $0.dropFirst(10) } == [
                    " 12:05  Call Ada about the house", " 12:05  buy milk", "        and bread",
                ])
            #expect(try await notes("last", "-n", "1").outputLines.count == 2)
            let found = try await notes("search", "HOUSE", "ada")
            #expect(
                found.exitCode == 0 && found.outputLines.count == 1
                    && found.output.hasSuffix("  Call Ada about the house\n"))
            #expect(try await notes("search", "ada", "milk").exitCode == 1)
            let object = try #require(try await notes("search", "bread", "--json").objects().first)
            #expect(object["text"] as? String == "buy milk\nand bread" && object["time"] as? String == "12:05")
            #expect((object["note"] as? String)?.hasSuffix("/\(object["day"] as? String ?? "").md") == true)
        }

        @Test("A vault of the user's is known by its folder, however --notes spells that")
        func spelledFolder() async throws {
            let folder = sandbox.file("vault")
            try sandbox.configureDestinations(
                #"{"v": {"type": "vault", "folder": "\#(folder)", "line": "* {text} ({time})"}}"#)
            for spelled in [folder + "/", folder + "/../vault"] {
                #expect(try await sandbox.outbox("add", "--no-drain", "--to", "v", "buy milk").exitCode == 0)
                #expect(try await sandbox.outbox("drain").exitCode == 0)
                let undone = try await notes("undo", "--notes", spelled)
                #expect(undone.exitCode == 0 && undone.output.hasSuffix("  buy milk\n"), "\(spelled): \(undone.errors)")
            }
        }

        @Test("The note of another day is printed, and where there is none, the one before is named")
        func otherDays() async throws {
            try keep("Call Ada", daysAgo: 1)
            try keep("old", daysAgo: 40)
            let days = sandbox.names(in: "data/utter/notes").map { String($0.dropLast(3)) }
            for arguments in [["yesterday"], [days[1]], ["--date", "yesterday"], ["today", days[1]]] {
                let finished = try await sandbox.utter(["notes"] + arguments)
                #expect(
                    finished.output == "- 12:05 Call Ada\n" && finished.exitCode == 0 && finished.errors == "",
                    "\(arguments)")
            }
            for arguments in [["--json", "yesterday"], ["-n", "1", "--json"]] {
                let found = try await sandbox.utter(["notes"] + arguments).objects()
                #expect(found.count == 1 && found.first?["text"] as? String == "Call Ada", "\(arguments)")
            }
            let none = try await notes("1999-12-31")
            none.expectEnd(
                1, output: "",
                errors:
                    "utter: nothing was kept on 1999-12-31; the first note is of \(days[0]): utter notes \(days[0])\n")
            let today = try await notes()
            today.expectEnd(
                0, errors: "utter: nothing was kept today; the last note is of \(days[1]): utter notes \(days[1])\n")
            sandbox.put("- 12:05 Call Ada\n", in: "data/utter/notes/1999-11-31.md")
            // One that can't be read is no reason to say less.
            let link = sandbox.file("data/utter/notes/1999-12-30.md")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: sandbox.file("nowhere"))
            try await notes("1999-12-31").expectEnd(
                1, output: "",
                errors:
                    "utter: nothing was kept on 1999-12-31; the last note before that is of 1999-12-30: utter notes 1999-12-30\n"
            )
            let unread = try await notes("1999-12-30")
            #expect(
                unread.exitCode == 73 && unread.errors.contains("1999-12-30.md: it is a symbolic link; "),
                "\(unread.errors)")
            try FileManager.default.removeItem(atPath: link)
            // A note from which all was taken out is none.
            try keep("new", daysAgo: 0)
            #expect(try await notes("undo").exitCode == 0)
            let undone = try await notes()
            undone.expectEnd(
                0, errors: "utter: nothing was kept today; the last note is of \(days[1]): utter notes \(days[1])\n")
            for _ in days { #expect(try await notes("undo").exitCode == 0) }
            let all = try await notes()
            all.expectEnd(
                0, errors: "utter: there is no memo in \(sandbox.file("data/utter/notes")) yet; utter memo makes one\n")
            let wrong = try await notes("23.11.2026")
            #expect(
                wrong.exitCode == 64
                    && wrong.errorLines.first
                        == "utter: the DAY can't be '23.11.2026': give a day as 2026-11-23, today or yesterday"
            )
            #expect(try await notes("2026-02-30").exitCode == 64)
        }

        @Test(
            "Undo removes the last memo from its note and prints it, redo restores it, and neither changes other lines")
        func undoing() async throws {
            try keep("the first")
            try keep("the second")
            let name = try #require(sandbox.names(in: "data/utter/notes").first)
            let path = "data/utter/notes/" + name
            let before = try #require(sandbox.text(of: path))
            let undone = try await notes("undo")
            #expect(undone.exitCode == 0 && undone.output.hasPrefix("taken out of \(sandbox.file(path)):\n"))
            #expect(
                undone.output.hasSuffix(" 12:05  the second\n")
                    && undone.errors == "utter: to put it back: utter notes redo\n")
            #expect(
                sandbox.text(of: path) == String(before.split(separator: "\n")[0]) + "\n"
                    && sandbox.mode(of: path) == 0o600)
            let redone = try await notes("redo")
            #expect(redone.output.hasPrefix("put back into \(sandbox.file(path)):\n"))
            #expect(redone.output.hasSuffix(" 12:05  the second\n"))
            #expect(sandbox.text(of: path) == before)
            #expect(try await notes("redo").exitCode == 66)

            // What has reached the note may wait for another destination.
            let last = try #require(try vault.entries(of: String(name.dropLast(3)))?.entries.last)
            let hook = last.id.forDestination("notes").forDestination("hook")
            try sandbox.queue("the second", for: "hook", id: hook)
            let underWay = try await notes("undo")
            #expect(
                underWay.exitCode == 0
                    && underWay.errorLines.last
                        == "utter: it is still on its way to hook; to stop that: utter outbox clear \(hook.name.suffix(8))"
            )
            try sandbox.store.remove(hook)
            #expect(try await notes("redo").exitCode == 0)

            // A memo in the queue is later than the last one in the note.
            let waiting = try sandbox.queue("the third", id: .timeOrdered(at: Date() + 1))
            let refused = try await notes("undo")
            #expect(
                refused.exitCode == 75 && refused.errors.hasSuffix("utter outbox clear \(waiting.name.suffix(8))\n"))
            try sandbox.store.remove(waiting)
            // Where the memo begins is no longer known.
            sandbox.put(before.replacing("- 12:05 the second", with: "The Second"), in: path)
            #expect(try await notes("undo").exitCode == 65)
        }

        @Test("A memo that another line links to is put back; and where another folder was given, redo finds it there")
        func linked() async throws {
            try keep("the first")
            let name = try #require(sandbox.names(in: "data/utter/notes").first)
            let path = "data/utter/notes/" + name
            let line = try #require(sandbox.text(of: path))
            let mark = try #require(line.split(whereSeparator: \.isWhitespace).last { $0.hasPrefix("^utter-") })
            let linked = "see [[\(name.dropLast(3))#\(mark)]]\n\(line)"
            sandbox.put(linked, in: path)
            #expect(try await notes("undo").exitCode == 0)
            #expect(sandbox.text(of: path) == String(linked.dropLast(line.count)))
            #expect(try await notes("redo").exitCode == 0)
            #expect(sandbox.text(of: path) == linked)

            let other = sandbox.file("other")
            try FileManager.default.copyItem(atPath: sandbox.file("data/utter/notes"), toPath: other)
            #expect(try await notes("undo", "--notes", other).exitCode == 0)
            #expect(try await notes("redo").output.hasPrefix("put back into \(other)/\(name):\n"))
            #expect(sandbox.text(of: "other/" + name) == linked && sandbox.text(of: path) == linked)

            // A relative folder is the same one when redo runs elsewhere.
            let undone = try await sandbox.utter(
                ["notes", "undo", "--notes", "other/"], under: ["env", "-C", sandbox.path])
            #expect(undone.end == .exited(0) && sandbox.text(of: "other/" + name) != linked)
            #expect(try await notes("redo").exitCode == 0)
            #expect(sandbox.text(of: "other/" + name) == linked)
        }

        @Test("A damaged configuration is said, and the notes are shown all the same, but not changed")
        func damagedConfiguration() async throws {
            try keep("the first")
            try sandbox.configureDestinations("{")
            sandbox.put(#"{"notes": "#, in: "home/.config/utter/config.json")
            for (arguments, isShown) in [
                ([], true), (["last"], true), (["search", "first"], true), (["undo"], false), (["edit"], false),
            ] {
                let finished = try await sandbox.utter(["notes"] + arguments)
                #expect(finished.exitCode == (isShown ? 0 : 78), "\(arguments)")
                #expect(finished.output.contains("the first") == isShown && finished.errors.contains("config.json"))
            }
            // What can be read of it counts.
            unlink(sandbox.file("home/.config/utter/destinations.json"))
            sandbox.put(
                #"{"notes": "\#(sandbox.file("empty"))", "level": 7, "model": 1e999, "rules": []}"#,
                in: "home/.config/utter/config.json")
            let elsewhere = try await notes("last")
            let none = "there is no memo in \(sandbox.file("empty"))"
            #expect(elsewhere.exitCode == 0 && elsewhere.errors.contains(none), "\(elsewhere.errors)")
        }

        @Test("A note that can't be read is told by all commands that reach it, which show the memos of the others")
        func linkedNote() async throws {
            try keep("the first", daysAgo: 1)
            try keep("the second", daysAgo: 0)
            let note = sandbox.file("data/utter/notes/\(try #require(try vault.days().first)).md")
            #expect(rename(note, sandbox.file("moved.md")) == 0 && symlink(sandbox.file("moved.md"), note) == 0)
            let commands: [([String], String)] = [
                ([], ""), (["undo"], ""), (["last"], "the first\n"), (["--count", "3"], "the first\n"),
                (["search", "the"], "the first\n"), (["search", "third"], ""),
            ]
            for (arguments, output) in commands {
                let finished = try await sandbox.utter(["notes"] + arguments)
                #expect(finished.end == .exited(73) && finished.output.hasSuffix(output), "\(arguments) \(finished)")
                #expect(output != "" || finished.output == "", "\(arguments) \(finished)")
                #expect(
                    finished.errorLines.count == 1 && finished.errors.contains("\(note): ")
                        && finished.errors.contains("it is a symbolic link; remove it"), "\(arguments) \(finished)")
            }
            // What is not reached hinders nothing.
            try keep("the third", daysAgo: -1)
            let last = try await notes("last", "--count", "1")
            #expect(last.end == .exited(0) && last.output.hasSuffix("the third\n") && last.errors == "", "\(last)")
        }

        @Test("Copies that killed commands left are removed, and no file of the user's")
        func litter() async throws {
            try keep("the first")
            for folder in ["data/utter/notes", "state/utter/undone"] {
                try FileManager.default.createDirectory(
                    atPath: sandbox.file(folder), withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
                for name in [".utter-new-1p2x3z4", ".new-1p2x3z4", ".new-my text"] {
                    sandbox.put("the first", in: "\(folder)/\(name)")
                }
            }
            #expect(try await notes("undo").exitCode == 0)
            for folder in ["data/utter/notes", "state/utter/undone"] {
                #expect(sandbox.names(in: folder).filter { $0.contains("new-") } == [".new-my text"])
            }
            // In a folder of the user's, a name that an earlier version gave may be the user's, too.
            try FileManager.default.createDirectory(atPath: sandbox.file("mine"), withIntermediateDirectories: true)
            let mine = MarkdownVault(.named(sandbox.file("mine")))
            try mine.append(.init(id: .timeOrdered(), text: "one", capturedAt: Date(), timeZone: .current))
            for name in [".utter-new-1p2x3z4", ".new-draft"] { sandbox.put([1], in: "mine/" + name) }
            #expect(try await notes("undo", "--notes", sandbox.file("mine")).exitCode == 0)
            #expect(sandbox.names(in: "mine").filter { $0.contains("new-") } == [".new-draft"])
        }

        @Test("Undo is not held up by a memo that waits for another folder, and knows its own by another name")
        func otherFolder() async throws {
            try keep("the first")
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.file("link"), withDestinationPath: sandbox.file("data/utter/notes"))
            let other = ["--no-drain", "--notes", sandbox.file("missing/notes"), "for elsewhere"]
            #expect(try await sandbox.outbox(["add"] + other).exitCode == 0)
            #expect(try await notes("undo").exitCode == 0)
            try keep("the second")
            #expect(try await sandbox.outbox("add", "--no-drain", "for here").exitCode == 0)
            for arguments in [[], ["--notes", sandbox.file("link")]] {
                let refused = try await sandbox.utter(["notes", "undo"] + arguments)
                #expect(
                    refused.exitCode == 75 && refused.errors.contains("a later memo still waits"), "\(refused.errors)")
            }
        }

        @Test("Edit opens the last memo's note in the user's editor")
        func editing() async throws {
            try keep("the first")
            let editor = sandbox.script("vi", #"printf '%s|' "$@""#)
            let path = sandbox.file("data/utter/notes/" + (sandbox.names(in: "data/utter/notes").first ?? ""))
            #expect(try await notes("edit", environment: ["VISUAL": editor]).output == "+1|\(path)|")
            let failed = try await notes("edit", environment: ["VISUAL": "exit 3;"])
            #expect(failed.exitCode == 3)
            let missing = try await notes("edit", environment: ["VISUAL": "no-such-editor -w"])
            #expect(
                missing.exitCode == 69 && missing.output.isEmpty
                    && missing.errors
                        == "utter: there is no editor no-such-editor; name one in the variable EDITOR, or edit \(path)\n"
            )
        }
    }
}
