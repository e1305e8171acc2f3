import Foundation
import Glibc
import Outbox
import Synchronization
import System

/// Takes requests from the socket, and has the service do them in the order in which they come.
final class TypingServer: Sendable {
    private let socket: Int32
    /// No more connections are taken when this is closed.
    private let stop: System.Pipe
    private let queue = TypingQueue()
    private let service: TypingService
    private let requests = AsyncStream<(TypingRequest, Connection)>.makeStream()

    /// - Parameter socket: a socket that listens. It belongs to the server from now on.
    /// - Throws: `FileError` when the process has no descriptors left.
    init(_ socket: Int32) throws(FileError) {
        guard let stop = System.Pipe() else { throw FileError(.start, path: "utter type serve", errno: errno) }
        (self.socket, self.stop) = (socket, stop)
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        service = TypingService(queue)
    }

    /// Serves until a request or a signal ends it; what was said before that is typed.
    func run() async throws -> ExitCode {
        let interruption = Interruption()
        let lock = try queue.lock()
        defer { withExtendedLifetime(lock) {} }
        try await service.prepare()
        let typing = Task {
            // If it ends by itself, nothing would be typed any more.
            defer { interruption.endInput() }
            try await service.typeQueue()
        }
        let taking = Task { await takeRequests(interruption) }
        Thread.detachNewThread { [self] in
            while let connection = LocalSocket.accept(socket, until: stop) { read(Connection(connection)) }
            // Not by shutdown(2): systemd may listen at the same socket. Another file takes its place, which may be standard input.
            let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
            dup2(nothing, socket)
            close(nothing)
        }
        await interruption.wait()
        stopListening()
        let finishing = Task {
            await service.finish()
            typing.cancel()
        }
        try await typing.value
        finishing.cancel()
        taking.cancel()
        return .ok
    }

    /// Those who come from now on start another process, which waits for the end of this one.
    private func stopListening() { stop.closeWriting() }

    /// Reads the one request of a connection.
    private func read(_ connection: Connection) {
        Thread.detachNewThread { [self] in
            guard let line = connection.lines.next(), let request = TypingRequest(line: line) else { return }
            requests.continuation.yield((request, connection))
        }
    }

    private func takeRequests(_ interruption: Interruption) async {
        for await (request, connection) in requests.stream {
            do {
                let wait = try await service.take(request)
                Task { await answer(request, wait, connection, interruption) }
            } catch {
                let answer = TypingAnswer(status: await service.status, error: CommandError(error))
                // The next request does not wait for a client that does not read.
                Task { await connection.write(answer) }
            }
        }
    }

    private func answer(
        _ request: TypingRequest, _ wait: TypingService.Wait, _ connection: Connection, _ interruption: Interruption
    ) async {
        switch request.action {
        case .follow:
            for await status in await service.changes
            where await !connection.write(TypingAnswer(status: status)) {
                return
            }
        case .stop:
            stopListening()
            await service.finish()
            await connection.write(await service.answer(after: wait))
            interruption.endInput()
        default: await connection.write(await service.answer(after: wait))
        }
    }

    /// A connection, which is closed with this object.
    private final class Connection: Sendable {
        private let descriptor: Int32
        // For the thread that reads the request only.
        nonisolated(unsafe) let lines: LineReader

        init(_ descriptor: Int32) {
            self.descriptor = descriptor
            lines = LineReader(descriptor)
        }

        /// Writes on a thread that may wait.
        ///
        /// - Returns: false when the client has gone, or does not read.
        @discardableResult
        func write(_ answer: TypingAnswer) async -> Bool {
            let line = Array(answer.line.utf8)
            return await onOwnThread { [descriptor] in
                // Descriptor.write would wait for ever where the time limit of the connection is over.
                send(descriptor, line, line.count, Int32(MSG_NOSIGNAL)) == line.count
            }
        }
    }
}
