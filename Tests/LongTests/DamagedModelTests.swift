import Foundation
import Glibc
import TestSupport
import Testing

@testable import utter

extension MemoTests {
    /// Tests with models that crash libvosk, or make it compute for ever.
    @Suite struct DamagedModels {
        private static let name = "vosk-model-damaged"

        /// The results of a memo and of the checks with a damaged model.
        private struct Row {
            var damage: ModelDamage
            var verify = ""
            /// How often a memo died before the text was kept.
            var deaths = 0
            var isKept = false
            /// The state of the recognizer that the first memo showed.
            var hearing = ""
            /// The time from the second Enter to the end.
            var end = Duration.zero

            var text: String {
                "\(damage.seed) \(damage.file): \(isKept ? "kept" : "LOST"), \(deaths) died, \(hearing), "
                    + "ended in \(end), verify: \(verify)"
            }
        }

        /// Seeds of each kind of damage: the model works all the same, is refused, crashes, or does not return while it loads.
        private static let chosen: [UInt64] = Tier.every(3, of: [crashing, 3, 4, 33, 85, stopping])
        private static let crashing: UInt64 = 70
        private static let stopping: UInt64 = 203

        /// A limit on memory, since some damaged models take all there is.
        private static let limit = ["prlimit", "--as=8000000000"]

        private static let seeds: [UInt64] = {
            let count = Tier.count(0, long: 0, "UTTER_DAMAGES")
            let first = SplitMix64.given ?? 1
            return count == 0 ? chosen : (0..<UInt64(count)).map { first + $0 }
        }()

        @Test(
            "With a damaged model typed text is kept, the memo ends at the second Enter, and verify and doctor say what is wrong"
        )
        func damaged() async throws {
            try await MemoTests.spokenScene(environment: ["UTTER_MODEL": Self.name]) { terminal, microphone in
                let recording = try await microphone.rendered(MemoTests.digits.path)
                var rows: [Row] = []
                for seed in Self.seeds {
                    let damage = ModelDamage(seed: seed)
                    try damage.copyModel(to: terminal.sandbox.file("data/utter/models/" + Self.name))
                    var row = Row(damage: damage)
                    let speaking = try microphone.playing(recording)
                    try await Self.memo(&row, terminal)
                    try await speaking.stop()
                    try await Self.check(&row, terminal.sandbox)
                    print(row.text)
                    rows.append(row)
                    for folder in ["notes", "state/utter/memos", "state/utter/trials"] {
                        try? FileManager.default.removeItem(atPath: terminal.sandbox.file(folder))
                    }
                }
                print(
                    "\(rows.count { $0.isKept }) of \(rows.count) kept; the longest end took \(rows.map(\.end).max() ?? .zero)"
                )
                let lost = rows.filter { !$0.isKept }.map(\.damage.seed)
                #expect(lost == [])
            }
        }

        /// Types a text and keeps it, in as many memos as that takes, since some crash.
        private static func memo(_ row: inout Row, _ terminal: MemoTerminal) async throws {
            let text = "typed text \(row.damage.seed)"
            let states = ["getting ready", "listening", "paused", "finishing"]
            var isWritten = false
            for attempt in 0..<4 {
                try await terminal.run("clear")
                try await terminal.expect([">"])
                // On a line of its own: libvosk may have been cut off in the middle of one.
                try await terminal.run("clear; ( ulimit -v 8000000; \"$UTTER\" memo ); printf '\\nended %s\\n' $?")
                @Sendable func hasEnded(_ lines: [String]) -> Bool { lines.contains { $0.hasPrefix("ended ") } }
                @Sendable func isShown(_ lines: [String]) -> Bool {
                    lines.last.map { line in states.contains { line.hasPrefix($0) } } == true
                }
                // If a memo crashed after Enter, the next one puts the text into the note, and has nothing to offer.
                @Sendable func isKept() -> Bool { terminal.sandbox.memos.contains { $0.contains(text) } }
                var lines = try await terminal.expect("a memo that offers or has kept what was cut off, or its end") {
                    [isWritten] lines in
                    hasEnded(lines)
                        || isShown(lines)
                            && (!isWritten || isKept() || lines.contains { $0.contains("Ctrl-R brings it back") })
                }
                if isWritten, isKept(), !hasEnded(lines) {
                    try await terminal.press("Escape", "Escape")
                    lines = try await terminal.expect("the end", hasEnded)
                }
                if !hasEnded(lines) {
                    if isWritten { try await terminal.press("C-r") } else { try await terminal.type(text) }
                    lines = try await terminal.expect("the text, or the end") { lines in
                        hasEnded(lines) || lines.contains { $0.contains(text) } && isShown(lines)
                    }
                }
                if !hasEnded(lines) {
                    isWritten = try await Self.isWritten(text, terminal)
                    if attempt == 0 { row.hearing = lines.last ?? "" }
                    try await terminal.press("Enter")
                    lines = try await terminal.expect("the finish, or the end") {
                        hasEnded($0) || $0.last?.hasPrefix("finishing") == true
                    }
                }
                if !hasEnded(lines) {
                    let start = ContinuousClock.now
                    try await terminal.press("Enter")
                    lines = try await terminal.expect("the end", hasEnded)
                    row.end = ContinuousClock.now - start
                }
                let status = lines.first { $0.hasPrefix("ended ") }?.dropFirst(6)
                row.isKept = isKept()
                // Keys that were typed after the end of a crashed memo went to the shell.
                try await terminal.expectPrompt()
                try await terminal.press("C-u")
                if row.isKept { return }
                #expect(status != "0", "\(lines)")
                row.deaths += 1
            }
        }

        /// Waits until the text is on the disk.
        ///
        /// - Returns: false when the memo has ended before.
        private static func isWritten(_ text: String, _ terminal: MemoTerminal) async throws -> Bool {
            guard let memo = try? await terminal.memoProcess() else { return false }
            return try await onThread { [sandbox = terminal.sandbox] in
                while kill(memo, 0) == 0 {
                    if sandbox.journalNames.contains(where: {
                        sandbox.text(of: "state/utter/memos/" + $0)?.contains(text) == true
                    }) {
                        return true
                    }
                    Patience.pauseThread()
                }
                return false
            }
        }

        private static func check(_ row: inout Row, _ sandbox: Sandbox) async throws {
            func run(_ words: String...) async throws -> Program.Finished {
                try await Program(
                    ["bash", "-c", "ulimit -v 8000000; exec \"$0\" \"$@\"", Sandbox.utter] + words,
                    environment: sandbox.environment(ALSADevices.environment)
                ).finish()
            }
            let verify = try await run("models", "verify", name)
            let doctor = try await run("doctor", "--json", "--model", name)
            row.verify = verify.errors.replacingOccurrences(of: "\n", with: "")
            #expect(
                [.exited(0), .exited(69)].contains(verify.end) && verify.errorLines.count == 1,
                "\(row.damage) \(verify)")
            let diagnosis = try Diagnosis(json: doctor.output, exitCode: doctor.exitCode, errors: doctor.errors)
            let model = try #require(diagnosis["model"], "\(doctor)")
            #expect((model.state == "ok") == (verify.end == .exited(0)), "\(row.damage) \(model)")
            #expect(diagnosis["terminal"] != nil)
        }

        // MARK: A recognizer that does not return

        @Test(
            "A recognizer that does not return: typing works, Enter or a signal ends the memo with the text, and the next has no voice until it is tried"
        )
        func stopped() async throws {
            try await MemoTests.scene(environment: ["UTTER_MODEL": Self.name]) { terminal in
                try ModelDamage(seed: Self.stopping).copyModel(
                    to: terminal.sandbox.file("data/utter/models/" + Self.name))
                // Ended at once.
                try await Self.begin(terminal)
                try await terminal.type("one")
                try await terminal.expect("the text") { $0.contains("one") }
                try await terminal.press("Enter")
                try await terminal.expect("the finish") { $0.last?.hasPrefix("finishing") == true }
                try await terminal.expect("the way out") {
                    $0.contains("the recognizer takes long: Enter again keeps what is here")
                }
                try await terminal.press("C-c")
                try await terminal.expect("the end") { $0.contains("ended 70") }
                #expect(terminal.sandbox.memos == ["one"] && terminal.sandbox.journalNames == [])
                #expect(terminal.sandbox.names(in: "state/utter/trials") == [])
                // Ended after the warning.
                try await Self.begin(terminal)
                try await terminal.type("two")
                try await terminal.expect("the trouble") { lines in
                    lines.contains {
                        $0.contains("the recognizer does not return; utter models verify \(Self.name) says more")
                    }
                }
                try await terminal.press("Enter")
                try await terminal.expect("the end") { $0.contains("ended 70") }
                #expect(terminal.sandbox.memos == ["one", "two"])
                // The next memo does not try it unasked.
                try await Self.begin(terminal)
                try await terminal.expect("why there is no voice") { lines in
                    lines.contains { $0.hasSuffix("no voice: \(Self.name) hung last time; Ctrl-P tries it again") }
                }
                try await terminal.press("C-p")
                try await terminal.type("three")
                try await terminal.expect("a try") { $0.contains("three") && !$0.contains { $0.contains("no voice") } }
                // One signal is enough.
                kill(try await terminal.memoProcess(), SIGTERM)
                try await terminal.expect("the end") { $0.contains("ended 143") }
                #expect(terminal.sandbox.memos == ["one", "two", "three"])
            }
        }

        @Test(
            "Listening or transcribing with such a model ends by itself, and by one signal, and says why", .long,
            arguments: [0, SIGINT, SIGTERM])
        func others(signal: Int32) async throws {
            let sandbox = Sandbox()
            try ModelDamage(seed: Self.stopping).copyModel(to: sandbox.file(Self.name))
            let device = try FilePCM(MemoTests.digits.samples)
            let sentence =
                "the recognizer does not return with the model \(Self.name); to check it: utter models verify \(sandbox.file(Self.name))"
            let listening = [
                "--device", device.deviceName, "--device-rate", "16000", "--device-channels", "1", "--model",
                sandbox.file(Self.name),
            ]
            let programs = [
                try sandbox.listen(listening + (signal == 0 ? ["--for", "1"] : []), under: Self.limit),
                try sandbox.start(["--model", sandbox.file(Self.name), MemoTests.digits.path], under: Self.limit),
            ]
            for program in programs {
                if signal != 0 {
                    // By then it computes in vain: a healthy start takes a tenth of that.
                    try await Patience.wait(for: "it has computed for three seconds") {
                        processorTime(of: program.processID).map { $0 >= 3 } ?? true
                    }
                    program.signal(signal)
                }
                let finished = try await program.finish().withoutSilence
                #expect(finished.end == .exited(69) && finished.output == "")
                // On a busy machine, sound may be lost, with a warning, before it is certain that the recognizer does not return.
                let lines = finished.errorLines.filter {
                    !$0.hasPrefix("utter: the recognizer is too slow for this machine: ")
                }
                #expect(lines == ["utter: \(sentence)"])
            }
        }

        // MARK: A recognizer that crashes

        @Test(
            "A crash of the recognizer is reported before the signal ends the process; the next memo has no voice until it is tried"
        )
        func crashed() async throws {
            try await MemoTests.scene(environment: ["UTTER_MODEL": Self.name]) { terminal in
                let folder = terminal.sandbox.file("data/utter/models/" + Self.name)
                try ModelDamage(seed: Self.crashing).copyModel(to: folder)
                let before = try await terminal.settings()
                let sentence =
                    "utter: the recognizer crashed on the model \(Self.name); to check it: utter models verify \(Self.name)"
                // On a line of its own: libvosk may have been cut off in the middle of one.
                try await terminal.run("clear; ( ulimit -v 8000000; \"$UTTER\" memo ); printf '\\nended %s\\n' $?")
                try await terminal.expect("the crash") { $0.contains(sentence) && $0.contains("ended 139") }
                #expect(try await terminal.settings() == before)
                let withheld = "no voice: \(Self.name) crashed last time; Ctrl-P tries it again"
                for text in ["one", "two"] {
                    try await Self.begin(terminal)
                    try await terminal.expect("why there is no voice") { $0.contains { $0.hasSuffix(withheld) } }
                    try await terminal.type(text)
                    try await terminal.press("Enter")
                    try await terminal.expect("the end") { $0.contains("ended 0") }
                }
                #expect(terminal.sandbox.memos == ["one", "two"])
                // Text that was typed before the recognizer is tried again is not lost when it crashes.
                try await Self.begin(terminal)
                try await terminal.type("three")
                try await MemoTests.waitForJournal(terminal.sandbox, holding: "three")
                try await terminal.press("C-p")
                try await terminal.expect("the crash") { $0.contains(sentence) && $0.contains("ended 139") }
                try await Self.begin(terminal)
                try await terminal.expect("the offer") { lines in
                    lines.contains { $0.contains("Ctrl-R brings it back, Ctrl-T throws it away; \(withheld)") }
                }
                try await terminal.press("C-r")
                try await terminal.expect("the text") { $0.contains("three") }
                try await terminal.press("Enter")
                try await terminal.expect("the end") { $0.contains("ended 0") }
                #expect(terminal.sandbox.memos == ["one", "two", "three"])
                // When the model was replaced, it is used again.
                try FileManager.default.removeItem(atPath: folder)
                try FileManager.default.copyItem(atPath: Sandbox.model, toPath: folder)
                try await Self.begin(terminal)
                try await terminal.type("four")
                try await terminal.expect("no such notice") {
                    $0.contains("four") && !$0.contains { $0.contains("no voice") }
                }
                try await terminal.press("Enter")
                try await terminal.expect("the end") { $0.contains("ended 0") }
                #expect(terminal.sandbox.names(in: "state/utter/trials") == [])
            }
            let sandbox = Sandbox()
            try ModelDamage(seed: Self.crashing).copyModel(to: sandbox.file(Self.name))
            let finished = try await sandbox.transcribe(
                "--model", sandbox.file(Self.name), MemoTests.digits.path, environment: ["SWIFT_BACKTRACE": "enable=no"]
            )
            #expect(finished.end == .killed(signal: SIGSEGV) && finished.output == "")
            #expect(
                finished.errors
                    == "utter: the recognizer crashed on the model \(Self.name); to check it: utter models verify \(sandbox.file(Self.name))\n"
            )
        }

        private static func begin(_ terminal: MemoTerminal) async throws {
            try await terminal.run("clear; ( ulimit -v 8000000; \"$UTTER\" memo ); printf '\\nended %s\\n' $?")
            try await terminal.expect("a memo") { lines in
                ["getting ready", "listening", "paused"].contains { lines.last?.hasPrefix($0) == true }
                    && !lines.contains { $0.hasPrefix("ended") }
            }
        }
    }
}

/// The processor time that a process has used, in seconds; nil when it has ended. proc_pid_stat(5)
private func processorTime(of process: pid_t) -> Double? {
    let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // The fields after the name, which may hold any characters.
    let fields = text?.split(separator: ")").last?.split(separator: " ")
    return fields.flatMap { $0.count > 12 ? Double($0[11]) : nil }.map { $0 / Double(sysconf(Int32(_SC_CLK_TCK))) }
}
