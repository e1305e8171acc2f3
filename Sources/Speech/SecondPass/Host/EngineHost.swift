import Dispatch
import Foundation
import Glibc
import Models
import Synchronization
import System

/// Decodes stretches of sound with a model in processes of its own, in the background: a model that crashes, hangs or
/// runs out of memory ends a worker, never the session. It performs the actions of an `EngineSchedule` on its own queue.
///
/// All streams of a process with the same setup share a host; the text does not depend on the worker.
final class EngineHost: Sendable {
    /// Receives an outcome, once, on the host's queue.
    typealias Completion = @Sendable (DecodingOutcome) -> Void

    private struct State {
        var schedule: EngineSchedule
        var workers: [WorkerProcess?]
        var requests: [UInt64: (samples: [Int16], language: String?, isGuess: Bool, completion: Completion)] = [:]
        /// Called when the model is known to be loaded or refused.
        var starters: [@Sendable (WorkerFailure?) -> Void] = []
        /// The next wake, and the way to withdraw it.
        var wake: (time: Duration, withdraw: @Sendable () -> Void)?
    }

    /// The most workers.
    let width: Int
    private let setup: WorkerSetup
    private let program: String
    private let arguments: [String]
    private let time: HostTime
    private let report: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "utter.engine")
    private let lastIdentifier = Mutex<UInt64>(0)
    // Used only on the queue.
    nonisolated(unsafe) private var state: State

    /// Creates a host, and starts a worker at once. When one stops for the first time, `report` receives a sentence.
    init(
        setup: WorkerSetup, width: Int = 1, program: String = "/proc/self/exe",
        arguments: [String] = SecondPassWorker.arguments, time: HostTime = .system,
        report: @escaping @Sendable (String) -> Void
    ) {
        (self.setup, self.width, self.program, self.arguments) = (setup, width, program, arguments)
        (self.time, self.report) = (time, report)
        state = State(
            schedule: EngineSchedule(width: width), workers: Array(repeating: nil, count: width))
        queue.async { [self] in handle(.woken) }
    }

    /// Decodes samples at 16 kHz, in a language or else in that of the host's setup.
    ///
    /// - Returns: the identifier of the request.
    @discardableResult
    func decode(
        _ samples: [Int16], _ priority: EngineSchedule.Priority, language: String? = nil,
        completion: @escaping Completion
    ) -> UInt64 {
        let seconds = Double(samples.count) / Double(TranscribeModel.sampleRate)
        // The lock keeps the requests in the order of their identifiers.
        return lastIdentifier.withLock { lastIdentifier in
            lastIdentifier += 1
            let identifier = lastIdentifier
            queue.async { [self] in
                state.requests[identifier] = (samples, language, priority.isGuess, completion)
                handle(.submitted(EngineSchedule.Request(identifier, seconds: seconds, priority: priority)))
            }
            return identifier
        }
    }

    /// Withdraws a request, whose outcome is `.failed(.cancelled)` unless it has one.
    func withdraw(_ identifier: UInt64) { queue.async { [self] in handle(.withdrawn(identifier)) } }

    /// Waits until a worker has loaded the model.
    ///
    /// - Throws: `SpeechError` `.modelLoadFailed` if the model can't be loaded, or no worker will be started any more.
    func start() async throws(SpeechError) {
        let failure = await withCheckedContinuation { continuation in
            queue.async { [self] in
                state.starters.append { continuation.resume(returning: $0) }
                tellStarters()
            }
        }
        if let failure { throw SpeechError(.modelLoadFailed, failure.sentence) }
    }

    /// Whether requests are still decoded.
    var isUsable: Bool { queue.sync { state.schedule.refusal == nil && !state.schedule.isClosed } }

    /// Whether a worker runs or is being started.
    var hasWorkers: Bool { queue.sync { state.workers.contains { $0 != nil } } }

    /// Kills the workers; requests that wait get the outcome `.failed(.cancelled)`. Does not wait.
    func close() { queue.async { [self] in handle(.closed) } }

    private func handle(_ event: EngineSchedule.Event) {
        for action in state.schedule.handle(event, now: time.now()) { perform(action) }
        orderWake()
        tellStarters()
    }

    private func perform(_ action: EngineSchedule.Action) {
        switch action {
        case .start(let place): start(place)
        case .decode(let place, let identifier):
            guard let request = state.requests[identifier] else { return }
            state.workers[place]?.send(
                .decode(
                    identifier, SoundBytes(request.samples), language: request.language, isGuess: request.isGuess))
        case .cancel(let place, let identifier): state.workers[place]?.send(.cancel(identifier))
        case .stop(let place): state.workers[place]?.stop()
        case .resolve(let identifier, let outcome):
            state.requests.removeValue(forKey: identifier)?.completion(outcome)
        case .report(let sentence): report(sentence)
        }
    }

    private func start(_ place: Int) {
        // The closure retains the host until the process has ended, so that no process is left.
        let worker = WorkerProcess(program: program, arguments: arguments) { [self] event in
            queue.async { [self] in
                // A worker's end is its last event, and only then does another take its place.
                switch event {
                case .answer(let answer): handle(.answered(worker: place, answer))
                case .ended(let end):
                    state.workers[place] = nil
                    handle(.ended(worker: place, end))
                }
            }
        }
        state.workers[place] = worker
        worker.send(.load(setup))
    }

    private func tellStarters() {
        let schedule = state.schedule
        let cancelled = schedule.isClosed ? WorkerFailure(kind: .cancelled, sentence: "the session has ended") : nil
        let failure = schedule.refusal ?? cancelled
        guard schedule.hasLoaded || failure != nil else { return }
        let starters = state.starters
        state.starters = []
        for starter in starters { starter(failure) }
    }

    private func orderWake() {
        let wakeTime = state.schedule.wakeTime
        guard wakeTime != state.wake?.time else { return }
        state.wake?.withdraw()
        state.wake = wakeTime.map { wakeTime in
            let withdraw = time.wake(wakeTime) { [weak self] in
                guard let self else { return }
                queue.async { [self] in
                    // A wake that was withdrawn while it came is harmless: the schedule finds nothing due.
                    if state.wake?.time == wakeTime { state.wake = nil }
                    handle(.woken)
                }
            }
            return (wakeTime, withdraw)
        }
    }
}

/// The clock of a host, which tests replace by one that they advance.
struct HostTime: Sendable {
    /// The current time.
    var now: @Sendable () -> Duration
    /// Calls `body` at `time` or a little later, unless the returned closure is called before.
    var wake: @Sendable (_ time: Duration, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void

    /// The system's clock, which stops while the machine sleeps.
    static let system: HostTime = {
        let start = SuspendingClock.now
        let now: @Sendable () -> Duration = { SuspendingClock.now - start }
        return HostTime(now: now) { time, body in
            let nanoseconds = max(.zero, time - now()) / .nanoseconds(1)
            // Its methods may be called on any thread, but Swift has not marked it.
            nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: .global())
            timer.setEventHandler(handler: body)
            timer.schedule(deadline: .now() + .nanoseconds(Int(min(nanoseconds, 1e15)) + 1_000_000))
            timer.activate()
            return { timer.cancel() }
        }
    }()
}
