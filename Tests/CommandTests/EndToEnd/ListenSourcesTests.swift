import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct ListenSources {
        private let sandbox = Sandbox()
        private let digits = Recording.named("digits-slt.wav")
        private let commands = Recording.named("commands-slt.wav")

        /// Starts it with two microphones, `me` and `them`, and returns when both are heard.
        private func listen(
            _ microphones: [VirtualMicrophone], _ options: [String] = []
        ) async throws -> (Program, SavedSound) {
            let saved = SavedSound(path: sandbox.file("talk.wav"))
            let sources = zip(["me", "them"], microphones).flatMap { ["--source", "\($0)=\($1.deviceName)"] }
            let program = try sandbox.listen(
                ["-f", "jsonl", "--event", "final", "--event", "end", "--save-audio", saved.path] + sources + options)
            try await saved.wait { $0.count > 0 }
            return (program, saved)
        }

        private func speakers(_ events: ListenEvents) -> [String?] { events["final"].map { $0["speaker"] as? String } }

        private func text(_ events: ListenEvents, of speaker: String) -> String {
            events["final"].filter { $0["speaker"] as? String == speaker }.compactMap { $0["text"] as? String }
                .joined(separator: " ")
        }

        @Test("Each speaker has a name, in the order of time; the sound of each is a channel of the file")
        func order() async throws {
            let microphones = try await [VirtualMicrophone(), VirtualMicrophone()]
            let (program, saved) = try await listen(microphones)
            try await microphones[1].play(commands.path)
            try await microphones[0].play(digits.path)
            try await microphones[1].play(commands.path)
            try await program.wait(forOutput: #""text":"start repeat help stop""#)
            try await program.wait(forOutput: digits.transcript)
            program.signal(SIGINT)
            let finished = try await program.finish()
            #expect(finished.end == .exited(0))
            // The microphones of the tests are silent while nothing is played.
            #expect(finished.errorLines.allSatisfy { $0.hasSuffix("hears only silence: is it muted?") })
            let events = try ListenEvents(lines: finished.output)
            #expect(speakers(events) == ["them", "me", "them"], "\(finished.output)")
            #expect(text(events, of: "me") == digits.transcript)
            #expect(text(events, of: "them") == "\(commands.transcript) \(commands.transcript)")
            let starts = events["final"].compactMap { $0["start"] as? Double }
            #expect(starts == starts.sorted())
            #expect(events["end"].compactMap { $0["speaker"] as? String } == ["me", "them"])

            let transcript = try await sandbox.transcript(of: saved.path, ["--split-channels"])
            #expect(transcript.segments.map(\.channel) == [2, 1, 2])
            for (segment, start) in zip(transcript.segments, starts) { #expect(abs(segment.start - start) < 0.2) }
        }

        @Test("A source that is unplugged comes back by itself; the other does not notice, and what was lost is said")
        func unplugged() async throws {
            let microphones = try await [VirtualMicrophone(), VirtualMicrophone()]
            let (program, _) = try await listen(microphones)
            try await microphones[1].play(commands.path)
            try await microphones[1].removeDevice()
            try await program.wait(forError: "is gone")
            try await microphones[0].play(digits.path)
            try await microphones[1].returnDevice()
            try await program.wait(forError: "them: heard again after")
            try await microphones[1].play(commands.path)
            program.signal(SIGINT)
            let finished = try await program.finish()
            #expect(finished.end == .exited(74))
            #expect(finished.errors.contains("utter: them: the source lost "), "\(finished.errors)")
            let events = try ListenEvents(lines: finished.output)
            #expect(text(events, of: "me") == digits.transcript)
            #expect(text(events, of: "them") == "\(commands.transcript) \(commands.transcript)")
        }

        @Test(
            "A source of the sound server that goes is not replaced by another one, to which the server moves its listeners"
        )
        func moved() async throws {
            let microphone = try await VirtualMicrophone()
            // Not a sink, for `removeDevice` removes all of those.
            try await microphone.pactl("load-module", "module-null-source", "source_name=other")
            let saved = SavedSound(path: sandbox.file("talk.wav"))
            let program = try sandbox.listen(
                [
                    "-f", "jsonl", "--event", "final", "--save-audio", saved.path, "--source", "me=pulse:other",
                    "--source", "them=pulse:microphone.monitor",
                ], to: microphone)
            try await saved.wait { $0.count > 0 }
            try await microphone.removeDevice()
            // The server has moved the listening elsewhere, because the source has gone.
            try await program.wait(
                forError:
                    "them: the capture device pulse:microphone.monitor is gone, unplugged or its sound server ended; "
                    + "what it heard before is kept; it is tried again until it is there\n")
            try await microphone.returnDevice()
            try await program.wait(forError: "them: heard again after")
            try await microphone.play(digits.path)
            program.signal(SIGINT)
            let finished = try await program.finish()
            #expect(finished.end == .exited(74))
            #expect(!finished.errors.contains("them: the sound server has changed"), "\(finished.errors)")
            let events = try ListenEvents(lines: finished.output)
            #expect(text(events, of: "them") == digits.transcript && text(events, of: "me") == "")
        }

        @Test("A source to which the server has only moved nobody any more is opened again, and that is no unplugging")
        func movedAway() async throws {
            let microphone = try await VirtualMicrophone()
            try await microphone.pactl("load-module", "module-null-source", "source_name=other")
            try await microphone.pactl("set-default-source", "microphone.monitor")
            let saved = SavedSound(path: sandbox.file("talk.wav"))
            let program = try sandbox.listen(
                [
                    "-f", "jsonl", "--event", "final", "--save-audio", saved.path, "--source",
                    "them=pulse:microphone.monitor",
                ], to: microphone)
            try await saved.wait { $0.count > 0 }
            // As when a headset is plugged in.
            try await microphone.pactl("set-default-source", "other")
            try await program.wait(
                forError: "them: the sound server has changed where it is heard; it is opened again\n")
            try await program.wait(forError: "them: heard again after")
            try await microphone.play(digits.path)
            program.signal(SIGINT)
            let finished = try await program.finish()
            #expect(!finished.errors.contains("is gone"), "\(finished.errors)")
            #expect(text(try ListenEvents(lines: finished.output), of: "them") == digits.transcript)
        }

        @Test("An unplugged source does not hold up the end")
        func endsWithout() async throws {
            let microphones = try await [VirtualMicrophone(), VirtualMicrophone()]
            let (program, _) = try await listen(microphones)
            try await microphones[0].play(digits.path)
            try await microphones[1].die()
            try await program.wait(forError: "is gone")
            program.signal(SIGINT)
            let finished = try await program.finish()
            #expect(finished.end == .exited(74))
            #expect(text(try ListenEvents(lines: finished.output), of: "me") == digits.transcript)
        }

        @Test("If one source can't be opened, the command ends, and leaves no file")
        func missing() async throws {
            let microphone = try await VirtualMicrophone()
            let finished = try await sandbox.listen([
                "--source", "me=\(microphone.deviceName)", "--source", "them=hw:77", "--save-audio",
                sandbox.file("talk.wav"),
            ]).finish()
            #expect(finished.end == .exited(69) && finished.output == "")
            #expect(finished.errors.contains("there is no capture device hw:77"), "\(finished.errors)")
            #expect(!FileManager.default.fileExists(atPath: sandbox.file("talk.wav")))
        }

        @Test("Text for people has the name before each line, and the command of --exec has it in its environment")
        func names() async throws {
            let microphone = try await VirtualMicrophone()
            let program = try sandbox.listen([
                "--source", "me=\(microphone.deviceName)", "--exec", "echo $UTTER_SPEAKER: $(cat)",
                "--until-silence", "2",
            ])
            try await microphone.play(digits.path)
            let finished = try await program.finish()
            #expect(finished.end == .exited(0))
            #expect(finished.output.contains("] \(digits.transcript)\n"), "\(finished.output)")
            #expect(finished.output.contains("me: \(digits.transcript)\n"), "\(finished.output)")
        }
    }
}
