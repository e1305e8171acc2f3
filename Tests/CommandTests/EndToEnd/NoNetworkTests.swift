import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// What needs no network makes no use of one; only `models install` and `models update` do, and their tests show it.
    @Suite(.enabled(if: EndToEndTests.Privacy.strace != nil, "strace is not installed")) struct NoNetwork {
        private let sandbox = Sandbox()

        /// Sockets that were made or connected, but for those of this machine's own.
        private func networkCalls(_ command: [String], environment: [String: String]) async throws -> (
            calls: [String], usesLocalSockets: Bool
        ) {
            let log = sandbox.file("network.log")
            _ = try await Program(
                ["strace", "-f", "-e", "trace=network", "-o", log] + command, environment: sandbox.environment(environment)
            ).finish()
            let lines = try #require(sandbox.text(of: "network.log")).split(separator: "\n").map(String.init)
            try #require(lines.contains { $0.contains("exited with") }, "\(command)")
            // Dispatch tells syslog that a user may not raise the priority of its threads.
            let calls = lines.filter { $0.contains("socket(") || $0.contains("connect(") }.filter {
                !$0.contains("socket(AF_UNIX, SOCK_DGRAM") && !$0.contains("\"/dev/log\"")
            }
            return (calls.filter { !$0.contains("AF_UNIX") }, calls.contains { $0.contains("AF_UNIX") })
        }

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
                let (calls, usesLocalSockets) = try await networkCalls([Sandbox.utter] + arguments, environment: microphone.environment)
                #expect(calls == [], "\(arguments)")
                // The sound server is reached by its own socket: where a connection is made, it shows.
                #expect(usesLocalSockets == hears, "\(arguments)")
            }
            #expect(archive.server.requests.count == count)
            let planted = try await networkCalls(
                [Sandbox.utter, "models", "install", "m", "--from", archive.server.address + "/plain/m.zip"], environment: [:])
            #expect(planted.calls.contains { $0.contains("AF_INET") })
        }
    }
}
