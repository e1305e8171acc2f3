import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import utter

extension EndToEndTests {
    /// Files are transcribed whose workers are killed.
    @Suite("Killed workers of transcribe", .needsSecondPass)
    struct TranscribeKills {
        private let sandbox = Sandbox()

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

        @Test("When every worker is killed, what was decided until then is a part, and the exit status says so")
        func all() async throws {
            let long = sandbox.file("long.wav")
            try await sandbox.run("sox", Recording.named("memo.wav").path, long, "repeat", "4")
            let whole = try await sandbox.transcribe([long], environment: SecondPassSetup.environment)
            let expected = whole.outputLines
            #expect(whole.end == .exited(0) && whole.errors == "" && expected.count > 10)
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
