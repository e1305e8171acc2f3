import Glibc

/// What a session does with its worker and with what waits for it, without effects: events go in, actions come out. Times are on any clock
/// that only goes forward.
///
/// One utterance is with the worker at a time, so that a worker that fails takes no more than one with it, and whatever happens every
/// utterance gets one outcome.
struct SecondPassMachine {
    enum Event: Sendable {
        /// - Parameters:
        ///   - seconds: how long the sound is.
        ///   - deadline: when nobody waits for it any more.
        case submitted(UInt64, seconds: Double, deadline: Duration?)
        /// What was submitted on the chance that it will be wanted is.
        case wanted(UInt64, deadline: Duration?)
        /// It is not.
        case withdrawn(UInt64)
        case answered(WorkerAnswer)
        case ended(WorkerProcess.End)
        /// Time has passed.
        case woken
        /// Nobody wants anything any more.
        case closed
    }

    enum Action: Hashable, Sendable {
        /// Start a worker and let it load.
        case start
        case decode(UInt64)
        case cancel(UInt64)
        /// End the worker. `ended` follows.
        case stop
        case resolve(UInt64, SecondPassOutcome)
        /// Say what is wrong: a sentence.
        case report(String)
    }

    private enum Worker {
        case none(until: Duration)
        case loading(until: Duration)
        case ready
        case decoding(UInt64, deadline: Duration?, until: Duration)
        /// It was ended, and has not gone yet.
        case stopping
        /// There will be none.
        case givenUp
    }

    private struct Waiting {
        var identifier: UInt64
        var seconds: Double
        var deadline: Duration?
    }

    private var worker = Worker.none(until: .zero)
    private var queue: [Waiting] = []
    /// The one that is with the worker, until it has its outcome.
    private var awaited: UInt64?
    private var failuresInARow = 0
    private var hasReported = false
    private var isClosed = false
    /// Why there will be no worker, once that is so.
    private(set) var refusal: WorkerFailure?
    private(set) var model: WorkerModel?

    /// After so many workers in a row that have failed there is no other.
    static let mostFailuresInARow = 5
    /// For a large model on a slow disk.
    static let longestLoad = Duration.seconds(300)
    /// How long a worker may go on after the deadline, until it has seen that nobody waits.
    static let grace = Duration.seconds(10)

    /// So long a run may take where there is no deadline: longer than it does on the slowest machine.
    static func longestRun(seconds: Double) -> Duration { .seconds(120) + .seconds(30) * seconds }

    /// How long to wait for the next worker.
    static func backoff(afterFailures count: Int) -> Duration { .seconds(min(60, 1 << min(count - 1, 6))) }

    /// When `woken` is due; nil when only another event can change anything.
    var wakeTime: Duration? {
        var times = queue.compactMap(\.deadline)
        switch worker {
        case .none(let until): if !isClosed { times.append(until) }
        case .loading(let until): times.append(until)
        case .decoding(_, let deadline, let until):
            times.append(until)
            if awaited != nil, let deadline { times.append(deadline) }
        case .ready, .stopping, .givenUp: break
        }
        return times.min()
    }

    mutating func handle(_ event: Event, now: Duration) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .submitted(let identifier, let seconds, let deadline):
            guard !isClosed else { return [.resolve(identifier, .failed(.cancelled))] }
            if case .givenUp = worker { return [.resolve(identifier, .failed(.unavailable))] }
            queue.append(Waiting(identifier: identifier, seconds: seconds, deadline: deadline))
        case .wanted(let identifier, let deadline): setDeadline(deadline, of: identifier)
        case .withdrawn(let identifier): withdraw(identifier, now, &actions)
        case .answered(let answer): take(answer, &actions)
        case .ended(let end): workerEnded(end, now, &actions)
        case .woken: break
        case .closed: close(&actions)
        }
        expire(now, &actions)
        proceed(now, &actions)
        return actions
    }

    private mutating func setDeadline(_ deadline: Duration?, of identifier: UInt64) {
        if let index = queue.firstIndex(where: { $0.identifier == identifier }) {
            queue[index].deadline = deadline
        } else if awaited == identifier, case .decoding(_, _, let until) = worker {
            worker = .decoding(identifier, deadline: deadline, until: deadline.map { $0 + Self.grace } ?? until)
        }
    }

    /// What waits for the worker waits no longer than until that has seen that it is to stop.
    private mutating func withdraw(_ identifier: UInt64, _ now: Duration, _ actions: inout [Action]) {
        if let index = queue.firstIndex(where: { $0.identifier == identifier }) {
            queue.remove(at: index)
            actions.append(.resolve(identifier, .failed(.cancelled)))
        } else if awaited == identifier, case .decoding(_, _, let until) = worker {
            resolveAwaited(.cancelled, &actions)
            actions.append(.cancel(identifier))
            worker = .decoding(identifier, deadline: nil, until: min(until, now + Self.grace))
        }
    }

    /// Gives up what is late, and a worker that takes too long.
    private mutating func expire(_ now: Duration, _ actions: inout [Action]) {
        for late in queue where late.deadline.map({ $0 <= now }) ?? false { actions.append(.resolve(late.identifier, .failed(.late))) }
        queue.removeAll { $0.deadline.map { $0 <= now } ?? false }
        switch worker {
        case .loading(let until) where until <= now: stop(&actions)
        case .decoding(let identifier, let deadline, let until):
            if let deadline, deadline <= now, awaited != nil {
                resolveAwaited(.late, &actions)
                actions.append(.cancel(identifier))
            }
            if until <= now {
                resolveAwaited(.stopped, &actions)
                stop(&actions)
            }
        default: break
        }
    }

    /// Starts a worker when its time has come, and gives it what waits.
    private mutating func proceed(_ now: Duration, _ actions: inout [Action]) {
        if case .none(let until) = worker, until <= now, !isClosed {
            worker = .loading(until: now + Self.longestLoad)
            actions.append(.start)
        }
        if case .ready = worker, !queue.isEmpty {
            let next = queue.removeFirst()
            awaited = next.identifier
            let until = next.deadline.map { $0 + Self.grace } ?? now + Self.longestRun(seconds: next.seconds)
            worker = .decoding(next.identifier, deadline: next.deadline, until: until)
            actions.append(.decode(next.identifier))
        }
    }

    private mutating func take(_ answer: WorkerAnswer, _ actions: inout [Action]) {
        switch (worker, answer) {
        case (.none, _), (.stopping, _), (.givenUp, _): break
        case (.loading, .ready(let model)):
            self.model = model
            worker = .ready
        case (.loading, .failure(0, let failure)):
            // It would be the same the next time.
            giveUp(failure, &actions)
            actions.append(.stop)
        case (.decoding(let identifier, _, _), .result(let answered, let text)) where answered == identifier:
            failuresInARow = 0
            if awaited != nil { actions.append(.resolve(identifier, .text(text))) }
            awaited = nil
            worker = .ready
        case (.decoding(let identifier, _, _), .failure(let answered, let failure)) where answered == identifier:
            failuresInARow = 0
            resolveAwaited(.refused(failure.kind), &actions)
            worker = .ready
        default:
            resolveAwaited(.stopped, &actions)
            stop(&actions)
        }
    }

    private mutating func workerEnded(_ end: WorkerProcess.End, _ now: Duration, _ actions: inout [Action]) {
        resolveAwaited(.stopped, &actions)
        if isClosed || refusal != nil { return }
        failuresInARow += 1
        if failuresInARow >= Self.mostFailuresInARow || end.isLasting {
            let sentence = end.isLasting ? end.words : "its process has ended \(failuresInARow) times in a row (\(end.words))"
            return giveUp(WorkerFailure(kind: .model, sentence: sentence), &actions)
        }
        worker = .none(until: now + Self.backoff(afterFailures: failuresInARow))
        if !hasReported {
            hasReported = true
            actions.append(
                .report("the second pass has stopped (\(end.words)) and is started again; until then the text is the first pass's"))
        }
    }

    private mutating func giveUp(_ failure: WorkerFailure, _ actions: inout [Action]) {
        refusal = failure
        worker = .givenUp
        actions.append(.report("there is no second pass: \(failure.sentence); the text is the first pass's"))
        for waiting in queue { actions.append(.resolve(waiting.identifier, .failed(.unavailable))) }
        queue = []
    }

    private mutating func close(_ actions: inout [Action]) {
        guard !isClosed else { return }
        isClosed = true
        resolveAwaited(.cancelled, &actions)
        for waiting in queue { actions.append(.resolve(waiting.identifier, .failed(.cancelled))) }
        queue = []
        switch worker {
        case .loading, .ready, .decoding: stop(&actions)
        case .none, .stopping, .givenUp: break
        }
    }

    private mutating func stop(_ actions: inout [Action]) {
        worker = .stopping
        actions.append(.stop)
    }

    private mutating func resolveAwaited(_ reason: SecondPassOutcome.Reason, _ actions: inout [Action]) {
        if let awaited { actions.append(.resolve(awaited, .failed(reason))) }
        awaited = nil
    }
}

/// What became of the second pass of an utterance.
enum SecondPassOutcome: Hashable, Sendable {
    /// Why there is no text.
    enum Reason: Hashable, Sendable {
        /// The deadline came first.
        case late
        /// The worker crashed, hung or talked nonsense while it computed this.
        case stopped
        /// The worker said so.
        case refused(WorkerFailure.Kind)
        /// There is no worker, and there will be none.
        case unavailable
        /// Nobody waits for it.
        case cancelled
    }

    case text(SecondPassText)
    case failed(Reason)
}

extension WorkerProcess.End {
    /// Whether it would be the same the next time: there is no such program, or none that may be run.
    fileprivate var isLasting: Bool {
        if case .notStarted(let errno) = self { [ENOENT, EACCES, ENOEXEC].contains(errno) } else { false }
    }

    /// For a sentence.
    var words: String {
        switch self {
        case .notStarted(let errno): "it can't be started: \(String(cString: strerror(errno)))"
        case .exited(let code): "status \(code)"
        case .killed(let signal): "signal \(signal), \(String(cString: strsignal(signal)).lowercased())"
        case .nonsense: "it talked nonsense"
        case .stopped: "it did not answer"
        }
    }
}
