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
        var utterances: [UInt64: (samples: [Int16], findsSegments: Bool, completion: Completion)] = [:]
        var ahead: Ahead?
        /// The earliest wake that is ordered.
        var wakeTime: Duration?
        /// Those who wait until no process is left.
        var closers: [@Sendable () -> Void] = []
    }

    /// What is decoded on the chance that an utterance has ended with it.
    private struct Ahead {
        var identifier: UInt64
        var samples: [Int16]
        /// Nil while it is not there yet.
        var outcome: SecondPassOutcome?
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

    /// Asks what is said in these samples. Where the very same ones have been decoded ahead, that outcome is theirs.
    ///
    /// - Parameters:
    ///   - findsSegments: whether the times of segments are wanted, of a model that has none of words.
    ///   - timeout: after how long the outcome is `.failed(.late)`; nil waits as long as it takes.
    func decode(_ samples: [Int16], findsSegments: Bool = false, timeout: Duration?, completion: @escaping Completion) {
        let deadline = timeout.map { time.now() + $0 }
        queue.async { [self] in
            if !findsSegments, takeAhead(samples, deadline, completion) { return }
            dropAhead()
            submit(samples, findsSegments: findsSegments, deadline, completion)
        }
    }

    func decode(_ samples: [Int16], timeout: Duration?) async -> SecondPassOutcome {
        await withCheckedContinuation { continuation in
            decode(samples, timeout: timeout) { continuation.resume(returning: $0) }
        }
    }

    /// Begins with samples that may be the next utterance, in place of others of which that was so. It holds nothing up: it is cancelled
    /// when anything else is asked for.
    func decodeAhead(_ samples: [Int16]) {
        queue.async { [self] in
            dropAhead()
            // Known before the outcome, which may come at once.
            let identifier = state.lastIdentifier + 1
            state.ahead = Ahead(identifier: identifier, samples: samples)
            submit(samples, nil) { [self] outcome in
                if state.ahead?.identifier == identifier { state.ahead?.outcome = outcome }
            }
        }
    }

    /// They are not the next utterance.
    func endDecodingAhead() { queue.async { [self] in dropAhead() } }

    private func submit(
        _ samples: [Int16], findsSegments: Bool = false, _ deadline: Duration?, _ completion: @escaping Completion
    ) {
        state.lastIdentifier += 1
        state.utterances[state.lastIdentifier] = (samples, findsSegments, completion)
        let seconds = Double(samples.count) / Double(TranscribeModel.sampleRate)
        handle(.submitted(state.lastIdentifier, seconds: seconds, deadline: deadline))
    }

    /// - Returns: whether these samples are decoded ahead, and the outcome will do.
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

    /// What the worker has loaded; nil until it has.
    var model: WorkerModel? { queue.sync { state.machine.model } }

    /// Whether what was begun ahead is there.
    var hasDecodedAhead: Bool { queue.sync { state.ahead?.outcome != nil } }

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
            guard let utterance = state.utterances[identifier] else { return }
            state.worker?.send(.decode(identifier, utterance.samples, findsSegments: utterance.findsSegments))
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
