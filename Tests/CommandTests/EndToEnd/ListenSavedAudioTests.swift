import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct ListenSavedAudio {
        private let sandbox = Sandbox()
        private let digits = Recording.named("digits-slt.wav")

        /// Runs `utter listen` with a device whose samples come at once.
        private func listen(_ options: [String], under wrapper: [String] = []) async throws -> Program.Finished {
            let device = try FilePCM(digits.samples, silence: 32_000)
            return try await sandbox.listen(
                ["--device", device.deviceName, "--device-rate", "16000", "--for", "3.5"] + options, under: wrapper
            ).finish()
        }

        @Test("It has the samples that were recognized, in a file that only this user may read")
        func content() async throws {
            let finished = try await listen(["--save-audio", sandbox.file("saved.wav")])
            #expect(finished.end == .exited(0) && finished.errors == "" && finished.output == digits.transcript + "\n")
            let expected = Array((digits.samples + [Int16](repeating: 0, count: 32_000))[..<56_000])
            #expect(Sound.samples(ofFile: sandbox.file("saved.wav")) == expected)
            #expect(sandbox.mode(of: "saved.wav") == 0o600)
        }

        @Test("If the file exists, it is left alone, and the microphone is not opened")
        func existing() async throws {
            let path = sandbox.put("mine", in: "saved.wav")
            let finished = try await listen(["--save-audio", path])
            #expect(finished.end == .exited(73))
            #expect(finished.output == "" && finished.errorLines.count == 1)
            #expect(finished.errors.hasPrefix("utter: can't create \(path): File exists"), "\(finished.errors)")
            #expect(sandbox.text(of: "saved.wav") == "mine")
        }

        @Test("A missing folder is reported in one line")
        func missingFolder() async throws {
            let path = sandbox.file("missing/saved.wav")
            let finished = try await listen(["--save-audio", path])
            finished.expectEnd(73, output: "", errors: "utter: can't create \(path): No such file or directory\n")
        }

        @Test(
            "A full disk is reported once, and in the exit status; the text continues, and the file can be read",
            .needs("strace"))
        func fullDisk() async throws {
            let path = sandbox.file("saved.wav")
            let finished = try await listen(
                ["--save-audio", path], under: injecting("error=ENOSPC:when=3+", at: "pwrite64", on: path))
            #expect(finished.end == .exited(74))
            #expect(finished.output == digits.transcript + "\n")
            #expect(
                finished.errors
                    == "utter: can't write \(path): No space left on device; the sound is not kept any more\n")
            let kept = Sound.samples(ofFile: path)
            #expect(kept == Array(digits.samples.prefix(kept.count)) && kept.count > 0)
            #expect(try await sandbox.transcribe(path).end == .exited(0))
        }

        @Test(
            "A full disk is in the exit status although the reader of standard output has left",
            .enabled(if: !Coverage.isCounted, "what counts the coverage has a file of its own, which is larger"))
        func readerLeaves() async throws {
            let device = try FilePCM(digits.samples, silence: 32_000)
            let (reading, writing) = makePipe()
            close(reading)
            let program = try sandbox.listen(
                ["--device", device.deviceName, "--device-rate", "16000", "--save-audio", sandbox.file("saved.wav")],
                under: ["bash", "-c", #"trap '' XFSZ; ulimit -f 50; exec "$0" "$@""#], output: .descriptor(writing))
            close(writing)
            let finished = try await program.finish()
            #expect(finished.end == .exited(74) && finished.errors.contains("; the sound is not kept any more\n"))
        }

        @Test("After kill -9 the file has everything up to the last moments, and can be read")
        func killed() async throws {
            let listening = try await Listening(sandbox, try await VirtualMicrophone())
            try await listening.speak(digits)
            try await listening.program.wait(forOutput: "\"final\"")
            let heard = try await listening.saved.wait { _ in true }.count
            listening.program.signal(SIGKILL)
            let finished = try await listening.program.finish()
            #expect(finished.end == .killed(signal: SIGKILL))
            // The output was not buffered, so every line is there.
            #expect(try ListenEvents(lines: finished.output).text == digits.transcript)
            #expect(listening.saved.samples.count >= heard)
            let transcript = try await listening.transcriptOfSaved()
            #expect(transcript.text == digits.transcript)
            #expect(transcript.duration.map { $0 >= Double(heard) / 16_000 - 0.01 } == true)
        }
    }
}
