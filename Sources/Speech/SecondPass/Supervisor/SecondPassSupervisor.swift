import Dispatch
import Foundation

/// The second pass of a session: keeps a worker running and gives every utterance its outcome, in the background. It does what
/// `SecondPassMachine` says, on a queue of its own; no call of it waits.
final class SecondPassSupervisor: Sendable {
    /// Called once for each utterance, on the supervisor's queue.
    typealias Completion = @Sendable (SecondPassOutcome) -> Void

    private struct State {
        var machine = SecondPassMachine()
        var worker: WorkerProcess?
        /// Counts the workers, so that what a former one says late is known.
        var generation = 0
        var lastIdentifier: UInt64 = 0
        var utterances: [UInt64: (samples: [Int16], completion: Completion)] = [:]
        /// The earliest wake that is ordered.
        var wakeTime: Duration?
        /// Those who wait until no process is left.
        var closers: [@Sendable () -> Void] = []
    }

    private let setup: WorkerSetup
    private let program: String
    private let arguments: [String]
    private let time: SecondPassTime
    private let report: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "utter.second-pass")
    // On the queue only.
    nonisolated(unsafe) private var state = State()

    /// Starts a worker at once.
    ///
    /// - Parameters:
    ///   - program: the path of a program that calls `SecondPassWorker.runIfAsked()`.
    ///   - report: gets a sentence when the second pass stops for the first time, and when there is none any more.
    init(
        setup: WorkerSetup, program: String = "/proc/self/exe", arguments: [String] = SecondPassWorker.arguments(),
        time: SecondPassTime = .system, report: @escaping @Sendable (String) -> Void
    ) {
        (self.setup, self.program, self.arguments, self.time, self.report) = (setup, program, arguments, time, report)
        queue.async { [self] in handle(.woken) }
    }

    /// Asks what is said in these samples.
    ///
    /// - Parameters:
    ///   - timeout: after how long the outcome is `.failed(.late)`; nil waits as long as it takes.
    func decode(_ samples: [Int16], timeout: Duration?, completion: @escaping Completion) {
        let deadline = timeout.map { time.now() + $0 }
        queue.async { [self] in
            state.lastIdentifier += 1
            state.utterances[state.lastIdentifier] = (samples, completion)
            let seconds = Double(samples.count) / Double(TranscribeModel.sampleRate)
            handle(.submitted(state.lastIdentifier, seconds: seconds, deadline: deadline))
        }
    }

    func decode(_ samples: [Int16], timeout: Duration?) async -> SecondPassOutcome {
        await withCheckedContinuation { continuation in
            decode(samples, timeout: timeout) { continuation.resume(returning: $0) }
        }
    }

    /// What the worker has loaded; nil until it has.
    var model: WorkerModel? { queue.sync { state.machine.model } }

    /// Ends the worker; what waits has the outcome `.failed(.cancelled)`. Does not wait.
    func close() { queue.async { [self] in handle(.closed) } }

    /// The same, and returns when the process has gone.
    func closeAndWait() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                handle(.closed)
                if state.worker == nil { continuation.resume() } else { state.closers.append { continuation.resume() } }
            }
        }
    }

    private func handle(_ event: SecondPassMachine.Event) {
        for action in state.machine.handle(event, now: time.now()) { perform(action) }
        orderWake()
    }

    private func perform(_ action: SecondPassMachine.Action) {
        switch action {
        case .start: start()
        case .decode(let identifier):
            guard let samples = state.utterances[identifier]?.samples else { return }
            state.worker?.send(.decode(identifier, samples))
        case .cancel(let identifier): state.worker?.send(.cancel(identifier))
        case .stop: state.worker?.stop()
        case .resolve(let identifier, let outcome): state.utterances.removeValue(forKey: identifier)?.completion(outcome)
        case .report(let sentence): report(sentence)
        }
    }

    private func start() {
        state.generation += 1
        let generation = state.generation
        // It holds us until its process has gone, and nothing of it is left behind.
        let worker = WorkerProcess(program: program, arguments: arguments) { [self] event in
            queue.async { [self] in
                guard generation == state.generation else { return }
                switch event {
                case .answer(let answer): handle(.answered(answer))
                case .ended(let end):
                    state.worker = nil
                    handle(.ended(end))
                    let closers = state.closers
                    state.closers = []
                    for closer in closers { closer() }
                }
            }
        }
        state.worker = worker
        worker.send(.load(setup))
    }

    private func orderWake() {
        guard let wakeTime = state.machine.wakeTime, state.wakeTime.map({ wakeTime < $0 }) ?? true else { return }
        state.wakeTime = wakeTime
        time.wake(wakeTime) { [weak self] in
            guard let self else { return }
            queue.async { [self] in
                if state.wakeTime == wakeTime { state.wakeTime = nil }
                handle(.woken)
            }
        }
    }
}
