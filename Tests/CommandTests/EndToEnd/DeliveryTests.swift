import Foundation
import Glibc
import Outbox
import TestSupport
import Testing

extension EndToEndTests {
    @Suite("Delivery through the outbox")
    struct Deliveries {
        private let sandbox = Sandbox()
        private let digits = Recording.named("digits-slt.wav")
        private let date = Recording.named("date-rms.wav")

        /// Configures destinations that are files, with a line for each text, after its id.
        private func configure(_ names: String..., in sandbox: Sandbox) throws {
            let members = names.map { name in
                #""\#(name)": {"type": "command", "command": "read -r line; echo \"$UTTER_ID $line\" >> '\#(sandbox.file(name))'; cat >> '\#(sandbox.file(name))'"}"#
            }
            try sandbox.configureDestinations("{\(members.joined(separator: ", "))}")
        }

        /// The texts that have arrived at a destination, without ids, once the queue is empty.
        private func arrived(at name: String, in sandbox: Sandbox) async throws -> [String] {
            // This waits for the process in the background, and ends when nothing is left.
            let finished = try await sandbox.outbox(["drain", "--watch", "--for", "100"])
            #expect(finished.exitCode == 0)
            #expect(
                ["", "utter: another process brings what is in the queue; waiting for its end\n"].contains(
                    finished.errors))
            #expect(try OutboxStore(folder: sandbox.file("state/utter/outbox")).index().ids.isEmpty)
            let lines = (sandbox.text(of: name) ?? "").split(separator: "\n").map(String.init)
            let ids = lines.compactMap { $0.split(separator: " ").first.flatMap { UUID(uuidString: String($0)) } }
            #expect(Set(ids).count == ids.count)
            return lines.map { $0.replacing(#/^[0-9a-f-]{36} /#, with: "") }
        }

        @Test("If the reader of standard output has left, the text of every recording still arrives")
        func readerGoesAway() async throws {
            try configure("one", in: sandbox)
            let (reading, writing) = makePipe()
            close(reading)
            let finished = try await sandbox.transcribe(
                ["--to", "one", digits.path, date.path], output: .descriptor(writing))
            close(writing)
            #expect(finished.exitCode == 0 && finished.errors == "")
            // A destination that is a command runs for several texts at a time.
            #expect(
                try await arrived(at: "one", in: sandbox).sorted() == [digits.transcript, date.transcript].sorted())
        }

        @Test(
            "If the reader of standard output has left, the error of an earlier recording is still in the exit status")
        func readerHidesNothing() async throws {
            let (reading, writing) = makePipe()
            close(reading)
            let broken = sandbox.put("no sound", in: "broken.wav")
            let finished = try await sandbox.transcribe(["-j", "1", broken, digits.path], output: .descriptor(writing))
            close(writing)
            #expect(finished.exitCode == 65 && finished.errorLines.count == 1)
        }

        @Test("What an interruption ends in a pipe is delivered")
        func interruptedPipe() async throws {
            try configure("one", in: sandbox)
            // The samples end in the second utterance.
            let heard = Array(Sound.bytes(of: Recording.named("memo.wav").samples)[..<220_000])
            let program = try sandbox.start(["--to", "one", "--raw", "--rate", "16000", "-"], input: .pipe)
            let input = program.input
            try await program.write(heard, closes: false)
            try await onThread { try waitUntilRead(input) }
            try await program.wait(forOutput: digits.transcript)
            program.signal(SIGINT)
            #expect(try await program.finish().end == .exited(130))
            close(input)
            let lines = try await arrived(at: "one", in: sandbox)
            #expect(lines.first == digits.transcript && lines.last?.contains("january") == true, "\(lines)")
        }

        @Test("A recording that an interruption cut off is not delivered, so that a repeat delivers it once")
        func interrupted() async throws {
            try configure("one", in: sandbox)
            let long = sandbox.file("long.wav")
            try await sandbox.run("sox", Recording.named("memo.wav").path, long, "repeat", "60")
            let program = try sandbox.start(["--to", "one", long])
            try await program.wait(forOutput: "january")
            program.signal(SIGINT)
            let finished = try await program.finish()
            finished.expectEnd(
                130, errors: "utter: \(long): it was cut off, and is not delivered; transcribe it again\n")
            #expect(try await arrived(at: "one", in: sandbox) == [])
        }

        @Test("The text of every recording arrives at each named destination, once, whatever the format")
        func transcribed() async throws {
            try configure("one", "two", "three", in: sandbox)
            let finished = try await sandbox.transcribe(
                ["--to", "one", "--to", "three", "--to", "one", "-f", "json", "--output-dir", sandbox.path]
                    + [digits, date].map(\.path))
            #expect(finished.exitCode == 0 && finished.errors == "")
            for name in ["one", "three"] {
                #expect(
                    try await arrived(at: name, in: sandbox).sorted() == [digits.transcript, date.transcript].sorted())
            }
            #expect(sandbox.text(of: "two") == nil)
        }

        @Test("A recording that can't be read sends nothing, and the others arrive in today's note")
        func partlyBroken() async throws {
            let broken = sandbox.put("no sound", in: "broken.wav")
            let finished = try await sandbox.transcribe(
                ["--to", "notes", broken, digits.path], environment: ["UTTER_NOTES": sandbox.file("notes")])
            #expect(finished.exitCode == 65 && finished.output == "==> \(digits.path) <==\n\(digits.transcript)\n")
            #expect(sandbox.memos == [digits.transcript])
        }

        @Test("If a text can't be queued, that is reported, and the text is in the output")
        func queueBlocked() async throws {
            try configure("one", in: sandbox)
            sandbox.put([], in: "state/utter/outbox")
            let finished = try await sandbox.transcribe("--to", "one", digits.path)
            #expect(finished.exitCode == 73 && finished.output == digits.transcript + "\n")
            #expect(finished.errorLines.count == 1 && finished.errors.contains("state/utter/outbox is not a folder"))
        }

        @Test("A text that can't be queued for one destination still goes into the notes", arguments: ["one", "notes"])
        func oneBlocked(_ first: String) async throws {
            try configure("one", in: sandbox)
            sandbox.put([], in: "state/utter/outbox")
            let finished = try await sandbox.transcribe(
                ["--to", first, "--to", first == "one" ? "notes" : "one", digits.path],
                environment: ["UTTER_NOTES": sandbox.file("notes")])
            #expect(finished.exitCode == 73 && finished.errorLines.count == 1)
            #expect(sandbox.memos == [digits.transcript])
        }

        @Test("With --resume, a text that could not be queued is sent by the next run, and nothing is kept twice")
        func resumed() async throws {
            try configure("one", in: sandbox)
            let blocker = sandbox.put([], in: "state/utter/outbox")
            let (texts, notes) = (sandbox.file("texts"), ["UTTER_NOTES": sandbox.file("notes")])
            let arguments = ["--resume", "--output-dir", texts, "--to", "notes", "--to", "one", digits.path]
            let failed = try await sandbox.transcribe(arguments, environment: notes)
            #expect(failed.exitCode == 73 && failed.errors.contains("state/utter/outbox is not a folder"))
            #expect(sandbox.memos == [digits.transcript])
            try FileManager.default.removeItem(atPath: blocker)
            for expected in ["", "utter: 1 left out, for it was done already\n"] {
                try await sandbox.transcribe(arguments, environment: notes).expectEnd(0, output: "", errors: expected)
                #expect(try await arrived(at: "one", in: sandbox) == [digits.transcript])
                #expect(sandbox.memos == [digits.transcript])
            }
            #expect(sandbox.names(in: "texts").count == 1)
        }

        @Test("With --resume, a text whose output can't be put in place is not sent")
        func resumedNowhere() async throws {
            try configure("one", in: sandbox)
            let texts = sandbox.file("texts")
            let (input, arguments) = (sandbox.file("talk.wav"), ["--resume", "--output-dir", texts, "--to", "one"])
            #expect(mkfifo(input, 0o600) == 0)
            let program = try sandbox.start(arguments + [input])
            // The program has opened the output before it opens the recording.
            try await onThread { [digits] in
                let writing = open(input, O_WRONLY | O_CLOEXEC)
                defer { close(writing) }
                rmdir(texts)
                let bytes = FileManager.default.contents(atPath: digits.path) ?? Data()
                _ = bytes.withUnsafeBytes { write(writing, $0.baseAddress, $0.count) }
            }
            let finished = try await program.finish()
            #expect(finished.exitCode == 74 && finished.errorLines.count == 2, "\(finished.errors)")
            #expect(try sandbox.queued.isEmpty && sandbox.text(of: "one") == nil)
        }

        @Test("With --resume, a recording that two runs transcribe at the same time is sent once")
        func resumedTogether() async throws {
            let arguments = ["--resume", "--output-dir", sandbox.file("texts"), "--to", "notes"]
            let environment = ["UTTER_NOTES": sandbox.file("notes")]
            let programs = try (0..<2).map { _ in try sandbox.start(arguments + [digits.path], environment: environment)
            }
            for program in programs { #expect(try await program.finish().exitCode == 0) }
            #expect(sandbox.memos == [digits.transcript])
        }

        @Test("What can't be added to the notes is told at the end, and the outbox says why it is there")
        func notesMissing() async throws {
            let folder = sandbox.file("missing/notes")
            let finished = try await sandbox.transcribe("--to", "notes", "--notes", folder, digits.path)
            let id = try #require(try sandbox.queued.first).name
            let reason = "utter outbox move \(id) --to notes; for another than the usual folder add --notes DIR"
            #expect(finished.exitCode == 0 && finished.output == digits.transcript + "\n")
            #expect(
                finished.errorLines.count == 1
                    && finished.errors.hasPrefix("utter: not all has arrived: in the outbox 1 for notes, ")
                    && finished.errors.hasSuffix("\(reason); utter outbox tells more\n"), "\(finished.errors)")
            let list = try await sandbox.outbox("list")
            #expect(list.output.contains("  notes  tried ") && list.output.hasSuffix("\(reason)\n"), "\(list.output)")
        }

        @Test(
            "A destination that is not configured is refused before anything is heard, and before there is a file for it",
            arguments: ["transcribe", "listen", "memo"])
        func unknown(_ command: String) async throws {
            try configure("one", "two", in: sandbox)
            let finished = try await sandbox.utter(
                [command, "--to", "three"]
                    + (command == "transcribe" ? [digits.path] : ["--save-audio", sandbox.file("sound")]))
            #expect(finished.exitCode == 78 && finished.output == "")
            #expect(finished.errors == "utter: 'three' is not a destination: there are notes, one and two\n")
            #expect(!sandbox.names().contains("sound"))
        }

        @Test("Each utterance arrives at its destination as soon as it has ended, while listening continues")
        func listened() async throws {
            try configure("one", in: sandbox)
            let microphone = try await VirtualMicrophone()
            let saved = SavedSound(path: sandbox.file("saved.wav"))
            let program = try sandbox.listen(
                ["--to", "one", "--to", "notes", "--save-audio", saved.path], to: microphone)
            try await saved.wait { $0.count > 0 }
            var texts: [String] = []
            let arrivals = try Program(
                ["tail", "-q", "-F", sandbox.put([], in: "one")], environment: sandbox.environment())
            for recording in [digits, date] {
                try await saved.hear(recording, from: microphone)
                try await program.wait(forOutput: recording.transcript + "\n")
                texts.append(recording.transcript)
                try await arrivals.wait(forOutput: recording.transcript + "\n")
            }
            arrivals.signal(SIGKILL)
            _ = try await arrivals.finish()
            program.signal(SIGINT)
            let finished = try await program.finish().withoutSilence
            #expect(finished.exitCode == 0 && finished.errors == "")
            #expect(try await arrived(at: "one", in: sandbox) == texts)
            #expect(sandbox.memos(in: "data/utter/notes") == texts)
        }

        @Test("A reader of standard output that does not read holds up no destination")
        func readerHangs() async throws {
            try configure("one", in: sandbox)
            let (reading, writing) = makeNarrowPipe(room: 0)
            let microphone = try await VirtualMicrophone()
            let saved = SavedSound(path: sandbox.file("saved.wav"))
            let program = try sandbox.listen(
                ["--to", "one", "--save-audio", saved.path], to: microphone, output: .descriptor(writing))
            close(writing)
            try await saved.wait { $0.count > 0 }
            for recording in [digits, date] {
                try await saved.hear(recording, from: microphone)
                try await Patience.wait(for: "it arrives") {
                    sandbox.text(of: "one")?.contains(recording.transcript) == true
                }
            }
            let reader = try Program(["cat"], environment: sandbox.environment(), input: .descriptor(reading))
            close(reading)
            program.signal(SIGINT)
            let finished = try await program.finish().withoutSilence
            #expect(finished.exitCode == 0 && finished.errors == "")
            #expect(
                try await reader.finish().output.trimmingPrefix { $0 == "-" }
                    == "\(digits.transcript)\n\(date.transcript)\n")
        }

        @Test("What could not be brought while it listened is told at the end, with the reason")
        func listenedInVain() async throws {
            try sandbox.configureDestinations(#"{"one": {"type": "command", "command": "exit 75"}}"#)
            let microphone = try await VirtualMicrophone()
            let saved = SavedSound(path: sandbox.file("saved.wav"))
            let program = try sandbox.listen(["--to", "one", "--save-audio", saved.path], to: microphone)
            try await saved.wait { $0.count > 0 }
            try await saved.hear(digits, from: microphone)
            try await Patience.wait(for: "an attempt") {
                try sandbox.queued.contains { try sandbox.store.operation($0)?.attemptCount ?? 0 > 0 }
            }
            program.signal(SIGINT)
            let finished = try await program.finish().withoutSilence
            finished.expectEnd(
                0,
                errors: "utter: not all has arrived: in the outbox 1 for one, the command ended with exit status 75; "
                    + "utter outbox tells more\n")
            #expect(finished.output == digits.transcript + "\n")
        }

        @Test(
            "A file in place of the folder of --notes is refused before anything is heard, and leaves nothing",
            arguments: ["listen", "transcribe"])
        func notesInAFile(_ command: String) async throws {
            let file = sandbox.put("mine", in: "notes.md")
            let finished = try await sandbox.utter(
                [command, "--to", "notes", "--notes", file]
                    + (command == "listen" ? ["--save-audio", sandbox.file("saved.wav")] : [digits.path]))
            finished.expectEnd(
                73, errors: "utter: the notes can't go into \(file), which is a file: give a folder, as --notes DIR\n")
            #expect(finished.output == "" && sandbox.text(of: "notes.md") == "mine")
            #expect(try sandbox.queued == [] && !sandbox.names().contains("saved.wav"))
        }

        @Test(
            "A memo goes to all destinations, to those that are named, or into the note if there are none; Enter does not wait for them"
        )
        func memo() async throws {
            try await MemoTests.scene { terminal in
                let sandbox = terminal.sandbox
                // The destination can't go on before the memo has ended.
                let gate = sandbox.file("gate")
                mkfifo(gate, 0o600)
                try sandbox.configureDestinations(
                    #"{"slow": {"type": "command", "command": "read -r line < '\#(gate)'; cat >> '\#(sandbox.file("slow"))'"}, "#
                        + #""vault": {"type": "vault", "folder": "\#(sandbox.file("notes"))", "line": "- {time} {text}"}}"#
                )
                for (option, text, outcome) in [
                    ("", "one", "kept in \(sandbox.file("notes"))/"),
                    ("--to slow", "two", "kept, and on its way to slow"),
                ] {
                    try await terminal.run("clear; memo \(option); echo exit $?")
                    try await terminal.expect("the memo") { $0.last == "no microphone" }
                    try await terminal.type(text)
                    let lines = try await terminal.endWithEnter()
                    #expect(lines.suffix(2).first == "exit 0")
                    #expect(
                        lines.contains {
                            $0.hasPrefix(outcome) && $0.hasSuffix("on its way to slow; no sound was heard")
                        })
                }
                #expect(sandbox.memos == ["one"] && sandbox.text(of: "slow") == nil)
                // A reader that has its line may leave while the next one is written.
                let opener = try Program(
                    ["sh", "-c", "trap '' PIPE; while :; do echo go > '\(gate)'; done"],
                    environment: sandbox.environment())
                #expect(
                    try await Set(arrived(at: "slow", in: sandbox).flatMap { $0.split(separator: "\n") }.joined())
                        == Set("onetwo"))
                opener.signal(SIGKILL)
                _ = try await opener.finish()
            }
        }

        @Test("A missing secret is reported at Enter, before any attempt, by the outbox's test, and at the next start")
        func missing() async throws {
            try await MemoTests.scene { terminal in
                let sandbox = terminal.sandbox
                try sandbox.configureDestinations(
                    #"{"work": {"type": "webhook", "url": "http://127.0.0.1:9/", "bearer": {"file": "\#(sandbox.file("token"))"}}}"#
                )
                let reason = "work: the web hook's secret is missing: \(sandbox.file("token")) holds no line of text"
                try await terminal.run("memo")
                try await terminal.expect("the memo") { $0.last == "no microphone" && !$0.joined().contains("for you") }
                try await terminal.type("buy milk")
                let lines = try await terminal.endWithEnter()
                let kept = lines.first { $0.hasPrefix("kept in \(sandbox.file("notes"))/") }
                #expect(
                    kept?.hasSuffix("; it waits for you in the outbox, \(reason); no sound was heard") == true,
                    "\(lines)")
                let tested = try await sandbox.outbox("test", "work")
                #expect(tested.exitCode == 78 && tested.errors == "utter: \(reason)\n")
                // The process in the background finds the same.
                try await Patience.wait(for: "that it waits") {
                    try sandbox.queued.allSatisfy { try sandbox.store.operation($0)?.waitsForUser == true }
                }
                try await terminal.run("clear; memo")
                try await terminal.expect("what waits") {
                    $0.joined().contains("1 memo waits for you: utter outbox") && $0.last == "no microphone"
                }
                try await terminal.press("Escape", "Escape")
                try await terminal.expectPrompt()
            }
        }

        @Test("If the destinations can't be read, a memo still goes into the note, and reports that")
        func brokenConfiguration() async throws {
            try await MemoTests.scene { terminal in
                try terminal.sandbox.configureDestinations("nonsense")
                try await terminal.run("memo; echo exit $?")
                try await terminal.expect("the warning") {
                    $0.joined().contains("only the notes get this memo: ") && $0.last == "no microphone"
                }
                try await terminal.type("buy milk")
                let lines = try await terminal.endWithEnter()
                #expect(lines.contains { $0.hasPrefix("kept in ") && $0.contains("; only the notes get this memo: ") })
                #expect(lines.suffix(2).first == "exit 78")
                #expect(terminal.sandbox.memos == ["buy milk"])
            }
        }

        @Test(
            "A memo reports deliveries that have failed for an hour, with the reason and without text, and no newer failures"
        )
        func warning() async throws {
            for age in [3700.0, 3000] {
                try await MemoTests.scene { terminal in
                    let store = OutboxStore(folder: terminal.sandbox.file("state/utter/outbox"))
                    var operation = OutboxOperation(CapturedText(text: "secret"), id: .timeOrdered(), to: "work")
                    operation.attemptCount = 9
                    operation.firstFailedAt = Date(timeIntervalSinceNow: -age)
                    operation.lastError = "the server says 500"
                    try store.enqueue(operation)
                    try await terminal.run("memo")
                    try await terminal.expect("the memo") { lines in
                        lines.last == "no microphone"
                            && (age < 3600 || lines.joined().contains("nothing comes to work since "))
                    }
                    let lines = try await terminal.screen()
                    #expect(
                        lines.joined().contains("the server says 500") == (age > 3600)
                            && !lines.joined().contains("secret"))
                    try await terminal.press("Escape", "Escape")
                    try await terminal.expectPrompt()
                }
            }
        }
    }
}
