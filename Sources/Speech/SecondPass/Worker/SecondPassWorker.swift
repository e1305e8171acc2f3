import CLinux
import CWorkerStart
import Foundation
import Glibc
import Synchronization
import System

/// The process that computes the second pass: the same program, which a session starts again and which ends with the
/// session. If a model is damaged, or the kernel has no memory left, the worker ends and the session continues.
///
/// It begins before the program's `main`, which a worker never runs; see CWorkerStart.
enum SecondPassWorker {
    /// The arguments that make the program a worker of this process.
    static var arguments: [String] { [WORKER_OPTION, "\(getpid())"] }

    /// Becomes the worker of another process, and does not return.
    fileprivate static func begin(parent: pid_t) -> Never {
        // End with the session, rather than continue to compute for no one.
        guard clinux_end_with_parent() == 0, getppid() == parent else { _exit(EX_UNAVAILABLE) }
        // A session that ends by a signal to its whole group or service still needs the rest of its text.
        for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_IGN) }
        Memory.limitProcess()
        // The libraries' variables change the text, and one of them writes what was said to files.
        for name in ProcessInfo.processInfo.environment.keys
        where name.hasPrefix("TRANSCRIBE_") || name.hasPrefix("GGML_") {
            unsetenv(name)
        }
        serve(STDIN_FILENO)
    }

    /// Reads requests until the session closes the socket, while another thread computes.
    private static func serve(_ socket: Int32) -> Never {
        let work = WorkerQueue()
        let thread = Thread { compute(work, answeringTo: socket) }
        thread.stackSize = 8 << 20
        thread.start()
        let isValid = WorkerMessages<WorkerRequest>.read(socket) { work.add($0) }
        // End even if the other thread is computing: nothing has to be flushed.
        _exit(isValid ? EX_OK : EX_PROTOCOL)
    }

    /// Performs the requests in order.
    private static func compute(_ work: WorkerQueue, answeringTo socket: Int32) -> Never {
        var model: TranscribeModel?
        while true {
            switch work.next() {
            case .load(let setup):
                do throws(WorkerFailure) {
                    let loaded = try TranscribeModel(setup, calls: TranscribeCalls(folder: setup.library))
                    model = loaded
                    send(.ready, to: socket)
                    // The sound of a guess is not there yet.
                    if setup.guesses { loaded.prepareGuesses() }
                } catch {
                    send(.failure(0, error), to: socket)
                }
            case .decode(let identifier, let sound, let language, let isGuess):
                guard let model else {
                    send(.failure(identifier, WorkerFailure(kind: .model, sentence: "no model is loaded")), to: socket)
                    continue
                }
                work.begin(identifier, on: model)
                do throws(WorkerFailure) {
                    let samples = sound.samples
                    let text =
                        try isGuess
                        ? model.guess(samples, language: language) : model.decode(samples, language: language)
                    send(.result(identifier, text), to: socket)
                } catch {
                    send(.failure(identifier, error), to: socket)
                }
                work.end()
            case .cancel: break
            }
        }
    }

    private static func send(_ answer: WorkerAnswer, to socket: Int32) {
        let code = WorkerProtocol.bytes(of: answer).withUnsafeBytes { Descriptor.write($0, to: socket) }
        if code != 0 { _exit(EX_OK) }
    }
}

/// Called by the constructor in CWorkerStart.
@_cdecl("utter_second_pass_worker_serve")
func secondPassWorkerServe(parent: Int32) -> Never { SecondPassWorker.begin(parent: parent) }

/// The requests, from the thread that reads them to the one that performs them.
private final class WorkerQueue: Sendable {
    private struct State {
        var requests: [WorkerRequest] = []
        // The computing thread retains the model while this is set.
        var running: (identifier: UInt64, model: TranscribeModel)?
        /// The request that was cancelled last, which may not have begun.
        var cancelled: UInt64?
    }

    private let condition = NSCondition()
    // Protected by the condition's lock.
    nonisolated(unsafe) private var state = State()

    func add(_ request: WorkerRequest) {
        condition.lock()
        defer { condition.unlock() }
        if case .cancel(let identifier) = request {
            // The request may not have begun. The session sends one at a time.
            state.cancelled = identifier
            if state.running?.identifier == identifier { state.running?.model.setCancelled(true) }
            return
        }
        state.requests.append(request)
        condition.signal()
    }

    func next() -> WorkerRequest {
        condition.lock()
        defer { condition.unlock() }
        while state.requests.isEmpty { condition.wait() }
        return state.requests.removeFirst()
    }

    func begin(_ identifier: UInt64, on model: TranscribeModel) {
        condition.lock()
        defer { condition.unlock() }
        model.setCancelled(state.cancelled == identifier)
        state.running = (identifier, model)
    }

    func end() {
        condition.lock()
        defer { condition.unlock() }
        state.running = nil
    }
}
