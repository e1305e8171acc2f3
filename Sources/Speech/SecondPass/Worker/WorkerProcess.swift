import Audio
import CLinux
import Foundation
import Glibc
import Synchronization

/// A worker that runs, seen from the session. A thread starts it, talks to it and takes its status: the kernel ends a worker together with
/// the thread that has started it, so that one has to live as long.
final class WorkerProcess: Sendable {
    enum Event: Sendable {
        case answer(WorkerAnswer)
        /// The last that comes. Nothing of the process is left, and no descriptor.
        case ended(End)
    }

    enum End: Hashable, Sendable {
        case notStarted(errno: Int32)
        case exited(Int32)
        case killed(signal: Int32)
        /// What it said made no sense, and it was ended.
        case nonsense
        /// `stop()` has ended it.
        case stopped
    }

    private struct Outgoing {
        var bytes: [UInt8] = []
        var isStopped = false
        var hasEnded = false
    }

    private let outgoing = Mutex(Outgoing())
    /// A byte in the second wakes the thread, which waits at the first. Closed when the process has ended.
    private let wakeUp: (reading: Int32, writing: Int32)

    /// - Parameters:
    ///   - program: the path of a program that calls `SecondPassWorker.runIfAsked()`.
    ///   - handler: called on the worker's thread, in order.
    init(program: String, arguments: [String], handler: @escaping @Sendable (Event) -> Void) {
        wakeUp = Self.socketPair() ?? (-1, -1)
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

    /// Neither of whose ends makes a thread wait, and none of which another child gets. socketpair(2)
    private static func socketPair() -> (Int32, Int32)? {
        var ends: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        return socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 ? (ends[0], ends[1]) : nil
    }

    /// Does not wait. What a worker that has ended is told goes nowhere.
    func send(_ request: WorkerRequest) {
        let bytes = WorkerProtocol.bytes(of: request)
        tell { $0.bytes += bytes }
    }

    /// Ends it, whatever it is doing. Does not wait; `.ended` follows.
    func stop() {
        tell { $0.isStopped = true }
    }

    /// Wakes the thread with a change, as long as it runs.
    private func tell(_ change: (inout Outgoing) -> Void) {
        outgoing.withLock { outgoing in
            if outgoing.hasEnded { return }
            change(&outgoing)
            // When there is no more room it has been woken.
            _ = Glibc.send(wakeUp.writing, [0], 1, Int32(MSG_NOSIGNAL))
        }
    }

    private func run(_ program: String, _ arguments: [String], _ handler: (Event) -> Void) -> End {
        guard wakeUp.reading >= 0, let (socket, theirs) = Self.socketPair() else { return .notStarted(errno: errno) }
        defer { close(socket) }
        // The worker waits when it reads and writes.
        _ = fcntl(theirs, F_SETFL, 0)
        let child: ChildProcess
        do throws(FileError) {
            defer { close(theirs) }
            // Its own group, so that a Ctrl-C at the terminal is for the session, which finishes with its help.
            child = try ChildProcess(
                program, arguments, input: .descriptor(theirs), output: .nothing, errors: .nothing, survivesInterrupt: true,
                environment: ["SWIFT_BACKTRACE": "enable=no"], closesOtherDescriptors: true)
        } catch {
            return .notStarted(errno: error.errno)
        }
        let end = talk(socket, handler)
        // Also one that has closed its socket and goes on, and one that was stopped by SIGSTOP.
        child.kill()
        let own = child.wait()
        if let end { return end }
        return switch own {
        case .exited(let code): .exited(code)
        case .killed(let signal): .killed(signal: signal)
        }
    }

    /// Sends and reads until the worker has gone, or is to go.
    ///
    /// - Returns: why it has to go; nil when it has gone by itself.
    private func talk(_ socket: Int32, _ handler: (Event) -> Void) -> End? {
        var answers = WorkerMessages<WorkerAnswer>()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let (isStopped, hasMore) = outgoing.withLock { outgoing in (outgoing.isStopped, Self.write(&outgoing.bytes, to: socket)) }
            if isStopped { return .stopped }
            var waits = [
                pollfd(fd: socket, events: Int16(POLLIN | (hasMore ? POLLOUT : 0)), revents: 0),
                pollfd(fd: wakeUp.reading, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&waits, 2, -1)
            if waits[1].revents != 0 { _ = read(wakeUp.reading, &buffer, buffer.count) }
            let count = read(socket, &buffer, buffer.count)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            // At its end, or broken off.
            if count <= 0 { return nil }
            answers.append(buffer[..<count])
            do throws(MalformedMessage) {
                while let answer = try answers.next() { handler(.answer(answer)) }
            } catch {
                return .nonsense
            }
        }
    }

    /// Writes what can be written at once.
    ///
    /// - Returns: whether something is left.
    private static func write(_ bytes: inout [UInt8], to socket: Int32) -> Bool {
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            // What is wrong with it is seen when it is read.
            if count <= 0 { return errno == EAGAIN }
            bytes.removeFirst(count)
        }
        return false
    }
}
