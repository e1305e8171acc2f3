import Foundation
import Glibc
import Outbox
import Synchronization
import TestSupport
import Testing

extension Sandbox {
    /// The queue that `utter` uses in this sandbox.
    var store: OutboxStore { OutboxStore(folder: file("state/utter/outbox")) }

    /// Adds an operation to the queue directly, without the command.
    ///
    /// - Parameters:
    ///   - destination: the operation's destination, which need not be configured.
    ///   - change: changes the operation before it is added.
    @discardableResult
    func queue(
        _ text: String = "buy milk", for destination: String = "notes", id: UUID = .timeOrdered(),
        change: ((inout OutboxOperation) -> Void)? = nil
    ) throws -> UUID {
        let date = Date(timeIntervalSince1970: 1_741_440_120)
        let capture = CapturedText(text: text, capturedAt: date, timeZone: .gmt)
        try store.enqueue(OutboxOperation(id: id, destination: destination, payload: capture.payload, createdAt: date))
        if let change { try store.change(id, change) }
        return id
    }

    /// What `utter outbox` says where nothing brings what waits.
    static let unbrought =
        "nothing brings them by itself: utter outbox drain, or for good: systemctl --user enable --now utter-drain.timer"

    var queued: [UUID] { get throws { Array(try store.index().ids) } }

    func startOutbox(_ arguments: String...) throws -> Program { try startUtter(["outbox"] + arguments) }

    func outbox(
        _ arguments: String..., under wrapper: [String] = [], environment: [String: String] = [:],
        output: Program.Attachment = .pipe, errors: Program.Attachment = .pipe
    ) async throws -> Program.Finished {
        try await utter(
            ["outbox"] + arguments, under: wrapper, environment: environment, output: output, errors: errors)
    }

    func outbox(_ arguments: [String]) async throws -> Program.Finished { try await utter(["outbox"] + arguments) }

    /// Makes an executable script in this sandbox, and returns its path.
    func script(_ name: String, _ lines: String) -> String {
        let path = put("#!/bin/sh\n\(lines)\n", in: name)
        #expect(chmod(path, 0o700) == 0)
        return path
    }
}

/// A named pipe in a sandbox, through which a program sends lines to a test, or a test to a program.
final class NamedPipe: Sendable {
    let path: String
    private let descriptor: Int32
    private let rest = Mutex<[UInt8]>([])

    init(_ name: String, in sandbox: Sandbox) {
        path = sandbox.file(name)
        #expect(mkfifo(path, 0o600) == 0)
        // With both ends open, opening does not block, and a writer's end is not the end of the input.
        descriptor = open(path, O_RDWR | O_CLOEXEC)
    }

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

extension Program.Finished {
    /// The lines of the output as JSON objects.
    func objects(sourceLocation: SourceLocation = #_sourceLocation) throws -> [[String: Any]] {
        try outputLines.map { line in
            try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                sourceLocation: sourceLocation)
        }
    }
}
