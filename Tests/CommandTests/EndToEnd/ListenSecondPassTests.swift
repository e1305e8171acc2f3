import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    @Suite("The model that decides in listen", .needsSecondPass)
    struct ListenSecondPass {
        private let sandbox = Sandbox()

        private func start(_ options: [String], _ microphone: VirtualMicrophone) async throws -> (
            Program, SecondPassWorkerProcess
        ) {
            let program = try sandbox.listen(
                ["-f", "jsonl"] + options, to: microphone, environment: SecondPassSetup.environment)
            return (program, try await SecondPassSetup.worker(of: program.processID))
        }

        private func text(_ event: [String: Any]) -> String { event["text"] as? String ?? "" }

        @Test("Finals name the pass that decides, and guesses come from the same model; commands get finals only")
        func finals() async throws {
            let microphone = try await VirtualMicrophone()
            let heard = sandbox.file("heard")
            let (program, worker) = try await start(["-v", "--exec", "cat >> '\(heard)'"], microphone)
            try await microphone.play(MemoTests.weekdays.path)
            try await program.wait(forOutput: #""type":"final""#)
            program.signal(SIGINT)
            let finished = try await program.finish().withoutSilence
            try await worker.expectEnd()
            let events = try ListenEvents(lines: finished.output)
            #expect(finished.end == .exited(0) && SecondPassSetup.isSaid(events.text), "\(events.text)")
            #expect(events["final"].allSatisfy { $0["pass"] as? String == "second" })
            #expect(sandbox.text(of: "heard") == events["final"].map { text($0) + "\n" }.joined())
            let guesses = events["volatile"].map(text).filter { !$0.isEmpty }
            #expect(!guesses.isEmpty && guesses.allSatisfy { $0.hasPrefix("Mon") }, "\(guesses)")
            #expect(
                finished.errors.contains(
                    "\(events["final"].count) utterances with text, 0 stretches without words, 0 that could not be decoded"
                ),
                "\(finished.errors)")
        }

        @Test(
            "--guess says who guesses while someone speaks; the same model decides in all cases",
            arguments: Tier.every(4, of: ["first", "none", "second", "pauses"]))
        func guess(_ who: String) async throws {
            var guesses = try await guesses(who)
            // On a busy machine the final may come before a guess.
            for _ in 0..<4 where guesses.isEmpty && who == "second" { guesses = try await self.guesses(who) }
            switch who {
            case "none": #expect(guesses == [])
            // Only libvosk writes without capitals.
            case "first": #expect(guesses.contains { SecondPassSetup.first.hasPrefix($0) }, "\(guesses)")
            case "pauses": #expect(guesses.allSatisfy { $0.hasPrefix("Mon") }, "\(guesses)")
            default: #expect(!guesses.isEmpty && guesses.allSatisfy { $0.hasPrefix("Mon") }, "\(guesses)")
            }
        }

        /// The guesses while somebody says the weekdays.
        private func guesses(_ who: String) async throws -> [String] {
            let microphone = try await VirtualMicrophone()
            let (program, worker) = try await start(["--guess", who], microphone)
            try await program.wait(forOutput: #""state":"listening""#)
            try await microphone.play(MemoTests.weekdays.path)
            try await program.wait(forOutput: #""type":"final""#)
            program.signal(SIGINT)
            let events = try ListenEvents(lines: try await program.finish().withoutSilence.output)
            try await worker.expectEnd()
            #expect(SecondPassSetup.isSaid(events.text), "\(events.text)")
            return events["volatile"].map(text).filter { !$0.isEmpty }
        }

        @Test("A command that holds up the end is named, and Ctrl-C again ends without it", .long)
        func hangingCommand() async throws {
            let gate = NamedPipe("gate", in: sandbox)
            let microphone = try await VirtualMicrophone()
            let (program, worker) = try await start(
                ["--exec", "exec >/dev/null 2>&1; read go < '\(gate.path)'"], microphone)
            try await microphone.play(MemoTests.weekdays.path)
            try await program.wait(forOutput: #""type":"final""#)
            program.signal(SIGINT)
            try await program.wait(forError: "waiting for the command of --exec; Ctrl-C again ends without it\n")
            program.signal(SIGINT)
            #expect(try await program.finish().end == .killed(signal: SIGINT))
            try await worker.expectEnd()
            gate.say("go")
        }

        @Test("The end waits for undecided utterances, and after a second signal no more: the last guess becomes final")
        func ending() async throws {
            let microphone = try await VirtualMicrophone()
            for isAskedAgain in [false, true] {
                let (program, worker) = try await start([], microphone)
                let speaking = try microphone.playing(
                    try await microphone.rendered(MemoTests.weekdays.path), times: 10)
                try await program.wait(forOutput: #""text":"Monday"#)
                worker.stop()
                // timeout(1) and its like send a signal twice, which is one.
                for _ in 0..<2 { program.signal(SIGINT) }
                let signalled = ContinuousClock.now
                try await program.wait(forOutput: #""state":"finishing""#)
                if isAskedAgain {
                    try await Patience.wait(for: "a moment") { .now - signalled > .milliseconds(510) }
                    program.signal(SIGINT)
                } else {
                    worker.signal(SIGCONT)
                }
                let finished = try await program.finish().withoutSilence
                try await speaking.stop()
                let events = try ListenEvents(lines: finished.output)
                // What had no guess at the second signal is missing, and that is said.
                let isMissing = isAskedAgain && finished.errors.contains("was not waited for")
                #expect(finished.end == .exited(isMissing ? 70 : 0), "\(finished.errors)")
                #expect(isMissing || finished.errors == "", "\(finished.errors)")
                #expect(events.text.hasPrefix("Monday"), "\(events.text)")
                #expect(events["final"].allSatisfy { $0["pass"] as? String == "second" })
                try await worker.expectEnd()
            }
        }

        /// The words that only the built-in model hears in a sentence of a novel, of which it knows almost none.
        private func nonsense(_ path: String) async throws -> Set<String> {
            let first = try await sandbox.transcribe(path).output
            let second = try await sandbox.transcribe([path], environment: SecondPassSetup.environment).output
            return Set(SecondPassSetup.words(first)).subtracting(SecondPassSetup.words(second)).filter { $0.count > 4 }
        }

        private static let novel =
            "/usr/share/pocketsphinx/test/data/librivox/sense_and_sensibility_01_austen_64kb-0870.wav"

        @Test(
            "Out of the box, nothing that the built-in model would hear is ever shown or kept", .long,
            .enabled(if: FileManager.default.fileExists(atPath: novel), "pocketsphinx's recordings are not there"),
            arguments: [0, 2])
        func outOfTheBox(_ busyCount: Int) async throws {
            let nonsense = try await nonsense(Self.novel)
            #expect(nonsense.count > 1)
            let busy = try (0..<busyCount).map { _ in
                try Program(
                    ["sh", "-c", "while :; do :; done"], environment: sandbox.environment(), output: .nothing,
                    errors: .nothing)
            }
            let microphone = try await VirtualMicrophone()
            // Nothing is chosen: no option, no variable.
            let program = try sandbox.listen(
                ["-f", "jsonl"], to: microphone,
                environment: ["UTTER_SECOND_PASS": "", "UTTER_LIBTRANSCRIBE": "", "LANG": "en_US.UTF-8"])
            try await program.wait(forOutput: #""state":"listening""#)
            try await microphone.play(Self.novel)
            program.signal(SIGINT)
            let events = try ListenEvents(lines: try await program.finish().withoutSilence.output)
            for program in busy {
                program.signal(SIGKILL)
                _ = try await program.finish()
            }
            #expect(events.text.contains("Dashwood") && !events["volatile"].isEmpty, "\(events.text)")
            for event in events["volatile"] + events["final"] {
                let shown = text(event)
                #expect(nonsense.isDisjoint(with: SecondPassSetup.words(shown)), "\(shown)")
            }
        }
    }
}
