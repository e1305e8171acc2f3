import Foundation
import Glibc
import Outbox
import Synchronization
import TestSupport
import Testing

extension Sandbox {
    /// The queue that `utter` uses in here.
    var store: OutboxStore { OutboxStore(folder: file("state/utter/outbox")) }

    /// Puts something into the queue, past the command.
    ///
    /// - Parameters:
    ///   - destination: what it is for; need not be configured.
    ///   - change: what has happened to it since.
    @discardableResult
    func queue(
        _ text: String = "buy milk", for destination: String = "notes", id: UUID = .timeOrdered(),
        change: ((inout OutboxOperation) -> Void)? = nil
    ) throws -> UUID {
        let date = Date(timeIntervalSince1970: 1_741_440_120)
        let capture = Capture(text: text, capturedAt: date, timeZone: .gmt)
        try store.enqueue(OutboxOperation(id: id, kind: destination, payload: capture.payload, createdAt: date))
        if let change { try store.change(id, change) }
        return id
    }

    var queued: [UUID] { get throws { Array(try store.index().ids) } }

    func startOutbox(
        _ arguments: String..., under wrapper: [String] = [], environment: [String: String] = [:],
        output: Program.Attachment = .pipe, errors: Program.Attachment = .pipe
    ) throws -> Program {
        try startOutbox(arguments, under: wrapper, environment: environment, output: output, errors: errors)
    }

    private func startOutbox(
        _ arguments: [String], under wrapper: [String], environment: [String: String], output: Program.Attachment,
        errors: Program.Attachment
    ) throws -> Program {
        try Program(
            wrapper + [Self.utter, "outbox"] + arguments, environment: self.environment(environment), output: output, errors: errors)
    }

    /// Runs `utter outbox` to its end.
    func outbox(
        _ arguments: String..., under wrapper: [String] = [], environment: [String: String] = [:],
        output: Program.Attachment = .pipe, errors: Program.Attachment = .pipe
    ) async throws -> Program.Finished {
        try await startOutbox(arguments, under: wrapper, environment: environment, output: output, errors: errors)
            .finish()
    }

    /// An executable script in here.
    func script(_ name: String, _ lines: String) -> String {
        let path = put(Array("#!/bin/sh\n\(lines)\n".utf8), in: name)
        #expect(chmod(path, 0o700) == 0)
        return path
    }
}

/// A pipe with a name, in a sandbox, through which programs tell a test something, or a test a program.
final class NamedPipe: Sendable {
    let path: String
    private let descriptor: Int32
    private let rest = Mutex<[UInt8]>([])

    init(_ name: String, in sandbox: Sandbox) {
        path = sandbox.file(name)
        #expect(mkfifo(path, 0o600) == 0)
        // With both ends open nobody waits for the other, and its end is none.
        descriptor = open(path, O_RDWR | O_CLOEXEC)
    }

    /// Waits for the next line.
    func line() async throws -> String {
        try await onThread { [self] in
            while true {
                let line = rest.withLock { rest -> String? in
                    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
                    defer { rest.removeFirst(end + 1) }
                    return String(decoding: rest[..<end], as: UTF8.self)
                }
                if let line { return line }
                var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                if poll(&ready, 1, Patience.milliseconds) <= 0 { return "nobody wrote" }
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = read(descriptor, &bytes, bytes.count)
                rest.withLock { [bytes] in $0 += bytes.prefix(max(0, count)) }
            }
        }
    }

    func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    }

    deinit { close(descriptor) }
}

/// A server on loopback that says what it gets: those of the outbox's own tests.
final class LoopbackPeer: Sendable {
    private let program: Program
    let port: Int

    /// - Parameter script: `web.py` or `mail.py`.
    init(_ script: String) async throws {
        let path = Sandbox.root + "/Tests/OutboxTests/Support/Peers/" + script
        program = try Program(["python3", "-u", path], environment: ProcessInfo.processInfo.environment, input: .pipe)
        try await program.wait(forOutput: "\n")
        port = try #require(program.outputSoFar.split(separator: "\n").first.flatMap { Int($0) })
    }

    /// Waits until something has come that holds this text.
    func wait(for text: String) async throws { try await program.wait(forOutput: text) }

    /// What has come so far: wait for the last of it.
    var received: [[String: Any]] {
        program.outputSoFar.split(separator: "\n").dropFirst().compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
        }
    }

    // It ends when its standard input does.
    deinit { close(program.input) }
}

extension Program.Finished {
    /// Its lines as JSON objects.
    func objects(sourceLocation: SourceLocation = #_sourceLocation) throws -> [[String: Any]] {
        try outputLines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], sourceLocation: sourceLocation)
        }
    }
}
