import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import utter

extension MemoTests {
    /// Memos whose text another process decides, or that process, are killed at random moments. `UTTER_SECOND_PASS_KILLS` sets how many.
    @Suite("Killed memos and workers of a second pass", .needsSecondPass)
    struct SecondPassKills {
        private static let count = Tier.count(2, long: 3, "UTTER_SECOND_PASS_KILLS")
        /// How often the weekdays are said in one memo at most, so that its text fits in one row of the terminal.
        private static let mostUtterances = 4

        private func start(_ terminal: MemoTerminal) async throws -> SecondPassWorkerProcess {
            try await terminal.start("sh -c '\"$0\" memo; :' \"$UTTER\"", until: "listening")
            return try await SecondPassSetup.worker(of: try await terminal.memoProcess())
        }

        @Test("Whenever a memo is killed, the next restores all that was final, once, and no worker is left")
        func memos() async throws {
            var random = SplitMix64(for: "killed second passes")
            try await MemoTests.spokenScene(environment: SecondPassSetup.environment) { terminal, microphone in
                var (text, saidCount) = ("", 0)
                for _ in 0..<Self.count {
                    let worker = try await start(terminal)
                    if !text.isEmpty {
                        try await terminal.press("C-r")
                        try await terminal.expectDimmed("what was said before") { [text] in $0.line(1) == text }
                    }
                    if saidCount == Self.mostUtterances {
                        try await terminal.endWithEnter()
                        #expect(terminal.sandbox.memos.last == text)
                        (text, saidCount) = ("", 0)
                        try await terminal.run("clear")
                        try await terminal.expect([">"])
                        continue
                    }
                    let speaking = try microphone.playing(try await microphone.rendered(MemoTests.weekdays.path))
                    let looks = Int.random(in: 1...50, using: &random)
                    let count = Atomic(0)
                    let before = text
                    try await terminal.expectDimmed("a moment") { lines in
                        let isDecided = lines.line(1).count > before.count + 20 && !lines.line(1).contains("<")
                        return count.add(1, ordering: .relaxed).newValue >= looks || isDecided
                    }
                    for _ in 0..<Int.random(in: 0..<2000, using: &random) { sched_yield() }
                    let memo = try await terminal.memoProcess()
                    kill(memo, SIGSTOP)
                    let shown = try await terminal.dimmedScreen().line(1)
                    let certain = shown.contains("<") ? String(shown.prefix { $0 != "<" }) : text
                    kill(memo, SIGKILL)
                    try await worker.expectEnd()
                    try await speaking.stop()
                    try await terminal.expect("the shell") { $0.contains { $0.contains("Killed") } }
                    try await terminal.tidyUp()
                    let found = MemoTests.textsInJournals(of: terminal.sandbox)
                    #expect(found.count <= 1)
                    text = found.first ?? ""
                    #expect(text.hasPrefix(certain.trimmingCharacters(in: .whitespaces)), "it showed '\(shown)'")
                    // A guess that is in the journal, too, is a beginning of what was said.
                    let all = Array(repeating: SecondPassSetup.words(SecondPassSetup.first), count: saidCount + 1)
                        .flatMap { $0 }
                    let words = SecondPassSetup.words(text)
                    #expect(text.hasPrefix(before) && all.starts(with: words), "\(text)")
                    if words.count == all.count { saidCount += 1 } else if text != before { break }
                }
            }
        }

        @Test(
            "Whenever the worker of a memo is killed, each utterance is there once, and the fault is reported in one line"
        )
        func workers() async throws {
            var random = SplitMix64(for: "killed workers of memos")
            try await MemoTests.spokenScene(environment: SecondPassSetup.environment) { terminal, microphone in
                for number in 0..<Self.count {
                    _ = try await start(terminal)
                    let memo = try await terminal.memoProcess()
                    for said in 1...Self.mostUtterances {
                        async let speaking: Void = microphone.play(MemoTests.weekdays.path)
                        // While a new worker loads the model there is no guess.
                        try await terminal.expectDimmed("a guess or the final") { lines in
                            lines.line(1).contains("<") || SecondPassSetup.isSaid(lines.line(1), times: said)
                        }
                        // Each has computed for a while, of which loading the model is the first part.
                        for _ in 0..<Int.random(in: 1...3, using: &random) {
                            try await killWorker(of: memo, afterHundredths: Int.random(in: 0...60, using: &random))
                        }
                        try await speaking
                        try await terminal.expectDimmed("finals") { lines in
                            !lines.line(1).contains("<") && SecondPassSetup.isSaid(lines.line(1), times: said)
                        }
                        let screen = try await terminal.screen()
                        #expect(screen.count { $0.contains("signal 9") } <= 1, "\(screen)")
                    }
                    try await terminal.endWithEnter()
                    #expect(terminal.sandbox.memos.count == number + 1)
                    #expect(SecondPassSetup.isSaid(terminal.sandbox.memos[number], times: Self.mostUtterances))
                    #expect(terminal.sandbox.journalNames == [])
                    try await terminal.run("clear")
                    try await terminal.expect([">"])
                }
            }
        }

        /// Kills the worker of a command after it has taken so much of the processor's time, or when it has nothing to do.
        private func killWorker(of command: pid_t, afterHundredths time: Int) async throws {
            let worker = try await SecondPassSetup.worker(of: command)
            var looks = 0
            try await Patience.wait(for: "the worker's time") {
                looks += 1
                return (SecondPassSetup.time(of: worker.processID) ?? .max) >= time || looks > 1_000
            }
            worker.signal(SIGKILL)
        }
    }
}

extension EndToEndTests {
    /// Files are transcribed whose workers are killed.
    @Suite("Killed workers of transcribe", .needsSecondPass)
    struct TranscribeKills {
        private let sandbox = Sandbox()

        /// The text lines of a recording of two minutes.
        private func expected(_ path: String) async throws -> [String] {
            try await sandbox.run("sox", Recording.named("memo.wav").path, path, "repeat", "4")
            let finished = try await sandbox.transcribe([path], environment: SecondPassSetup.environment)
            #expect(finished.end == .exited(0) && finished.errors == "" && finished.outputLines.count > 10)
            return finished.outputLines
        }

        /// Whether lines are some of others, in the same order.
        private func are(_ lines: [String], among others: [String]) -> Bool {
            var rest = others[...]
            for line in lines {
                guard let place = rest.firstIndex(of: line) else { return false }
                rest = rest[(place + 1)...]
            }
            return true
        }

        private func lines(_ name: String) -> [String]? {
            sandbox.text(of: name).map { $0.split(separator: "\n").map(String.init) }
        }

        @Test(
            "Workers that are killed at random moments change no word: the text is the same, or a part of it and an error"
        )
        func now() async throws {
            var random = SplitMix64(for: "killed workers of transcribe")
            let long = sandbox.file("long.wav")
            let expected = try await expected(long)
            for round in 0..<Tier.count(2, long: 4, "UTTER_SECOND_PASS_KILLS") {
                let program = try sandbox.start(
                    ["-o", sandbox.file("\(round).txt"), long], environment: SecondPassSetup.environment)
                let times = (0..<64).map { _ in Int.random(in: 20...90, using: &random) }
                let ending = Atomic(false)
                let killed = Task.detached {
                    var count = 0
                    while !ending.load(ordering: .relaxed) {
                        for worker in SecondPassSetup.workers(of: program.processID)
                        where (SecondPassSetup.time(of: worker) ?? 0) >= times[count % times.count] {
                            kill(worker, SIGKILL)
                            count += 1
                        }
                        await Patience.pauseTask()
                    }
                    return count
                }
                let finished = try await program.finish()
                ending.store(true, ordering: .relaxed)
                #expect(await killed.value > 0)
                if finished.end == .exited(0) {
                    #expect(lines("\(round).txt") == expected)
                } else {
                    #expect((finished.exitCode ?? 0) > 0 && lines("\(round).txt") == nil)
                    let part = lines("\(round).txt.part") ?? []
                    #expect(are(part, among: expected), "\(part)")
                    #expect(finished.errors.contains("\(long): "), "\(finished.errors)")
                }
            }
        }

        @Test("When every worker is killed, what was decided until then is a part, and the exit status says so")
        func all() async throws {
            let long = sandbox.file("long.wav")
            let expected = try await expected(long)
            let program = try sandbox.start(
                ["-o", sandbox.file("out.txt"), long], environment: SecondPassSetup.environment)
            try await Patience.wait(for: "some text") {
                guard let path = unnamedFile(of: program.processID, in: sandbox.path) else { return false }
                return FileManager.default.contents(atPath: path)?.isEmpty == false
            }
            let ending = Atomic(false)
            let killing = Task.detached {
                while !ending.load(ordering: .relaxed) {
                    for worker in SecondPassSetup.workers(of: program.processID) { kill(worker, SIGKILL) }
                    await Patience.pauseTask()
                }
            }
            let finished = try await program.finish()
            ending.store(true, ordering: .relaxed)
            await killing.value
            let part = lines("out.txt.part")
            #expect(
                (finished.exitCode ?? 0) > 0 && lines("out.txt") == nil && part?.isEmpty == false, "\(finished.errors)")
            #expect(are(part ?? [], among: expected) && part != expected, "\(part ?? [])")
            #expect(finished.errors.contains("out.txt.part"), "\(finished.errors)")
        }
    }
}
