import CLinux
import Foundation
import Glibc
import Synchronization
import System

/// The session's side of a running worker. One thread starts the worker, talks to it and waits for its end: the kernel
/// kills a worker together with the thread that has started it, so that thread must live as long.
final class WorkerProcess: Sendable {
    enum Event: Sendable {
        case answer(WorkerAnswer)
        /// The worker has ended. This is the last event: the process is gone, and its descriptors are closed.
        case ended(End)
    }

    enum End: Hashable, Sendable {
        /// The process could not be started.
        case notStarted(errno: Int32)
        /// The process exited with this status.
        case exited(Int32)
        /// This signal ended the process.
        case killed(signal: Int32)
        /// The worker sent an invalid message, and was killed.
        case nonsense
        /// `stop()` killed the worker.
        case stopped
    }

    private struct Outgoing {
        var bytes: [UInt8] = []
        var isStopped = false
        var hasEnded = false
    }

    private let outgoing = Mutex(Outgoing())
    /// Wakes the thread, which waits at the reading end, by a byte at the writing end. Closed when the process has
    /// ended.
    private let wakeUp: (reading: Int32, writing: Int32)
    /// Why `wakeUp` could not be made.
    private let wakeUpError: Int32

    /// Starts a worker.
    ///
    /// - Parameters:
    ///   - program: the path of a program that is linked with this library.
    ///   - arguments: the arguments of the program.
    ///   - handler: receives the events in order, on the worker's thread.
    init(program: String, arguments: [String], handler: @escaping @Sendable (Event) -> Void) {
        let pair = Self.socketPair()
        wakeUpError = pair == nil ? errno : 0
        wakeUp = pair ?? (-1, -1)
        Thread.detachNewThread { [self] in
            let end = run(program, arguments, handler)
            outgoing.withLock { outgoing in
                outgoing.hasEnded = true
                outgoing.bytes = []
                for descriptor in [wakeUp.reading, wakeUp.writing] where descriptor >= 0 { close(descriptor) }
            }
            handler(.ended(end))
        }
    }

    /// Makes a pair of sockets that are non-blocking and closed in children. socketpair(2)
    private static func socketPair() -> (Int32, Int32)? {
        var ends: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        return socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 ? (ends[0], ends[1]) : nil
    }

    /// Sends a request, and does not wait. Does nothing if the worker has ended.
    func send(_ request: WorkerRequest) {
        let bytes = WorkerProtocol.bytes(of: request)
        tell { $0.bytes += bytes }
    }

    /// Kills the worker, and does not wait; `.ended` follows.
    func stop() {
        tell { $0.isStopped = true }
    }

    /// Applies a change and wakes the thread, if it is running.
    private func tell(_ change: (inout Outgoing) -> Void) {
        outgoing.withLock { outgoing in
            if outgoing.hasEnded { return }
            change(&outgoing)
            // If the socket is full, the thread has been woken already.
            _ = Glibc.send(wakeUp.writing, [0], 1, Int32(MSG_NOSIGNAL))
        }
    }

    private func run(_ program: String, _ arguments: [String], _ handler: (Event) -> Void) -> End {
        guard wakeUp.reading >= 0 else { return .notStarted(errno: wakeUpError) }
        guard let (socket, theirs) = Self.socketPair() else { return .notStarted(errno: errno) }
        defer { close(socket) }
        // The worker's end is blocking.
        _ = fcntl(theirs, F_SETFL, 0)
        let child: ChildProcess
        do throws(FileError) {
            defer { close(theirs) }
            child = try ChildProcess(worker: program, arguments, socket: theirs)
        } catch {
            return .notStarted(errno: error.errno)
        }
        let end = talk(socket, handler)
        // Kill a worker, too, that has closed its socket and continues, or that SIGSTOP has stopped.
        child.kill()
        let own = child.wait()
        if let end { return end }
        return switch own {
        case .exited(let code): .exited(code)
        case .killed(let signal): .killed(signal: signal)
        }
    }

    /// Sends requests and reads answers until the worker ends or must be killed.
    ///
    /// - Returns: the reason to kill it; nil if it has ended by itself.
    private func talk(_ socket: Int32, _ handler: (Event) -> Void) -> End? {
        var answers = WorkerMessages<WorkerAnswer>()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let (isStopped, hasMore) = outgoing.withLock { outgoing in
                (outgoing.isStopped, Self.write(&outgoing.bytes, to: socket))
            }
            if isStopped { return .stopped }
            var waits = [
                pollfd(fd: socket, events: Int16(POLLIN | (hasMore ? POLLOUT : 0)), revents: 0),
                pollfd(fd: wakeUp.reading, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&waits, 2, -1)
            if waits[1].revents != 0 { _ = read(wakeUp.reading, &buffer, buffer.count) }
            let count = read(socket, &buffer, buffer.count)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            // The end of the stream, or an error.
            if count <= 0 { return nil }
            answers.append(buffer[..<count])
            do throws(MalformedMessage) {
                while let answer = try answers.next() { handler(.answer(answer)) }
            } catch {
                return .nonsense
            }
        }
    }

    /// Writes as much as possible without waiting.
    ///
    /// - Returns: whether bytes are left.
    private static func write(_ bytes: inout [UInt8], to socket: Int32) -> Bool {
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            // The next read reports any error.
            if count <= 0 { return errno == EAGAIN }
            bytes.removeFirst(count)
        }
        return false
    }
}
