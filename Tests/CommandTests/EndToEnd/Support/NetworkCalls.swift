import TestSupport
import Testing

extension Sandbox {
    /// The network calls of a command and of all processes that it starts, in strace's log.
    struct NetworkCalls {
        var end: Program.End
        /// The lines of socket(2) and connect(2), except those of local sockets.
        var calls: [String]
        /// Whether there were connections to local sockets, such as that of a sound server.
        var usesLocalSockets: Bool
    }

    func networkCalls(_ command: [String], environment: [String: String] = [:]) async throws -> NetworkCalls {
        let finished = try await Program(
            ["strace", "-f", "-e", "trace=network", "-o", file("network.log")] + command,
            environment: self.environment(environment)
        ).finish()
        let lines = try #require(text(of: "network.log")).split(separator: "\n").map(String.init)
        try #require(lines.contains { $0.contains("exited with") }, "\(command)")
        // Dispatch logs to syslog that a user may not raise the priority of its threads.
        let calls = lines.filter { $0.contains("socket(") || $0.contains("connect(") }.filter {
            !$0.contains("socket(AF_UNIX, SOCK_DGRAM") && !$0.contains("\"/dev/log\"")
        }
        return NetworkCalls(
            end: finished.end, calls: calls.filter { !$0.contains("AF_UNIX") },
            usesLocalSockets: calls.contains { $0.contains("AF_UNIX") })
    }
}
