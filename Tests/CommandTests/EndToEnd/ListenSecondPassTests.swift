import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests of `utter listen` with the real library and a real model.
    @Suite("The second pass of listen", .needsSecondPass)
    struct ListenSecondPass {
        private let sandbox = Sandbox()

        private func start(_ options: [String], _ microphone: VirtualMicrophone) async throws -> (
            Program, SecondPassWorkerProcess
        ) {
            let program = try sandbox.listen(options, to: microphone, environment: SecondPassSetup.environment)
            return (program, try await SecondPassSetup.worker(of: program.processID))
        }

        @Test("Finals come from the second pass and name it, guesses from the first; commands get finals only")
        func finals() async throws {
            let microphone = try await VirtualMicrophone()
            let heard = sandbox.file("heard")
            // On a busy machine the second pass may be too late for an utterance.
            for _ in 0..<10 {
                unlink(heard)
                let (program, worker) = try await start(
                    ["-v", "-f", "jsonl", "--exec", "cat >> '\(heard)'"], microphone)
                worker.raisePriority()
                try await microphone.play(MemoTests.weekdays.path)
                try await program.wait(forOutput: #""type":"final""#)
                program.signal(SIGINT)
                let finished = try await program.finish().withoutSilence
                try await worker.expectEnd()
                let events = try ListenEvents(lines: finished.output)
                let isLate = events["final"].first?["pass"] as? String == "first"
                #expect(finished.end == .exited(0) && events["final"].count == 1)
                #expect(events.text == (isLate ? SecondPassSetup.first : SecondPassSetup.second))
                #expect(sandbox.text(of: "heard") == events.text + "\n")
                #expect(events["volatile"].contains { $0["text"] as? String == SecondPassSetup.first })
                let counts = isLate ? "0 by the second pass + 1 by the first" : "1 by the second pass + 0 by the first"
                #expect(finished.errors.contains("1 utterances = \(counts) + 0 without words"), "\(finished.errors)")
                if !isLate { return }
            }
            Issue.record("the second pass was too late for ten utterances")
        }

        @Test(
            "The end waits for undecided utterances no longer than the deadline, and not at all after a second signal")
        func ending() async throws {
            let microphone = try await VirtualMicrophone()
            for isAskedAgain in [false, true] {
                let (program, worker) = try await start(["-f", "jsonl"], microphone)
                worker.stop()
                try await microphone.play(MemoTests.weekdays.path)
                try await program.wait(forOutput: #""text":"\#(SecondPassSetup.first)""#)
                program.signal(SIGINT)
                if isAskedAgain {
                    try await program.wait(forOutput: #""state":"finishing""#)
                    program.signal(SIGINT)
                }
                let finished = try await program.finish().withoutSilence
                let events = try ListenEvents(lines: finished.output)
                #expect(finished.end == .exited(0) && events.text == SecondPassSetup.first)
                #expect(events["final"].first?["pass"] as? String == "first")
                #expect(
                    finished.errors.contains("the second pass came too late") == !isAskedAgain, "\(finished.errors)")
                try await worker.expectEnd()
            }
        }
    }
}
