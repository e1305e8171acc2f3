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

    /// Starts a worker. The handler receives the events in order, on the worker's thread.
    init(program: String, arguments: [String], handler: @escaping @Sendable (Event) -> Void) {
        let sockets = Result { () throws(FileError) in try ChildProcess.workerSockets() }
        state = Mutex(State(socket: try? sockets.get().ours))
        Thread.detachNewThread { [self] in
            switch sockets {
            case .success(let (ours, theirs)): handler(.ended(run(program, arguments, ours, theirs, handler)))
            case .failure(let error): handler(.ended(.notStarted(errno: error.errno)))
            }
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
        let child: ChildProcess
        do throws(FileError) {
            defer { close(theirs) }
            child = try ChildProcess(worker: program, arguments, socket: theirs)
        } catch {
            closeSocket(ours)
            return .notStarted(errno: error.errno)
        }
        let isNonsense = !WorkerMessages<WorkerAnswer>.read(ours) { handler(.answer($0)) }
        // Kill a worker, too, that has closed its socket and continues, or that SIGSTOP has stopped.
        child.kill()
        // Whoever sees that the process is gone finds no descriptor of it, either.
        closeSocket(ours)
        let end = child.wait()
        if isNonsense { return .nonsense }
        if state.withLock({ $0.isStopped }) { return .stopped }
        return switch end {
        case .exited(let code): .exited(code)
        case .killed(let signal): .killed(signal: signal)
        }
    }

    private func closeSocket(_ ours: Int32) {
        // What is being sent fails now.
        shutdown(ours, Int32(SHUT_RDWR))
        queue.sync { state.withLock { $0.socket = nil } }
        close(ours)
    }
}

extension WorkerMessages {
    /// Reads the messages of a socket until its other end is closed, or a message is invalid.
    ///
    /// - Returns: whether all were valid.
    static func read(_ socket: Int32, _ body: (Message) -> Void) -> Bool {
        var messages = WorkerMessages()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while let bytes = Descriptor.read(socket, into: &buffer) {
            messages.append(bytes)
            do throws(MalformedMessage) {
                while let message = try messages.next() { body(message) }
            } catch {
                return false
            }
        }
        return true
    }
}
