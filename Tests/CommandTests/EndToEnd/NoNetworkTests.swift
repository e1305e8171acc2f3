import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests that commands do not use the network, except `models install` and `models update`, which have tests of their own.
    @Suite(.needs("strace")) struct NoNetwork {
        private let sandbox = Sandbox()

        @Test("None of the commands that a new user tries uses the network, except an installation", .long)
        func newUser() async throws {
            let microphone = try await VirtualMicrophone()
            let archive = try await ModelArchive(sandbox)
            archive.list()
            _ = try await sandbox.models("install", "eo")
            let count = archive.server.requests.count
            // A destination on the network is configured, with a text in the queue, and none of the commands below tries it.
            try FileManager.default.createDirectory(
                atPath: sandbox.file("home/.config/utter"), withIntermediateDirectories: true)
            sandbox.put(
                #"{"hook": {"type": "webhook", "url": "\#(archive.server.address)/plain/m.zip"}}"#,
                in: "home/.config/utter/destinations.json")
            _ = try await sandbox.outbox("add", "mine")
            let fixture = Sandbox.fixture("digits-slt.wav")
            // A file for the converter, and one that only refers to sound elsewhere.
            let ogg = sandbox.file("digits.ogg")
            try await sandbox.run("ffmpeg", "-v", "error", "-i", fixture, ogg)
            let list = sandbox.put("ffconcat version 1.0\nfile http://127.0.0.1:9/a.wav\n", in: "list.wav")
            for (arguments, code, hears) in [
                (["models", "list"], 0, false), (["models", "list", "--all", "--json"], 0, false),
                (["models", "info", "en-us"], 0, false),
                (["models", "path", "eo"], 0, false), (["models", "verify"], 0, false),
                (["models", "remove", "none"], 69, false),
                (["config"], 0, false), (["config", "--json"], 0, false), (["devices"], 0, true),
                (["devices", "--json"], 0, true),
                // The device delivers silence.
                (["devices", "--test", "default", "--for", "0.5"], 65, true),
                // The doctor has no terminal.
                (["doctor"], 0, true), (["doctor", "--model", "vosk-model-small-de-0.15"], 69, true),
                (["transcribe", fixture], 0, false), (["transcribe", "--locale", "eo", fixture], 0, false),
                (["transcribe", "--model", ModelArchive.name, fixture], 0, false),
                (["transcribe", "--locale", "de", fixture], 69, false),
                (["transcribe", ogg, list, "http://127.0.0.1:9/a.wav"], 65, false),
                (["listen", "--for", "0.5", "--save-audio", sandbox.file("saved.wav"), "--exec", "cat"], 0, true),
                (["outbox"], 0, false), (["--version"], 0, false), (["help", "models"], 0, false),
                // The model is installed already.
                (["models", "install", "eo"], 0, false), (["models", "remove", ModelArchive.name], 0, false),
            ] as [([String], Int32, Bool)] {
                let seen = try await sandbox.networkCalls(
                    ["setsid", "-w", Sandbox.utter] + arguments, environment: microphone.environment)
                #expect(seen.calls == [] && seen.end == .exited(code), "\(arguments)")
                // Connections to the sound server's local socket prove that strace sees connections.
                #expect(seen.usesLocalSockets == hears, "\(arguments)")
            }
            #expect(archive.server.requests.count == count)
            let planted = try await sandbox.networkCalls(
                [Sandbox.utter, "models", "install", "m", "--from", archive.server.address + "/plain/m.zip"])
            #expect(planted.calls.contains { $0.contains("AF_INET") })
        }
    }
}
