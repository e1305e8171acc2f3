import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests of `utter devices` with a virtual microphone.
    @Suite struct Devices {
        private let sandbox = Sandbox()
        private let memo = Recording.named("memo.wav")

        private func devices(
            _ arguments: String..., in environment: [String: String] = ALSADevices.environment,
            under wrapper: [String] = []
        ) async throws -> Program.Finished {
            try await sandbox.utter(["devices"] + arguments, under: wrapper, environment: environment)
        }

        private func objects(_ text: String) throws -> [[String: Any]] {
            try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        }

        @Test("The list has each device with its description and abilities, and a mark at the default")
        func list() async throws {
            let microphone = try await VirtualMicrophone()
            let finished = try await devices(in: microphone.environment)
            #expect(finished.end == .exited(0) && finished.errors == "")
            let lines = finished.outputLines
            #expect(lines.filter { $0.hasPrefix("* ") }.count == 1)
            #expect(
                lines.contains {
                    $0.hasPrefix("* default     Virtual microphone, by default; 1–384000 Hz, 1–32 ch, signed16 ")
                }, "\(lines)"
            )
            #expect(lines.contains { $0.hasPrefix("  microphone  Virtual microphone; 1–384000 Hz, ") }, "\(lines)")
            #expect(lines.contains { $0.hasPrefix("  null        Discard all samples ") })
        }

        @Test(
            "The mark is at the device that is set, whether ALSA lists it or not; devices that can't be used come last")
        func used() async throws {
            let microphone = try await VirtualMicrophone()
            let listed = try await devices(in: microphone.environment.merging(["UTTER_DEVICE": "microphone"]) { $1 })
                .outputLines
            #expect(
                listed.filter { $0.hasPrefix("* ") }.count == 1
                    && listed.contains { $0.hasPrefix("* microphone  Virtual microphone; ") })
            let own = try await devices(in: microphone.environment.merging(["UTTER_DEVICE": "hw:77"]) { $1 })
                .outputLines
            #expect(
                own.filter { $0.hasPrefix("* ") }.count == 1 && own.last == "* hw:77       can't be opened", "\(own)")
            // The devices here have no server.
            let broken = try await devices().outputLines
            let first = try #require(broken.firstIndex { $0.hasSuffix("; does not answer") })
            #expect(
                first > 0 && broken[first...].allSatisfy { !$0.contains(#/any rate, | Hz, /#) }
                    && broken[..<first].allSatisfy { $0.contains(#/any rate, | Hz, /#) })
        }

        @Test("The list can be written as JSON")
        func json() async throws {
            let microphone = try await VirtualMicrophone()
            let finished = try await devices("--json", in: microphone.environment)
            #expect(finished.end == .exited(0) && finished.errors == "")
            let list = try objects(finished.output)
            #expect(list.compactMap { $0["name"] as? String } == ["null", "microphone", "default", "samples"])
            #expect(list.map { $0["default"] as? Bool } == [false, false, true, false])
            let own = try #require(list.first { $0["name"] as? String == "default" })
            #expect(own["description"] as? String == "Virtual microphone, by default")
            #expect(own["rates"] as? [Int] == [1, 384_000] && own["channels"] as? [Int] == [1, 32])
            #expect((own["formats"] as? [String])?.contains("signed16") == true && own["problem"] == nil)
        }

        @Test(
            "A device that can't be opened is listed with the reason, and the others as usual",
            arguments: [("EBUSY", "busy"), ("EACCES", "not permitted"), ("ENODEV", "can't be opened")])
        func unusable(error: String, problem: String) async throws {
            let system = OpenSoundSystem(sandbox)
            let text = try await devices(in: system.environment, under: system.failing(with: error))
            #expect(text.end == .exited(0) && text.errors == "")
            #expect(text.outputLines.contains("  oss         Open Sound System; \(problem)"), "\(text.output)")
            // The device has no server.
            #expect(
                text.outputLines.contains("* default     Virtual microphone, by default; does not answer"),
                "\(text.output)")
            let json = try await devices("--json", in: system.environment, under: system.failing(with: error))
            let list = try objects(json.output)
            let oss = try #require(list.first { $0["name"] as? String == "oss" })
            #expect(oss["problem"] as? String == problem && oss["rates"] == nil)
        }

        @Test("On a machine without any device, the answer is one line")
        func none() async throws {
            let empty = sandbox.put([], in: "asound.conf")
            let finished = try await devices(in: ["ALSA_CONFIG_PATH": empty])
            finished.expectEnd(
                69, output: "",
                errors: "utter: ALSA knows no capture device: connect a microphone, or start the sound server\n")
        }

        @Test(
            "A test reports how well the device records speech, and what to do about that", .long,
            arguments: [
                (0, "silent", "silent: it is muted, or it is not the microphone that you speak into"),
                (0.5, "good", "good"),
            ] as [(Double, String, String)])
        func verdict(volume: Double, verdict: String, sentence: String) async throws {
            let microphone = try await VirtualMicrophone()
            let samples = try await microphone.rendered(memo.path).map {
                Int16(max(-32_768, min(32_767, Double($0) * volume)))
            }
            let playback = try microphone.playing(samples)
            let json = try await devices("--test", "default", "--for", "3", "--json", in: microphone.environment)
            let text = try await devices("--test", "microphone", "--for", "3", in: microphone.environment)
            try await playback.stop()
            let code: Int32 = verdict == "good" ? 0 : 65
            #expect(json.end == .exited(code) && json.errors == "")
            let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
            #expect(object["device"] as? String == "default" && object["verdict"] as? String == verdict, "\(object)")
            let (peak, level) = (object["peak"] as? Double, object["level"] as? Double)
            if volume == 0 {
                // The logarithm of zero is not a number.
                #expect(object["peak"] is NSNull && object["level"] is NSNull)
            } else {
                #expect(peak ?? 1 <= 0 && level ?? 1 < 0 && level ?? 0 < peak ?? -1, "\(object)")
            }
            text.expectEnd(code, output: sentence + "\n", errors: "utter: speak into microphone for 3 seconds\n")
        }

        @Test("On a terminal the level is drawn during the test, and erased at the end")
        func meter() async throws {
            let microphone = try await VirtualMicrophone()
            let playback = try microphone.playing(try await microphone.rendered(memo.path))
            let session = try await sandbox.terminal(
                "\"$UTTER\" devices --test default --for 1.5; echo exit $?; TERM=dumb \"$UTTER\" devices --test default --for 0.5 >/dev/null; exec 2>/dev/null",
                environment: microphone.environment.merging(sandbox.environment()) { $1 })
            try await playback.stop()
            #expect(
                session.screen.prefix(3) == ["utter: speak into default for 1.5 seconds", "good", "exit 0"],
                "\(session.screen)")
            #expect(session.screen.dropFirst(3) == ["utter: speak into default for 0.5 seconds"])
            #expect(session.stream.firstMatch(of: /\r#+\.* -[0-9]+ dBFS/) != nil)
        }

        /// Starts a test of a minute, which `end` ends as soon as its meter is shown.
        private func minute(
            _ end: (VirtualMicrophone, TerminalSession.Running) async throws -> Void
        ) async throws -> TerminalSession {
            let microphone = try await VirtualMicrophone()
            return try await sandbox.terminal(
                "\"$UTTER\" devices --test default --for 60; echo exit $?",
                environment: microphone.environment.merging(sandbox.environment()) { $1 }
            ) { terminal in
                try await terminal.stream.wait(forOutput: "dBFS")
                try await end(microphone, terminal)
                try await terminal.stream.wait(forOutput: "exit ")
            }
        }

        @Test("Ctrl-C ends the test with the verdict so far")
        func interrupted() async throws {
            let session = try await minute { _, terminal in try await terminal.press("C-c") }
            let screen = session.screen.map { $0.replacing("^C", with: "") }.filter { !$0.isEmpty }
            #expect(
                screen == [
                    "utter: speak into default for 60 seconds",
                    "silent: it is muted, or it is not the microphone that you speak into",
                    "exit 130",
                ])
        }

        @Test("A device that is lost during the test is reported in one line, after the meter was erased")
        func lost() async throws {
            let session = try await minute { microphone, _ in try await microphone.die() }
            // The line is longer than the terminal is wide.
            #expect(
                session.screen == [
                    "utter: speak into default for 60 seconds",
                    "utter: the capture device default is gone, unplugged or its sound server ended; what it heard before is kept",
                    "exit 74",
                ])
        }

        @Test("For a device that can't be tested, the answer is one line with what to do")
        func refused() async throws {
            let system = OpenSoundSystem(sandbox)
            for (device, error, code, words) in [
                (
                    "nosuch", "EIO", 69,
                    "there is no capture device nosuch: connect a microphone, or choose another device (ALSA says: Unknown PCM nosuch)"
                ),
                (
                    "oss", "EBUSY", 75,
                    "the capture device oss is busy: end the program that records from it, or choose another device (ALSA says: "
                ),
                (
                    "oss", "EACCES", 77,
                    "the capture device oss may not be opened by this user: join the group audio, and log in again (ALSA says: "
                ),
                (
                    "default", "EIO", 69,
                    "the capture device default does not answer: start the sound server (PulseAudio or PipeWire), or choose"
                ),
                ("oss", "EIO", 74, "the capture device oss failed: Input/output error (ALSA says: "),
                ("no\u{1B}[2Jsuch", "EIO", 69, "there is no capture device no\\x1B[2Jsuch: "),
            ] as [(String, String, Int32, String)] {
                let finished = try await devices(
                    "--test", device, in: system.environment, under: system.failing(with: error))
                #expect(finished.end == .exited(code), "\(device) \(error)")
                #expect(finished.output == "" && finished.errorLines.count == 1)
                #expect(finished.errors.hasPrefix("utter: " + words), "\(finished.errors)")
            }
        }
    }
}
