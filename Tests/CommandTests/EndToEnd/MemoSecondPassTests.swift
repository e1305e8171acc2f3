import Foundation
import Glibc
import TestSupport
import Testing

extension MemoTests {
    /// Tests of memos with the real library and a real model.
    @Suite("The second pass of memo", .needsSecondPass)
    struct SecondPass {
        private func scene(
            columns: Int = 200, _ body: (MemoTerminal, VirtualMicrophone) async throws -> Void
        ) async throws {
            try await MemoTests.spokenScene(environment: SecondPassSetup.environment, columns: columns, body)
        }

        /// Starts a memo, and returns its worker.
        private func start(_ terminal: MemoTerminal) async throws -> SecondPassWorkerProcess {
            try await terminal.start("sh -c '\"$0\" memo; :' \"$UTTER\"", until: "listening")
            return try await SecondPassSetup.worker(of: try await terminal.memoProcess())
        }

        /// Starts a memo, speaks an utterance that waits for its second pass, and returns the worker, which is stopped.
        private func startAndSpeak(_ terminal: MemoTerminal, _ microphone: VirtualMicrophone) async throws
            -> SecondPassWorkerProcess
        {
            let worker = try await start(terminal)
            worker.stop()
            try await microphone.play(MemoTests.weekdays.path)
            try await MemoTests.waitForJournal(terminal.sandbox, holding: SecondPassSetup.first)
            return worker
        }

        @Test("The first pass's text is dim and in the journal until the second pass's replaces it, between typed text")
        func sentence() async throws {
            // Ten utterances are in one line.
            try await scene(columns: 500) { terminal, microphone in
                var worker = try await start(terminal)
                let memo = try await terminal.memoProcess()
                try await terminal.type("On: now")
                try await terminal.press("Left", "Left", "Left", "Left")
                var said: [String] = []
                var wasSeen = false
                // On a busy machine the second pass may be too late for one, and what waits may have gone before anybody looks. So
                // the one may be seen of another utterance than the other, for which the worker is not stopped.
                repeat {
                    worker.raisePriority()
                    if !wasSeen { worker.stop() }
                    async let speaking: Void = microphone.play(MemoTests.weekdays.path)
                    let before = "On:\(said.map { " " + $0 }.joined())"
                    let waiting = "\(before)< \(SecondPassSetup.first)> now"
                    let isDecided: @Sendable ([String]) -> Bool = { lines in
                        let line = lines.line(1)
                        return line.hasPrefix(before + " ") && line.hasSuffix(" now") && line != before + " now"
                            && !line.contains("<")
                    }
                    let seen = try await terminal.expectDimmed("what waits") { $0.line(1) == waiting || isDecided($0) }
                    if !wasSeen, seen.line(1) == waiting {
                        wasSeen = true
                        try await MemoTests.waitForJournal(
                            terminal.sandbox, holding: "\(before) \(SecondPassSetup.first) now")
                    }
                    worker.signal(SIGCONT)
                    try await speaking
                    let lines = try await terminal.expectDimmed("the final", isDecided)
                    said.append(String(lines.line(1).dropFirst(before.count + 1).dropLast(4)))
                    // A worker that was stopped for too long has been replaced.
                    worker = try await SecondPassSetup.worker(of: memo)
                } while !(wasSeen && said.contains(SecondPassSetup.second)) && said.count < 10
                #expect(wasSeen && said.contains(SecondPassSetup.second))
                let text = "On: \(said.joined(separator: " ")) now"
                try await MemoTests.waitForJournal(terminal.sandbox, holding: text)
                try await terminal.press("Enter")
                try await terminal.expectPrompt()
                #expect(terminal.sandbox.memos == [text] && terminal.sandbox.journalNames == [])
                try await worker.expectEnd()
            }
        }

        @Test("Enter waits for undecided utterances and shows that; Enter again keeps them with the first pass's text")
        func finishing() async throws {
            try await scene { terminal, microphone in
                let worker = try await startAndSpeak(terminal, microphone)
                try await terminal.press("Enter", "Enter")
                try await terminal.expectPrompt()
                #expect(terminal.sandbox.memos == [SecondPassSetup.first] && terminal.sandbox.journalNames == [])
                try await worker.expectEnd()
            }
        }

        @Test(
            "A worker that does not answer costs no more than the deadline: Enter keeps the first pass's text, and the reason is shown"
        )
        func stopped() async throws {
            try await scene { terminal, microphone in
                let worker = try await start(terminal)
                worker.stop()
                try await microphone.play(MemoTests.weekdays.path)
                try await terminal.expect("what is wrong") { lines in
                    lines.contains { $0.hasPrefix("the second pass came too late") }
                }
                try await terminal.expectDimmed("the final") { $0.line(1) == SecondPassSetup.first }
                try await terminal.press("Enter")
                try await terminal.expectPrompt()
                #expect(terminal.sandbox.memos == [SecondPassSetup.first])
                try await worker.expectEnd()
            }
        }

        @Test(
            "A worker that dies loses nothing: its utterance is kept once, the fault is reported once, and the memo continues"
        )
        func killed() async throws {
            try await scene { terminal, microphone in
                let worker = try await startAndSpeak(terminal, microphone)
                worker.signal(SIGKILL)
                try await terminal.expect("what is wrong") { lines in
                    lines.count { $0.contains("the second pass has stopped (signal 9, killed)") } == 1
                }
                // If the worker had not begun with it, another worker decodes it in time.
                let finals = [SecondPassSetup.first, SecondPassSetup.second]
                let lines = try await terminal.expectDimmed("the final") { finals.contains($0.line(1)) }
                try await terminal.press("Enter")
                try await terminal.expectPrompt()
                #expect(terminal.sandbox.memos == [lines.line(1)])
            }
        }

        @Test(
            "A memo that is killed while an utterance waits is restored with the first pass's text, once, and leaves no worker"
        )
        func killedMemo() async throws {
            try await scene { terminal, microphone in
                let worker = try await startAndSpeak(terminal, microphone)
                kill(try await terminal.memoProcess(), SIGKILL)
                try await worker.expectEnd()
                try await terminal.expect("the shell") { $0.contains { $0.contains("Killed") } }
                try await terminal.tidyUp()
                let next = try await start(terminal)
                try await terminal.press("C-r")
                try await terminal.expectDimmed("what was said") { $0.line(1) == SecondPassSetup.first }
                try await terminal.press("Enter")
                try await terminal.expectPrompt()
                #expect(terminal.sandbox.memos == [SecondPassSetup.first] && terminal.sandbox.journalNames == [])
                try await next.expectEnd()
            }
        }

        @Test("Ctrl-P makes final what was said, whether it is decided in time or not, and later speech follows it")
        func pausing() async throws {
            try await scene { terminal, microphone in
                let worker = try await start(terminal)
                let speaking = try microphone.playing(try await microphone.rendered(MemoTests.weekdays.path))
                try await terminal.expectDimmed("a guess") { $0.line(1).contains("monday wednesday") }
                try await terminal.press("C-p")
                try await MemoTests.waitForJournal(terminal.sandbox, holding: "monday wednesday")
                try await speaking.stop()
                try await terminal.press("C-p")
                try await terminal.expect("that it listens") { $0.last?.hasPrefix("listening") == true }
                try await microphone.play(MemoTests.digits.path)
                let lines = try await terminal.expectDimmed("finals") { lines in
                    !lines.line(1).contains("<") && lines.line(1).contains(/(1|one).*(3|three)/)
                }
                #expect(lines.line(1).lowercased().hasPrefix("monday"))
                try await terminal.press("Enter")
                try await terminal.expectPrompt()
                #expect(terminal.sandbox.memos == [lines.line(1)])
                try await worker.expectEnd()
            }
        }
    }
}
