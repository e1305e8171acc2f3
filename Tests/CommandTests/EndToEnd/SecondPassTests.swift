import Foundation
import Glibc
import Speech
import TestSupport
import Testing

extension EndToEndTests {
    @Suite("The model that decides in transcribe")
    struct SecondPass {
        private let sandbox = Sandbox()
        private let memo = Sandbox.fixture("weekdays-awb.wav")

        @Test(
            "writes capitals and punctuation, which no rule changes, names its pass, and says what became of all utterances",
            .needsSecondPass)
        func sentences() async throws {
            let environment = SecondPassSetup.environment
            let json = try await sandbox.transcribe(
                "-v", "-f", "jsonl", "--rules", "all", memo, environment: environment)
            #expect(json.exitCode == 0 && !json.output.contains("\"heard\""))
            #expect(json.outputLines[0].contains("\"text\":\"\(SecondPassSetup.second)\""), "\(json.output)")
            #expect(json.outputLines[0].contains(#""pass":"second""#))
            #expect(
                json.errors.contains(
                    "1 utterances with text, 0 stretches without words, 0 that could not be decoded"),
                "\(json.errors)")
            let none = try await sandbox.transcribe("--second-pass", "none", memo, environment: environment)
            #expect(none.output == SecondPassSetup.first + "\n")
        }

        @Test("hears the marks that somebody dictates, and the rules write them", .needsSecondPass)
        func marks() async throws {
            let written = try await sandbox.transcribe(
                "-q", "--rules", "marks", Sandbox.fixture("marks-rms.wav"), environment: SecondPassSetup.environment)
            #expect(written.output == "The garden is small, but it is full of flowers.\n", "\(written.output)")
        }

        @Test("is silently done without if there is no library, and is an error then if it was requested")
        func missing() async throws {
            let environment = ["UTTER_SECOND_PASS": "", "UTTER_LIBTRANSCRIBE": sandbox.file("empty")]
            let quiet = try await sandbox.transcribe(memo, environment: environment)
            #expect(
                quiet.exitCode == 0 && quiet.output == SecondPassSetup.first + "\n" && quiet.errors.isEmpty,
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
            let pause = [Int16](repeating: 0, count: 6 * 16_000)
            try await program.write(Samples.bytes(Recording.named("weekdays-awb.wav").samples + pause), closes: false)
            try await program.wait(forOutput: SecondPassSetup.second)
            try await program.write([])
            #expect(try await program.finish().exitCode == 0)
        }

        @Test("is an error if it can't be loaded, and no other model's text is written in its place", .needsSecondPass)
        func damaged() async throws {
            let broken = sandbox.put("GGUF, but for the rest", in: "broken.gguf")
            let out = sandbox.file("out.txt")
            for destination in [[], ["-o", out]] {
                let finished = try await sandbox.transcribe(
                    ["--second-pass", broken] + destination + [memo], environment: SecondPassSetup.environment)
                #expect(finished.end == .exited(69) && finished.output == "")
                #expect(
                    finished.errorLines.count == 1 && finished.errors.contains("\(broken) can't be loaded"),
                    "\(finished.errors)")
                #expect(sandbox.names().filter { $0.hasPrefix("out") } == [])
            }
        }

        @Test(
            "is the one for the user's language, although libvosk's only model is for another", .needsSecondPass)
        func otherLanguage() async throws {
            // What is in libvosk's model does not matter: it is not used.
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.file("data/utter/models/vosk-model-small-ko-0.22"), withDestinationPath: Sandbox.model)
            var environment = SecondPassSetup.environment
            environment["UTTER_SECOND_PASS"] = ""
            environment["LANG"] = "en_US.UTF-8"
            let heard = try await sandbox.transcribe(memo, environment: environment)
            heard.expectEnd(0, output: SecondPassSetup.second + "\n", errors: "")
            // No model knows this language.
            environment["LANG"] = "eo"
            for (options, isTold) in [([], true), (["-q"], false), (["--locale", "en"], false)] {
                let other = try await sandbox.transcribe(options + [memo], environment: environment)
                #expect(other.end == .exited(0) && other.output == SecondPassSetup.second + "\n", "\(other.output)")
                #expect(
                    other.errors.hasPrefix("utter: no installed model knows eo, the language of your locale, so ")
                        == isTold && other.errorLines.count == (isTold ? 1 : 0), "\(other.errors)")
            }
        }

        @Test("is found damaged by verify if half of its weights are gone, although it loads", .needsSecondPass)
        func zeros() async throws {
            let model = try #require(SecondPassSetup.model)
            var bytes = [UInt8](FileManager.default.contents(atPath: model.path) ?? Data())
            func verify() async throws -> Program.Finished {
                try FileManager.default.createDirectory(
                    atPath: sandbox.file("data/utter/models/mine.en"), withIntermediateDirectories: true)
                sandbox.put(bytes, in: "data/utter/models/mine.en/model.gguf")
                return try await sandbox.models(
                    "verify", "mine.en", environment: ["UTTER_LIBTRANSCRIBE": model.library])
            }
            let whole = try await verify()
            #expect(whole.exitCode == 0 && whole.errors.contains("and hears a sentence"), "\(whole.errors)")
            // The first half, behind the table of contents: the weights of the encoder.
            let start = 1_900_000
            bytes.replaceSubrange(
                start..<(start + bytes.count) / 2, with: [UInt8](repeating: 0, count: (bytes.count - start) / 2))
            let damaged = try await verify()
            #expect(damaged.exitCode == 69 && damaged.errors.contains("loads, but hears "), "\(damaged.errors)")
            bytes.removeLast()
            let cut = try await verify()
            #expect(cut.exitCode != 0 && cut.errors.contains("is cut off: it has "), "\(cut.errors)")
        }
    }
}
