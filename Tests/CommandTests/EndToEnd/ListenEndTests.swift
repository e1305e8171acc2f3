import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// How listening ends: when it is asked to, by itself, or because it can't go on.
    @Suite struct ListenEnds {
        private let sandbox = Sandbox()
        private let digits = Recording.named("digits-slt.wav")
        private let memo = Recording.named("memo.wav")

        @Test(
            "A signal in mid-word keeps what was heard of it",
            arguments: Tier.every(2, of: [(SIGINT, 0), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)]))
        func signals(signal: Int32, code: Int32) async throws {
            let microphone = try await VirtualMicrophone()
            let listening = try await Listening(sandbox, microphone)
            let playback = try microphone.playing(try await microphone.rendered(digits.path))
            // "one two five oh ni"
            try await listening.saved.wait { $0.loudCount > 20_000 }
            let (events, finished) = try await listening.stop(signal)
            try await playback.stop()
            #expect(finished.end == .exited(code) && finished.errors == "")
            #expect(events.text.hasPrefix("one two"))
            let finals = try events.finals
            #expect(try await listening.transcriptOfSaved().segments == finals)
        }

        @Test("--until-silence ends when nobody has spoken for so long, whether anybody ever did")
        func silence() async throws {
            let microphone = try await VirtualMicrophone()
            let silent = try await sandbox.listen(["--until-silence", "0.7"], to: microphone).finish().withoutSilence
            #expect(silent.end == .exited(0) && silent.output == "" && silent.errors == "")
            let listening = try await Listening(sandbox, microphone, ["--until-silence", "1.5"])
            try await microphone.play(digits.path)
            let (events, finished) = try await listening.finish()
            #expect(finished.end == .exited(0) && finished.errors == "")
            #expect(events.text == digits.transcript)
            let ledger = try events.ledger
            let lastWord = try #require(try events.finals.last?.end)
            #expect(Double(ledger.captured) / 16_000 >= lastWord + 1.2)
        }

        @Test(
            "A device that is lost in mid-word is one line; all that it heard is in the text and in the file",
            arguments: Tier.every(2, of: ["dies", "is removed"]))
        func deviceLost(fate: String) async throws {
            let microphone = try await VirtualMicrophone()
            let listening = try await Listening(sandbox, microphone)
            let playback = try microphone.playing(try await microphone.rendered(memo.path))
            try await listening.program.wait(forOutput: "\"final\"")
            // A part of the second one.
            try await listening.program.wait(forOutput: "january")
            let heard = try await listening.saved.wait { _ in true }.count
            if fate == "dies" { try await microphone.die() } else { try await microphone.removeDevice() }
            let (events, finished) = try await listening.finish()
            _ = try? await playback.stop()
            #expect(finished.end == .exited(74))
            // The last attempts to hear more may have taken time, in which something may have been said.
            let lines = finished.errorLines.filter { !$0.hasPrefix("utter: the microphone lost ") }
            #expect(
                lines == [
                    "utter: the capture device default is gone, unplugged or its sound server ended; what it heard before is kept"
                ])
            #expect(events.text.hasPrefix(digits.transcript + " "))
            let captured = listening.saved.samples.count
            #expect(captured >= heard)
            let ledger = try events.ledger
            #expect(ledger.captured == captured && ledger.delivered == captured && ledger.dropped == 0)
            let finals = try events.finals
            #expect(try await listening.transcriptOfSaved().segments == finals)
        }

        @Test(
            "A device that is named and lost is not replaced by another one, which the sound server gives in its place")
        func deviceReplaced() async throws {
            let microphone = try await VirtualMicrophone()
            // Not a sink, for `removeDevice` removes all of those.
            try await microphone.pactl("load-module", "module-null-source", "source_name=other")
            let saved = SavedSound(path: sandbox.file("saved.wav"))
            let program = try sandbox.listen(
                ["--device", "pulse:microphone.monitor", "--save-audio", saved.path], to: microphone)
            try await saved.wait { $0.count > 0 }
            try await microphone.play(digits.path)
            try await microphone.removeDevice()
            try await program.wait(forError: "the capture device pulse:microphone.monitor is gone, ")
            let finished = try await program.finish()
            #expect(finished.end == .exited(74) && finished.output == digits.transcript + "\n")
            #expect(finished.errorLines.allSatisfy { $0.contains(" is gone, ") || $0.contains(" lost ") })
        }

        @Test("A device that is named goes on to be heard where the sound server likes another one better")
        func deviceMoved() async throws {
            let microphone = try await VirtualMicrophone()
            try await microphone.pactl("load-module", "module-null-source", "source_name=other")
            try await microphone.pactl("set-default-source", "microphone.monitor")
            let saved = SavedSound(path: sandbox.file("saved.wav"))
            let program = try sandbox.listen(
                ["-f", "jsonl", "--device", "pulse:microphone.monitor", "--save-audio", saved.path], to: microphone)
            try await saved.wait { $0.count > 0 }
            try await saved.hear(digits, from: microphone)
            // As when a headset is plugged in; the server moves who listens to the old standard source.
            try await becomeStandard("source", "other", at: microphone)
            try await saved.hear(digits, from: microphone)
            program.signal(SIGINT)
            let finished = try await program.finish()
            #expect(finished.errorLines.allSatisfy { $0.contains(" lost ") || $0.contains("only silence") })
            let events = try ListenEvents(lines: finished.output)
            #expect(events.text == "\(digits.transcript) \(digits.transcript)")
            // What was lost in between has its time.
            let ledger = try events.ledger
            #expect(ledger.captured + ledger.missing == saved.samples.count)
        }

        @Test("The monitor is heard of the output that is the standard one now, and not what the one before plays")
        func monitorMoved() async throws {
            let microphone = try await VirtualMicrophone()
            try await microphone.pactl("load-module", "module-null-sink", "sink_name=other")
            try await microphone.pactl("set-default-sink", "other")
            // Without a source of its own, the server moves the listener itself.
            try await microphone.pactl("load-module", "module-null-source", "source_name=quiet")
            try await microphone.pactl("set-default-source", "quiet")
            let saved = SavedSound(path: sandbox.file("saved.wav"))
            let program = try sandbox.listen(
                ["-f", "jsonl", "--device", "monitor", "--save-audio", saved.path], to: microphone)
            try await saved.wait { $0.count > 0 }
            try await becomeStandard("sink", "microphone", at: microphone)
            try await saved.hear(digits, from: microphone)
            program.signal(SIGINT)
            let finished = try await program.finish()
            #expect(finished.errorLines.allSatisfy { $0.contains(" lost ") }, "\(finished.errors)")
            let events = try ListenEvents(lines: finished.output)
            #expect(events.text == digits.transcript)
            let ledger = try events.ledger
            #expect(ledger.captured + ledger.missing == saved.samples.count)
        }

        /// Has the server make a source or a sink the standard one, and waits until the only listener is another than before.
        private func becomeStandard(_ kind: String, _ name: String, at microphone: VirtualMicrophone) async throws {
            func listeners() async throws -> [String] {
                let finished = try await Program(
                    ["pactl", "list", "short", "source-outputs"],
                    environment: sandbox.environment(microphone.environment)
                ).finish()
                return finished.outputLines.map { String($0.prefix { $0 != "\t" }) }
            }
            let before = try await listeners()
            #expect(before.count == 1)
            try await microphone.pactl("set-default-\(kind)", name)
            try await Patience.wait(for: "another listener") {
                let now = try await listeners()
                return now.count == 1 && now != before
            }
        }

        @Test("A microphone that isn't there, or doesn't answer, is one line that says what to do, and leaves no file")
        func noMicrophone() async throws {
            let saved = sandbox.file("saved.wav")
            func expect(_ program: Program, code: Int32, _ sentence: String) async throws {
                let finished = try await program.finish().withoutSilence
                #expect(finished.end == .exited(code))
                #expect(finished.output == "" && finished.errorLines.count == 1, "\(finished.errors)")
                #expect(finished.errors.hasPrefix("utter: \(sentence)"), "\(finished.errors)")
                #expect(!FileManager.default.fileExists(atPath: saved))
            }
            let options = ["--save-audio", saved]
            try await expect(
                sandbox.listen(options + ["--device", "none\u{1B}such"]), code: 69,
                "there is no capture device none\\x1Bsuch: connect a microphone, or choose another device")
            let dead = try await VirtualMicrophone()
            try await dead.die()
            try await expect(
                sandbox.listen(options, to: dead), code: 69,
                "the capture device default does not answer: start the sound server (PulseAudio or PipeWire), or choose another device"
            )
            try await expect(
                sandbox.listen(options, environment: ["UTTER_DEVICE": "nonesuch"]), code: 69,
                "there is no capture device nonesuch: ")
        }

        @Test(
            "A microphone that is in use or not allowed is one line that says what to do",
            .needs("strace"),
            arguments: [
                ("EBUSY", 75, "is busy: end the program that records from it, or choose another device"),
                ("EACCES", 77, "may not be opened by this user: join the group audio, and log in again"),
            ] as [(String, Int32, String)])
        func refused(error: String, code: Int32, sentence: String) async throws {
            let device = try FilePCM([0])
            let program = try sandbox.listen(
                ["--device", device.deviceName],
                under: injecting("error=\(error)", at: "openat", on: device.path))
            let finished = try await program.finish().withoutSilence
            #expect(finished.end == .exited(code))
            #expect(finished.output == "" && finished.errorLines.count == 1)
            #expect(
                finished.errors.hasPrefix("utter: the capture device \(device.deviceName) \(sentence)"),
                "\(finished.errors)")
        }

        @Test("A sound server that hangs does not keep it from ending when it is asked to")
        func hangingServer() async throws {
            let microphone = try await VirtualMicrophone()
            try await microphone.freeze()
            let program = try sandbox.listen(["--save-audio", sandbox.file("saved.wav")], to: microphone)
            // Signals are caught before the file is made.
            try await SavedSound(path: sandbox.file("saved.wav")).wait { _ in true }
            program.signal(SIGINT)
            let finished = try await program.finish().withoutSilence
            #expect(finished.end == .exited(0) && finished.errors == "")
            #expect(sandbox.names().contains("saved.wav") == false)
        }

        @Test("A microphone that stands still for a while is told, once, and what is said after that is heard", .long)
        func standstill() async throws {
            let microphone = try await VirtualMicrophone()
            let listening = try await Listening(sandbox, microphone)
            try await microphone.freeze()
            try await listening.program.wait(forError: "utter: the microphone delivers nothing\n")
            try await microphone.thaw()
            try await listening.speak(digits)
            let (events, finished) = try await listening.stop()
            #expect(finished.end == .exited(0))
            #expect(finished.errorLines.count { $0.contains("delivers nothing") } == 1)
            #expect(events.text == digits.transcript)
            let ledger = try events.ledger
            #expect(ledger.captured == ledger.delivered && ledger.dropped == 0)
            #expect(listening.saved.samples.count == ledger.captured + ledger.missing)
        }

        @Test("A reader that has read enough ends it, without a word, though nothing more is said")
        func head() async throws {
            let microphone = try await VirtualMicrophone()
            let program = try sandbox.listen(
                [], to: microphone, under: ["bash", "-c", #""$0" "$@" | head -n 1; exit "${PIPESTATUS[0]}""#])
            let playback = Task {
                // It may not have opened the microphone yet when the first begins.
                while !Task.isCancelled { try await microphone.play(digits.path) }
            }
            try await program.wait(forOutput: "\n")
            playback.cancel()
            let finished = try await program.finish().withoutSilence
            // What was said after the line that it has read is not written.
            #expect([.exited(0), .exited(141)].contains(finished.end) && finished.errors == "")
            #expect(finished.outputLines.count == 1)
            _ = try? await playback.value
        }

        @Test(
            "A reader that is gone from the start ends it, without a word",
            arguments: Tier.every(2, of: ["text", "jsonl"]))
        func noReader(format: String) async throws {
            let (reading, writing) = makePipe()
            close(reading)
            let microphone = try await VirtualMicrophone()
            let program = try sandbox.listen(["-f", format], to: microphone, output: .descriptor(writing))
            let finished = try await program.finish().withoutSilence
            close(writing)
            finished.expectEnd(0, errors: "")
            withExtendedLifetime(microphone) {}
        }

        @Test(
            "If standard output can't be written, what is heard goes on to all other places, and that is told once",
            arguments: Tier.every(2, of: ["full disk", "no reader"]))
        func otherPlaces(trouble: String) async throws {
            let received = sandbox.file("received")
            try sandbox.configureDestinations(
                #"{"one": {"type": "command", "command": "{ cat; echo; } >> '\#(received)'"}}"#)
            let (reading, writing) = makePipe()
            close(reading)
            let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
            defer { close(full) }
            let microphone = try await VirtualMicrophone()
            let saved = SavedSound(path: sandbox.file("saved.wav"))
            let log = SavedSound(path: sandbox.file("log"))
            let program = try sandbox.listen(
                ["--to", "one", "--to", "notes", "--save-audio", saved.path, "--exec", "cat >> '\(log.path)'"],
                to: microphone, output: .descriptor(trouble == "full disk" ? full : writing))
            close(writing)
            try await saved.wait { $0.count > 0 }
            let date = Recording.named("date-rms.wav")
            for recording in [digits, date] { try await saved.hear(recording, from: microphone) }
            try await Patience.wait(for: "both are with the command") {
                sandbox.text(of: "log") == "\(digits.transcript)\n\(date.transcript)\n"
            }
            program.signal(SIGINT)
            let finished = try await program.finish().withoutSilence
            let reason = trouble == "full disk" ? "No space left on device" : "Broken pipe"
            finished.expectEnd(
                74,
                errors:
                    "utter: can't write standard output: \(reason); what is heard goes on to one, notes"
                    + (trouble == "full disk"
                        ? ", the command of --exec and \(saved.path)\n" : " and the command of --exec\n"))
            #expect(sandbox.memos(in: "data/utter/notes") == [digits.transcript, date.transcript])
            #expect(try await sandbox.outbox("drain", "--watch", "--for", "100").end == .exited(0))
            let lines = (sandbox.text(of: "received") ?? "").split(separator: "\n").map(String.init)
            #expect(Set(lines) == [digits.transcript, date.transcript])
        }

        @Test("A folder in place of the file for the sound is refused")
        func soundInAFolder() async throws {
            let finished = try await sandbox.listen(["--save-audio", sandbox.file("empty")], to: FilePCM([0]))
            finished.expectEnd(
                73,
                errors:
                    "utter: --save-audio: \(sandbox.file("empty")) is a folder; name a new file, such as talk.wav in it\n"
            )
            #expect(sandbox.names(in: "empty") == [])
        }
    }
}
