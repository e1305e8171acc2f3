import Dispatch
import Foundation

/// The second pass of a session: keeps a worker running, and delivers an outcome for every utterance, in the
/// background. It performs the actions of a `SecondPassMachine` on its own queue. No call waits, except the async ones.
final class SecondPassSupervisor: Sendable {
    /// Receives the outcome of an utterance, once, on the supervisor's queue.
    typealias Completion = @Sendable (SecondPassOutcome) -> Void

    private struct State {
        var machine = SecondPassMachine()
        var worker: WorkerProcess?
        /// Counts the workers, so that late events of an earlier one are recognized.
        var generation = 0
        var lastIdentifier: UInt64 = 0
        var utterances: [UInt64: (samples: [Int16], hasTwoThreads: Bool, completion: Completion)] = [:]
        var ahead: Ahead?
        /// The earliest time for which a wake is scheduled.
        var wakeTime: Duration?
        /// Called when no process is left.
        var closers: [@Sendable () -> Void] = []
    }

    /// Samples that are decoded ahead, because an utterance may have ended with them.
    private struct Ahead {
        var identifier: UInt64
        var samples: [Int16]
        /// The outcome, nil until it arrives.
        var outcome: SecondPassOutcome?
    }

    private let setup: WorkerSetup
    private let program: String
    private let arguments: [String]
    private let time: SecondPassTime
    private let report: @Sendable (String) -> Void
    private let reportGivenUp: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "utter.second-pass")
    // Used only on the queue.
    nonisolated(unsafe) private var state = State()

    /// Creates a supervisor, and starts a worker at once.
    ///
    /// - Parameters:
    ///   - setup: the model to load.
    ///   - program: the path of a program that calls `SecondPassWorker.runIfAsked()`.
    ///   - arguments: the arguments of the program.
    ///   - time: the clock.
    ///   - retriesShortages: whether to start another worker after one had too little memory to load.
    ///   - report: receives a sentence when the second pass stops for the first time.
    ///   - reportGivenUp: receives a sentence when it is given up; nil for `report`.
    init(
        setup: WorkerSetup, program: String = "/proc/self/exe", arguments: [String] = SecondPassWorker.arguments(),
        time: SecondPassTime = .system, retriesShortages: Bool = true, report: @escaping @Sendable (String) -> Void,
        reportGivenUp: (@Sendable (String) -> Void)? = nil
    ) {
        (self.setup, self.program, self.arguments, self.time) = (setup, program, arguments, time)
        (self.report, self.reportGivenUp) = (report, reportGivenUp ?? report)
        state.machine.retriesShortages = retriesShortages
        queue.async { [self] in handle(.woken) }
    }

    /// Decodes samples. If the same samples were decoded ahead, uses that outcome.
    ///
    /// - Parameters:
    ///   - samples: the sound at 16 kHz.
    ///   - hasTwoThreads: whether the decoding has two threads, or one as those beside it.
    ///   - timeout: the time after which the outcome is `.failed(.late)`; nil for no limit.
    ///   - completion: receives the outcome.
    func decode(_ samples: [Int16], hasTwoThreads: Bool = true, timeout: Duration?, completion: @escaping Completion) {
        let deadline = timeout.map { time.now() + $0 }
        queue.async { [self] in
            if takeAhead(samples, deadline, completion) { return }
            dropAhead()
            submit(samples, hasTwoThreads: hasTwoThreads, deadline, completion)
        }
    }

    /// Decodes samples, and returns the outcome.
    func decode(_ samples: [Int16], timeout: Duration?) async -> SecondPassOutcome {
        await withCheckedContinuation { continuation in
            decode(samples, timeout: timeout) { continuation.resume(returning: $0) }
        }
    }

    /// Begins to decode samples that may be the next utterance, instead of any earlier ones. It delays nothing: any
    /// other request cancels it.
    func decodeAhead(_ samples: [Int16]) {
        queue.async { [self] in
            dropAhead()
            // Set before `submit`, which may deliver the outcome at once.
            let identifier = state.lastIdentifier + 1
            state.ahead = Ahead(identifier: identifier, samples: samples)
            submit(samples, hasTwoThreads: true, nil) { [self] outcome in
                if state.ahead?.identifier == identifier { state.ahead?.outcome = outcome }
            }
        }
    }

    /// Cancels `decodeAhead(_:)`: the samples are not the next utterance.
    func endDecodingAhead() { queue.async { [self] in dropAhead() } }

    private func submit(
        _ samples: [Int16], hasTwoThreads: Bool, _ deadline: Duration?, _ completion: @escaping Completion
    ) {
        state.lastIdentifier += 1
        state.utterances[state.lastIdentifier] = (samples, hasTwoThreads, completion)
        let seconds = Double(samples.count) / Double(TranscribeModel.sampleRate)
        handle(.submitted(state.lastIdentifier, seconds: seconds, deadline: deadline))
    }

    /// Uses the samples that are decoded ahead for an utterance.
    ///
    /// - Returns: whether they are the same samples, and their outcome can be used.
    private func takeAhead(_ samples: [Int16], _ deadline: Duration?, _ completion: @escaping Completion) -> Bool {
        guard let ahead = state.ahead, ahead.samples == samples else { return false }
        switch ahead.outcome {
        case nil:
            state.utterances[ahead.identifier]?.completion = completion
            state.ahead = nil
            handle(.wanted(ahead.identifier, deadline: deadline))
        case .text, .failed(.refused):
            state.ahead = nil
            ahead.outcome.map(completion)
        case .failed: return false
        }
        return true
    }

    private func dropAhead() {
        guard let ahead = state.ahead else { return }
        state.ahead = nil
        if ahead.outcome == nil { handle(.withdrawn(ahead.identifier)) }
    }

    /// The model that the worker has loaded; nil until then.
    var model: WorkerModel? { queue.sync { state.machine.model } }

    /// Whether the outcome of the samples that were decoded ahead has arrived.
    var hasDecodedAhead: Bool { queue.sync { state.ahead?.outcome != nil } }

    /// Kills the worker; utterances that wait get the outcome `.failed(.cancelled)`. Does not wait.
    func close() { queue.async { [self] in handle(.closed) } }

    /// Kills the worker, as `close()` does, and waits until its process has ended.
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
            guard let utterance = state.utterances[identifier] else { return }
            state.worker?.send(.decode(identifier, utterance.samples, hasTwoThreads: utterance.hasTwoThreads))
        case .cancel(let identifier): state.worker?.send(.cancel(identifier))
        case .stop: state.worker?.stop()
        case .resolve(let identifier, let outcome):
            state.utterances.removeValue(forKey: identifier)?.completion(outcome)
        case .report(let sentence): report(sentence)
        case .reportGivenUp(let sentence): reportGivenUp(sentence)
        }
    }

    private func start() {
        state.generation += 1
        let generation = state.generation
        // The closure retains the supervisor until the process has ended, so that no process is left.
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
