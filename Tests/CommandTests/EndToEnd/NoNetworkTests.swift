import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// What needs no network makes no use of one; only `models install` and `models update` do, and their tests show it.
    @Suite(.enabled(if: EndToEndTests.Privacy.strace != nil, "strace is not installed")) struct NoNetwork {
        private let sandbox = Sandbox()

        @Test("Nothing that a new user tries but an installation reaches for the network")
        func newUser() async throws {
            let microphone = try await VirtualMicrophone()
            let archive = try await ModelArchive(sandbox)
            archive.list()
            _ = try await sandbox.models("install", "eo")
            let count = archive.server.requests.count
            // A destination on the network is none that is tried.
            try FileManager.default.createDirectory(atPath: sandbox.file("home/.config/utter"), withIntermediateDirectories: true)
            sandbox.put(
                Array(#"{"hook": {"type": "webhook", "url": "\#(archive.server.address)/plain/m.zip"}}"#.utf8),
                in: "home/.config/utter/destinations.json")
            _ = try await Program([Sandbox.utter, "outbox", "add", "mine"], environment: sandbox.environment()).finish()
            let fixture = Sandbox.fixture("digits-slt.wav")
            for (arguments, hears) in [
                (["models", "list"], false), (["models", "list", "--all", "--json"], false), (["models", "info", "en-us"], false),
                (["models", "path", "eo"], false), (["models", "verify"], false), (["models", "remove", "none"], false),
                (["config"], false),
                (["config", "--json"], false), (["devices"], true), (["devices", "--json"], true),
                (["devices", "--test", "default", "--for", "0.5"], true), (["doctor"], true),
                (["doctor", "--model", "vosk-model-small-de-0.15"], true),
                (["transcribe", fixture], false), (["transcribe", "--locale", "eo", fixture], false),
                (["transcribe", "--locale", "de", fixture], false),
                (["listen", "--for", "0.5"], true), (["outbox"], false), (["--version"], false), (["help", "models"], false),
            ] as [([String], Bool)] {
                let seen = try await sandbox.networkCalls([Sandbox.utter] + arguments, environment: microphone.environment)
                #expect(seen.calls == [], "\(arguments)")
                // The sound server is reached by its own socket: where a connection is made, it shows.
                #expect(seen.usesLocalSockets == hears, "\(arguments)")
            }
            #expect(archive.server.requests.count == count)
            let planted = try await sandbox.networkCalls(
                [Sandbox.utter, "models", "install", "m", "--from", archive.server.address + "/plain/m.zip"])
            #expect(planted.calls.contains { $0.contains("AF_INET") })
        }
    }
}
