import Foundation
import Speech
import TestSupport
import Testing

extension EndToEndTests {
    @Suite("The second pass of transcribe")
    struct SecondPass {
        private let sandbox = Sandbox()
        private let memo = Sandbox.fixture("weekdays-awb.wav")

        @Test(
            "writes capitals and punctuation, which no rule changes, names the pass, and counts the finals of each pass",
            .needsSecondPass)
        func sentences() async throws {
            let environment = SecondPassSetup.environment
            let json = try await sandbox.transcribe(
                "-v", "-f", "jsonl", "--rules", "all", memo, environment: environment)
            #expect(json.exitCode == 0 && !json.output.contains("\"heard\""))
            #expect(json.outputLines[0].contains(#""text":"Monday, Wednesday, Friday, Sunday"#), "\(json.output)")
            #expect(json.outputLines[0].contains(#""pass":"second""#))
            #expect(
                json.errors.contains("1 utterances = 1 by the second pass + 0 by the first + 0 without words"),
                "\(json.errors)")
            let none = try await sandbox.transcribe("--second-pass", "none", memo, environment: environment)
            #expect(none.output == "monday wednesday friday sunday\n")
        }

        @Test("is silently skipped if there is no library, and is an error then if it was requested")
        func missing() async throws {
            let environment = ["UTTER_SECOND_PASS": "", "UTTER_LIBTRANSCRIBE": sandbox.file("empty")]
            let quiet = try await sandbox.transcribe(memo, environment: environment)
            #expect(
                quiet.exitCode == 0 && quiet.output == "monday wednesday friday sunday\n" && quiet.errors.isEmpty,
                "\(quiet.errors)")
            let asked = try await sandbox.transcribe("--second-pass", "some.gguf", memo, environment: environment)
            #expect(asked.exitCode == 69 && asked.output.isEmpty)
            #expect(
                asked.errors.contains("libtranscribe, which computes the second pass, is not installed"),
                "\(asked.errors)")
        }

        @Test("writes an utterance from a pipe as soon as it has ended, not with the next", .needsSecondPass)
        func piped() async throws {
            let program = try sandbox.start(
                ["-q", "--raw", "--rate", "16000", "-"], environment: SecondPassSetup.environment, input: .pipe)
            let pause = [Int16](repeating: 0, count: 3 * 16_000)
            try await program.write(Samples.bytes(Recording.named("weekdays-awb.wav").samples + pause), closes: false)
            try await program.wait(forOutput: "Monday, Wednesday, Friday, Sunday")
            try await program.write([])
            #expect(try await program.finish().exitCode == 0)
        }

        @Test("writes the first pass's text when its model is damaged, and reports why", .needsSecondPass)
        func damaged() async throws {
            let broken = sandbox.put(Array("GGUF, but for the rest".utf8), in: "broken.gguf")
            let finished = try await sandbox.transcribe(
                "--second-pass", broken, "-f", "jsonl", memo, environment: SecondPassSetup.environment)
            #expect(finished.exitCode == 0)
            #expect(finished.outputLines[0].contains(#""text":"monday wednesday friday sunday""#), "\(finished.output)")
            #expect(finished.outputLines[0].contains(#""pass":"first""#))
            #expect(
                finished.errorLines.count == 1 && finished.errors.contains("\(broken) can't be loaded"),
                "\(finished.errors)")
        }
    }
}
