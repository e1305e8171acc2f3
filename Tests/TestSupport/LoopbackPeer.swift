import Foundation
import Glibc
import Synchronization
import Testing

/// A server on loopback, in a process of its own, that reports what it receives.
package final class LoopbackPeer: Sendable {
    private let program: Program
    package let port: Int
    /// How many lines of its output were taken, with the port's.
    private let lineCount = Mutex(1)

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - script: the server's script in the folder Server.
    ///   - arguments: the script's arguments.
    package init(_ script: String, _ arguments: String...) async throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Server/" + script
        // Nobody who waits for the end of the tests' own output shall wait for it.
        program = try Program(
            ["python3", "-u", path] + arguments, environment: ProcessInfo.processInfo.environment, input: .pipe,
            errors: .nothing)
        port = try #require(Int(try await program.line(0)))
    }

    /// Waits until something was received that holds this text.
    package func wait(for text: String) async throws { try await program.wait(forOutput: text) }

    /// Waits for what is received next, and returns it.
    package func next() async throws -> [String: Any] {
        let number = lineCount.withLock { count in
            count += 1
            return count - 1
        }
        return Self.object(try await program.line(number)) ?? [:]
    }

    /// What was received so far. Wait for the last of it before.
    package var received: [[String: Any]] {
        program.outputSoFar.split(separator: "\n").dropFirst().compactMap { Self.object($0) }
    }

    private static func object(_ line: some StringProtocol) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
    }

    // The server ends at the end of its standard input.
    deinit { close(program.input) }
}
