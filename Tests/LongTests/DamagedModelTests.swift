import Foundation
import Glibc
import TestSupport
import Testing

@testable import utter

extension MemoTests {
    /// Tests with models that crash libvosk, or make it compute long.
    @Suite struct DamagedModels {
        private static let name = "vosk-model-damaged"

        /// The results of a memo and of the checks with a damaged model.
        private struct Row {
            var damage: ModelDamage
            var verify = ""
            var isKept = false
            /// The state of the recognizer that the first memo showed.
            var hearing = ""
            /// The time from the second Enter to the end.
            var end = Duration.zero

            var text: String {
                "\(damage.seed) \(damage.file): \(isKept ? "kept" : "LOST"), \(hearing), "
                    + "ended in \(end), verify: \(verify)"
            }
        }

        /// Seeds of each kind of damage: the model works all the same, is refused, crashes, or takes all memory and
        /// ten seconds.
        private static let chosen: [UInt64] = Tier.every(2, of: [crashing, 3, 4, 33, 85, slow])
        private static let crashing: UInt64 = 70
        private static let slow: UInt64 = 203

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
                    for folder in ["notes", "state/utter/memos"] {
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

        /// Types a text and keeps it.
        private static func memo(_ row: inout Row, _ terminal: MemoTerminal) async throws {
            let text = "typed text \(row.damage.seed)"
            try await begin(terminal)
            try await terminal.type(text)
            let lines = try await terminal.expect("the text") { $0.contains { $0.contains(text) } }
            row.hearing = lines.last ?? ""
            try await terminal.press("Enter")
            @Sendable func hasEnded(_ lines: [String]) -> Bool { lines.contains { $0.hasPrefix("ended ") } }
            let finish = try await terminal.expect("the way out, or the end") { lines in
                hasEnded(lines) || lines.contains { $0.contains("Enter again keeps what is here") }
            }
            if !hasEnded(finish) {
                let start = ContinuousClock.now
                try await terminal.press("Enter")
                try await terminal.expect("the end", hasEnded)
                row.end = ContinuousClock.now - start
            }
            row.isKept = terminal.sandbox.memos.contains { $0.contains(text) }
        }

        private static func check(_ row: inout Row, _ sandbox: Sandbox) async throws {
            func run(_ words: String...) async throws -> Program.Finished {
                try await sandbox.utter(words, under: Self.limit, environment: ALSADevices.environment)
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

        @Test(
            "Listening or transcribing with such a model ends by itself, says why, and writes no core", .long,
            arguments: Tier.every(2, of: [crashing, slow]))
        func others(seed: UInt64) async throws {
            let sandbox = Sandbox()
            let model = sandbox.file(Self.name)
            try ModelDamage(seed: seed).copyModel(to: model)
            let device = try FilePCM(MemoTests.digits.samples)
            let programs = [
                try sandbox.listen(
                    [
                        "--device", device.deviceName, "--device-rate", "16000", "--device-channels", "1", "--model",
                        model,
                        "--for", "1",
                    ], under: Self.limit),
                try sandbox.start(["--model", model, MemoTests.digits.path], under: Self.limit),
            ]
            for program in programs {
                let finished = try await program.finish().withoutSilence
                #expect([.exited(69), .exited(70)].contains(finished.end) && finished.output == "", "\(finished)")
                // On a busy machine, sound may be lost, with a warning, before it is certain that there is no answer.
                let lines = finished.errorLines.filter {
                    !$0.hasPrefix("utter: the recognizer is too slow for this machine: ")
                }
                let reason =
                    seed == Self.crashing
                    ? "\(model): its process crashed with signal" : "can't make a recognizer on the model \(model)"
                #expect(lines.count == 1 && lines[0].contains(reason), "\(lines)")
            }
        }

        private static func begin(_ terminal: MemoTerminal) async throws {
            try await terminal.run("clear; ( ulimit -v 8000000; \"$UTTER\" memo ); printf '\\nended %s\\n' $?")
            try await terminal.expect("a memo") { lines in
                ["getting ready", "listening", "no microphone"].contains { lines.last?.hasPrefix($0) == true }
                    && !lines.contains { $0.hasPrefix("ended") }
            }
        }
    }
}
