import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct ListenOutputs {
        private let sandbox = Sandbox()
        private let digits = Recording.named("digits-slt.wav")
        private let date = Recording.named("date-rms.wav")
        private let memo = Recording.named("memo.wav")

        /// A device with two utterances, followed by silence, which come at once.
        private func device() throws -> FilePCM { try FilePCM(digits.samples + date.samples, silence: 64_000) }

        private static let duration = "9"

        private func listen(_ options: String..., environment: [String: String] = [:]) async throws -> Program.Finished
        {
            let device = try device()
            return try await sandbox.listen(
                ["--device", device.deviceName, "--device-rate", "16000", "--for", Self.duration] + options,
                environment: environment
            ).finish()
        }

        @Test(
            "The events are complete and in order, and every guess is replaced by another, by the final text or by nothing"
        )
        func events() async throws {
            let listening = try await Listening(sandbox, try await VirtualMicrophone())
            for recording in [digits, date] { try await listening.speak(recording) }
            let (events, finished) = try await listening.stop()
            #expect(finished.end == .exited(0) && finished.errors == "")
            #expect(events.objects.first?["state"] as? String == "getting-ready")
            #expect(events.states == ["getting-ready", "listening", "finishing"])
            #expect(events.objects.last?["type"] as? String == "end" && events["end"].count == 1)
            for status in events["status"] {
                #expect(status["device"] as? String == "default" && status["rate"] as? Int == 48_000)
                #expect(status["channels"] as? Int == 1)
            }
            #expect(
                Set(events.objects.compactMap { $0["type"] as? String }) == [
                    "status", "volatile", "final", "level", "end",
                ])

            var guess: (text: String, end: Double)?
            var (guessCount, lastFinal, isListening) = (0, 0.0, false)
            for event in events.objects {
                switch event["type"] as? String {
                case "status": isListening = event["state"] as? String != "getting-ready"
                case "volatile":
                    #expect(isListening)
                    let text = try #require(event["text"] as? String)
                    let (start, end) = (try #require(event["start"] as? Double), try #require(event["end"] as? Double))
                    #expect(start < end && start >= lastFinal - 0.01)
                    if let guess { #expect(end >= guess.end && text != guess.text) }
                    guess = text.isEmpty ? nil : (text, end)
                    guessCount += 1
                case "final":
                    // Every final text had a guess before it.
                    #expect(guess != nil)
                    guess = nil
                    let segment = try JSONTranscript.segment(event)
                    #expect(
                        segment.start >= lastFinal && segment.words.map(\.text).joined(separator: " ") == segment.text)
                    lastFinal = segment.end
                case "level":
                    for name in ["peak", "rms"] {
                        #expect((event[name] as? Double).map { $0 <= 0 } ?? (event[name] is NSNull))
                    }
                default: break
                }
            }
            #expect(guess == nil)
            #expect(guessCount > 10)
            #expect(events.text == digits.transcript + " " + date.transcript)
            // The peak shows the loudness of speech.
            let peaks = events["level"].compactMap { $0["peak"] as? Double }
            #expect(peaks.contains { $0 > -20 })
            let times = events["level"].compactMap { $0["time"] as? Double }
            #expect(times == times.sorted() && times.count > 20)
            let end = try #require(events.objects.last)
            #expect(end["rate"] as? Int == 16_000 && end["overruns"] as? Int == 0)
            let duration = try #require(end["duration"] as? Double)
            #expect(abs(duration - Double(try events.ledger.captured) / 16_000) < 0.0051)
        }

        @Test("Alternatives come with the text to which they are alternatives, the likeliest first")
        func alternatives() async throws {
            let events = try ListenEvents(lines: try await listen("-f", "jsonl", "--alternatives", "3").output)
            let final = try #require(events["final"].first)
            let alternatives = try #require(final["alternatives"] as? [[String: Any]])
            #expect((2...3).contains(alternatives.count) && alternatives.first?["text"] as? String == digits.transcript)
            #expect(final["text"] as? String == digits.transcript)
            #expect(try await listen("--alternatives", "3").output == "\(digits.transcript)\n\(date.transcript)\n")
        }

        @Test(
            "--verbose reports the device's format and counts all samples; --quiet reports nothing; the built-in model is announced once"
        )
        func talk() async throws {
            let state = ["XDG_STATE_HOME": sandbox.file("fresh")]
            let quiet = try await listen(
                "--quiet", "--phrase", "one", "--phrase", "zebra", "--filter", "exit 3", environment: state)
            #expect(quiet.errors == "" && quiet.end == .exited(0))
            let first = try await listen(environment: state)
            #expect(first.errors.hasPrefix("utter: the built-in model knows 133 words"))
            let second = try await listen(environment: state)
            #expect(second.errors == "" && second.output == first.output)

            let verbose = try await listen("--verbose")
            #expect(verbose.output == first.output)
            #expect(verbose.errorLines.contains { $0.hasPrefix("utter: libvosk: ") })
            #expect(
                verbose.errorLines.contains {
                    $0.hasPrefix("utter: samples:'") && $0.hasSuffix(": 16000 Hz, 1 channel, signed16")
                })
            #expect(
                verbose.errorLines.contains(
                    "utter: 144000 samples captured = 144000 delivered + 0 dropped; 0 missing from the device"))
            #expect(verbose.errorLines.last?.hasPrefix("utter: 144000 samples = ") == true)

            let warned = try await listen("--phrase", "one", "--phrase", "zebra crossing")
            #expect(warned.errorLines.count == 1 && warned.errors.hasSuffix("can't hear them: zebra, crossing\n"))
        }

        @Test("A reader that pauses delays the saved sound not at all, and loses no event", .long)
        func slowReader() async throws {
            // There is room for the first events only.
            let (reading, writing) = makeNarrowPipe(room: 596)
            let microphone = try await VirtualMicrophone()
            let saved = SavedSound(path: sandbox.file("saved.wav"))
            let program = try sandbox.listen(
                ["-f", "jsonl", "--save-audio", saved.path], to: microphone, output: .descriptor(writing))
            close(writing)
            try await saved.wait { $0.count > 0 }
            for recording in [digits, date] { try await saved.hear(recording, from: microphone) }
            let reader = try Program(["cat"], environment: sandbox.environment(), input: .descriptor(reading))
            close(reading)
            try await reader.wait(forOutput: "\"text\":\"\(date.transcript)\"")
            program.signal(SIGINT)
            #expect(try await program.finish().end == .exited(0))
            let events = try ListenEvents(lines: String(try await reader.finish().output.trimmingPrefix { $0 == "-" }))
            #expect(events.text == digits.transcript + " " + date.transcript)
            #expect(events.objects.last?["type"] as? String == "end")
        }

        // MARK: --exec

        @Test("--exec runs for each utterance, in order, with the utterance on its input")
        func exec() async throws {
            let path = sandbox.file("log")
            let finished = try await listen(
                "--exec", "{ cat; echo end ${#UTTER_ID} ${#UTTER_TIME}; } >> '\(path)'; echo done")
            #expect(sandbox.text(of: "log") == "\(digits.transcript)\nend 36 25\n\(date.transcript)\nend 36 25\n")
            #expect(finished.outputLines.sorted() == [digits.transcript, date.transcript, "done", "done"].sorted())
            #expect(finished.end == .exited(0) && finished.errors == "")
        }

        @Test(
            "A command that fails, reads nothing or is killed is reported without text, and runs again for the next utterance"
        )
        func failingCommand() async throws {
            for (command, sentence) in [
                ("exit 3", "ended with exit status 3"), ("kill -9 $$", "was killed by signal 9"),
                ("nonesuch-command 2>/dev/null", "ended with exit status 127"),
            ] {
                let finished = try await listen("--exec", command)
                #expect(finished.errorLines == Array(repeating: "utter: the command of --exec \(sentence)", count: 2))
                #expect(finished.output == "\(digits.transcript)\n\(date.transcript)\n")
                #expect(finished.end == .exited(74))
            }
        }

        @Test(
            "A slow command delays neither the lines nor the end after a silence, and is run for every utterance", .long
        )
        func slowCommand() async throws {
            let (gate, log) = (NamedPipe("gate", in: sandbox), sandbox.file("log"))
            let microphone = try await VirtualMicrophone()
            let saved = SavedSound(path: sandbox.file("saved.wav"))
            let command = "read go < '\(gate.path)'; cat >> '\(log)'"
            let program = try sandbox.listen(
                ["--save-audio", saved.path, "--until-silence", "3", "--exec", command], to: microphone)
            try await saved.wait { $0.count > 0 }
            try await microphone.play(digits.path)
            try await program.wait(forOutput: digits.transcript + "\n")
            try await microphone.play(date.path)
            // The first command is still waiting here.
            try await program.wait(forOutput: date.transcript + "\n")
            try await saved.wait(\.isFinished)
            #expect(!FileManager.default.fileExists(atPath: log))
            gate.say("go")
            // Now it is past the gate.
            try await SavedSound(path: log).wait { _ in true }
            gate.say("go")
            let finished = try await program.finish().withoutSilence
            #expect(finished.end == .exited(0) && finished.errors == "")
            #expect(sandbox.text(of: "log") == "\(digits.transcript)\n\(date.transcript)\n")
        }

        @Test("Ctrl-C ends the listening, not the command")
        func interruptedCommand() async throws {
            let (gate, log) = (NamedPipe("gate", in: sandbox), sandbox.file("log"))
            let microphone = try await VirtualMicrophone()
            // The program has a process group of its own, as in the foreground of a terminal.
            let listening = try await Listening(
                sandbox, microphone, ["--exec", "echo begun >> '\(log)'; read go < '\(gate.path)'; cat >> '\(log)'"],
                under: ["setsid"])
            try await listening.speak(digits)
            let written = SavedSound(path: log)
            try await written.wait { _ in true }
            kill(-listening.program.processID, SIGINT)
            try await listening.saved.wait(\.isFinished)
            gate.say("go")
            let (events, finished) = try await listening.finish()
            #expect(finished.end == .exited(0) && finished.errors == "")
            #expect(events.text == digits.transcript)
            #expect(sandbox.text(of: "log") == "begun\n\(digits.transcript)\n")
        }

        @Test(
            "Where the reader ends before the last words, the exit status says so, and where Ctrl-C has ended it, a sentence too",
            arguments: [true, false])
        func endedReader(byInterrupt: Bool) async throws {
            let fifo = sandbox.file("pipe")
            #expect(mkfifo(fifo, 0o600) == 0)
            let microphone = try await VirtualMicrophone()
            let recording = try await microphone.rendered(date.path)
            let program = try sandbox.listen(
                ["-f", "jsonl"], to: microphone, under: ["sh", "-c", "exec \"$0\" \"$@\" > '\(fifo)'"])
            let reader = try await onThread { open(fifo, O_RDONLY | O_CLOEXEC) }
            @Sendable func waitForOutput(_ words: String) async throws {
                try await onThread {
                    var (text, buffer) = ("", [UInt8](repeating: 0, count: 4096))
                    while !text.contains(words) {
                        let count = read(reader, &buffer, buffer.count)
                        try #require(count > 0, "\(text)")
                        text += String(decoding: buffer[..<count], as: UTF8.self)
                    }
                }
            }
            try await waitForOutput("\"listening\"")
            let speaking = try microphone.playing(recording)
            try await waitForOutput("january")
            if byInterrupt { program.signal(SIGINT) }
            close(reader)
            let finished = try await program.finish()
            try await speaking.stop()
            #expect(finished.end == .exited(byInterrupt ? 74 : 141), "\(finished)")
            #expect(finished.errorLines.count == (byInterrupt ? 1 : 0))
            #expect(finished.errors.contains("ended before the last words") == byInterrupt)
        }

        // MARK: Privacy

        @Test("Warnings, errors and details have no word of what was said")
        func silentTalk() async throws {
            let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
            defer { close(full) }
            let device = try FilePCM(memo.samples, silence: 16_000)
            let options = [
                "--device", device.deviceName, "--device-rate", "16000", "--verbose", "--alternatives", "3", "--exec",
                "exit 3",
            ]
            let said = Set(memo.transcript.split(separator: " ").map(String.init).filter { $0.count > 2 })
            for output in [.pipe, .descriptor(full)] as [Program.Attachment] {
                let finished = try await sandbox.listen(options + ["--for", "27"], output: output).finish()
                #expect(finished.errorLines.count > 5)
                let words = finished.errors.lowercased().split { !$0.isLetter }.map(String.init)
                #expect(said.intersection(words) == [])
            }
        }
    }
}
