import CLinux
import Foundation
import Glibc
import Synchronization
import System

@testable import Outbox

/// A server on loopback, in a process of its own, that says what it gets.
final class Peer: Sendable {
    let port: Int
    private let input = System.Pipe()!
    private let lines: LineReader
    private let process: pid_t

    /// - Parameter script: in the folder Peers.
    init(_ script: String, _ scriptArguments: [String] = []) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
        let output = System.Pipe()!
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.reading, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output.writing, STDOUT_FILENO)
        // Nobody who waits for the end of the tests' own output shall wait for it.
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        withUnsafeMutablePointer(to: &actions) { _ = posix_spawn_file_actions_addclosefrom_np($0, 3) }
        let arguments: [String] = ["python3", "-u", "\(folder)/Peers/\(script)"] + scriptArguments
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        guard posix_spawnp(&process, "python3", &actions, nil, &words, environ) == 0 else { throw Missing() }
        self.process = process
        input.closeReading()
        output.closeWriting()
        lines = LineReader(output)
        port = Int(lines.next() ?? "") ?? 0
        if port == 0 { throw Missing() }
    }

    // It ends with its input, which ends with this.
    deinit {
        Thread.detachNewThread { [process] in
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        }
    }

    struct Missing: Error, CustomStringConvertible {
        var description: String { "python3 is missing; run Scripts/setup --for-tests" }
    }

    /// What it got next.
    func next() async throws -> [String: Any] {
        let line = await onThread { [lines] in lines.next() ?? "{}" }
        return try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
}

/// Reads lines as they come.
final class LineReader: Sendable {
    private let pipe: System.Pipe
    private let rest = Mutex<[UInt8]>([])

    init(_ pipe: System.Pipe) { self.pipe = pipe }

    /// Waits for a line; nil at the end.
    func next() -> String? {
        rest.withLock { rest in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                if let end = rest.firstIndex(of: 0x0A) {
                    let line = String(decoding: rest[..<end], as: UTF8.self)
                    rest.removeFirst(end + 1)
                    return line
                }
                let count = read(pipe.reading, &buffer, buffer.count)
                if count < 0 && errno == EINTR { continue }
                if count <= 0 { return nil }
                rest += buffer[..<count]
            }
        }
    }
}

/// Does what makes a thread wait, on a thread that may wait.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}
