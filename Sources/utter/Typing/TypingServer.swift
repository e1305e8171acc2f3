import Foundation
import Glibc
import Outbox
import Synchronization
import System

/// Takes requests from the socket, and has the service do them in the order in which they come.
final class TypingServer: Sendable {
    private let socket: Int32
    private let service: TypingService
    private let requests = AsyncStream<(TypingRequest, Connection)>.makeStream()

    /// - Parameter socket: a socket that listens. It belongs to the server from now on.
    init(_ socket: Int32) {
        self.socket = socket
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        service = TypingService(TypingQueue())
    }

    /// Serves until a request or a signal ends it; what was said before that is typed.
    func run() async throws -> ExitCode {
        let interruption = Interruption()
        try await service.prepare()
        let typing = Task { try await service.typeQueue() }
        let taking = Task { await takeRequests(interruption) }
        Thread.detachNewThread { [self] in
            while let connection = LocalSocket.accept(socket) { read(Connection(connection)) }
        }
        await interruption.wait()
        await service.finish()
        taking.cancel()
        typing.cancel()
        _ = try await typing.value
        return .ok
    }

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
                connection.write(answer)
            }
        }
    }

    private func answer(
        _ request: TypingRequest, _ wait: TypingService.Wait, _ connection: Connection, _ interruption: Interruption
    ) async {
        switch request.action {
        case .follow:
            for await status in await service.changes where !connection.write(TypingAnswer(status: status)) { return }
        case .stop:
            await service.finish()
            connection.write(await service.answer(after: wait))
            interruption.endInput()
        default: connection.write(await service.answer(after: wait))
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

        /// - Returns: false when the client has gone.
        @discardableResult
        func write(_ answer: TypingAnswer) -> Bool { Descriptor.write(answer.line, to: descriptor) == 0 }
    }
}
