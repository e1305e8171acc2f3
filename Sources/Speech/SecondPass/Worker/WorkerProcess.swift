import Dispatch
import Foundation
import Glibc
import Synchronization
import System

/// The session's side of a running worker. One thread starts the worker, reads its answers and waits for its end: the kernel
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

    private struct State {
        /// The session's end of the socket; nil when the worker has ended.
        var socket: Int32?
        var isStopped = false
    }

    private let state: Mutex<State>
    /// Where requests are sent: nobody waits for a worker that takes none.
    private let queue = DispatchQueue(label: "utter.worker")

    /// Starts a worker.
    ///
    /// - Parameters:
    ///   - program: the path of a program that is linked with this library.
    ///   - arguments: the arguments of the program.
    ///   - handler: receives the events in order, on the worker's thread.
    init(program: String, arguments: [String], handler: @escaping @Sendable (Event) -> Void) {
        // socketpair(2)
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let error = socketpair(AF_UNIX, kind, 0, &ends) == 0 ? 0 : errno
        let (ours, theirs) = (ends[0], ends[1])
        state = Mutex(State(socket: error == 0 ? ours : nil))
        Thread.detachNewThread { [self] in
            handler(.ended(error == 0 ? run(program, arguments, ours, theirs, handler) : .notStarted(errno: error)))
        }
    }

    /// Sends a request, and does not wait. Does nothing if the worker has ended.
    func send(_ request: WorkerRequest) {
        queue.async { [self] in
            guard let socket = state.withLock({ $0.socket }) else { return }
            // The reading thread sees any error.
            _ = WorkerProtocol.bytes(of: request).withUnsafeBytes { bytes in
                Descriptor.writeAll(bytes) { start, count, _ in Glibc.send(socket, start, count, Int32(MSG_NOSIGNAL)) }
            }
        }
    }

    /// Kills the worker, and does not wait; `.ended` follows.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            // The reading thread sees the end of the stream.
            if let socket = state.socket { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    private func run(
        _ program: String, _ arguments: [String], _ ours: Int32, _ theirs: Int32, _ handler: (Event) -> Void
    ) -> End {
        defer {
            // What is being sent fails now.
            shutdown(ours, Int32(SHUT_RDWR))
            queue.sync { state.withLock { $0.socket = nil } }
            close(ours)
        }
        let child: ChildProcess
        do throws(FileError) {
            defer { close(theirs) }
            child = try ChildProcess(worker: program, arguments, socket: theirs)
        } catch {
            return .notStarted(errno: error.errno)
        }
        let isNonsense = !readAnswers(ours, handler)
        // Kill a worker, too, that has closed its socket and continues, or that SIGSTOP has stopped.
        child.kill()
        let end = child.wait()
        if isNonsense { return .nonsense }
        if state.withLock({ $0.isStopped }) { return .stopped }
        return switch end {
        case .exited(let code): .exited(code)
        case .killed(let signal): .killed(signal: signal)
        }
    }

    /// Reads answers until the worker ends or must be killed.
    ///
    /// - Returns: whether all were valid.
    private func readAnswers(_ socket: Int32, _ handler: (Event) -> Void) -> Bool {
        var answers = WorkerMessages<WorkerAnswer>()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while let bytes = Descriptor.read(socket, into: &buffer) {
            answers.append(bytes)
            do throws(MalformedMessage) {
                while let answer = try answers.next() { handler(.answer(answer)) }
            } catch {
                return false
            }
        }
        return true
    }
}
