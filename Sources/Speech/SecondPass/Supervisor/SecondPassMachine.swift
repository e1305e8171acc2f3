import Glibc

/// The states of a session's worker and of the utterances that wait for it, without effects: it takes events and
/// returns actions. Times are on any monotonic clock.
///
/// One utterance at a time is with the worker, so a worker that fails takes only one with it. Whatever happens, every
/// utterance gets exactly one outcome.
struct SecondPassMachine {
    enum Event: Sendable {
        /// An utterance was submitted.
        ///
        /// - Parameters:
        ///   - seconds: the length of the sound.
        ///   - deadline: the time after which its outcome is not wanted any more.
        case submitted(UInt64, seconds: Double, deadline: Duration?)
        /// An utterance that was decoded ahead is wanted.
        case wanted(UInt64, deadline: Duration?)
        /// An utterance that was decoded ahead is not wanted.
        case withdrawn(UInt64)
        /// The worker has answered.
        case answered(WorkerAnswer)
        /// The worker has ended.
        case ended(WorkerProcess.End)
        /// The wake time has come.
        case woken
        /// The session has ended.
        case closed
    }

    enum Action: Hashable, Sendable {
        /// Start a worker and let it load the model.
        case start
        /// Let the worker decode an utterance.
        case decode(UInt64)
        /// Let the worker stop decoding an utterance.
        case cancel(UInt64)
        /// Kill the worker; `ended` follows.
        case stop
        /// Deliver an outcome.
        case resolve(UInt64, SecondPassOutcome)
        /// Report a sentence to the user.
        case report(String)
        /// Report why there will be no second pass any more.
        case reportGivenUp(String)
    }

    private enum Worker {
        case none(until: Duration)
        case loading(until: Duration)
        case ready
        case decoding(UInt64, deadline: Duration?, until: Duration)
        /// The worker was killed, and has not ended yet.
        case stopping
        /// No other worker will be started.
        case givenUp
    }

    private struct Waiting {
        var identifier: UInt64
        var seconds: Double
        var deadline: Duration?
    }

    /// Whether another worker is started after one had too little memory to load.
    var retriesShortages = true
    private var worker = Worker.none(until: .zero)
    private var queue: [Waiting] = []
    /// The utterance that is with the worker, until it has its outcome.
    private var awaited: UInt64?
    private var failuresInARow = 0
    private var hasReported = false
    private var isClosed = false
    /// The failure of a worker that had too little memory to load, until the worker has ended.
    private var shortage: WorkerFailure?
    /// The reason for which the second pass was given up.
    private(set) var refusal: WorkerFailure?
    private(set) var model: WorkerModel?

    /// The number of failed workers in a row after which the second pass is given up.
    static let mostFailuresInARow = 5
    /// The longest time to load, for a large model on a slow disk.
    static let longestLoad = Duration.seconds(300)
    /// The time that a worker may continue after a deadline or a cancellation.
    static let grace = Duration.seconds(10)

    /// Returns the longest time of a run without a deadline, more than the slowest machine needs.
    static func longestRun(seconds: Double) -> Duration { .seconds(120) + .seconds(30) * seconds }

    /// Returns the time to wait before the next worker is started.
    static func backoff(afterFailures count: Int) -> Duration { .seconds(min(60, 1 << min(count - 1, 6))) }

    /// The time at which `woken` is due; nil if only another event can change anything.
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
        case .answered(let answer): take(answer, now, &actions)
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

    /// Withdraws an utterance that is waiting, or cancels it if it is with the worker.
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

    /// Resolves utterances that are late, and kills a worker that takes too long.
    private mutating func expire(_ now: Duration, _ actions: inout [Action]) {
        for late in queue where late.deadline.map({ $0 <= now }) ?? false {
            actions.append(.resolve(late.identifier, .failed(.late)))
        }
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

    /// Starts a worker if it is time, and passes it the next utterance.
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

    private mutating func take(_ answer: WorkerAnswer, _ now: Duration, _ actions: inout [Action]) {
        switch (worker, answer) {
        case (.none, _), (.stopping, _), (.givenUp, _): break
        case (.loading, .ready(let model)):
            self.model = model
            worker = .ready
        case (.loading, .failure(0, let failure)) where failure.kind == .memory && retriesShortages:
            // Later there may be enough memory.
            shortage = failure
            stop(&actions)
        case (.loading, .failure(0, let failure)):
            // Another worker would fail in the same way.
            giveUp(failure, &actions)
            actions.append(.stop)
        case (.decoding(let identifier, let deadline, _), .result(let answered, let text)) where answered == identifier:
            failuresInARow = 0
            // After the deadline it is late, even if nothing has woken the machine.
            let isLate = deadline.map { $0 <= now } ?? false
            if awaited != nil { actions.append(.resolve(identifier, isLate ? .failed(.late) : .text(text))) }
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
        let words = shortage?.sentence ?? end.words
        shortage = nil
        failuresInARow += 1
        if failuresInARow >= Self.mostFailuresInARow || end.isLasting {
            let sentence =
                end.isLasting ? words : "its process has ended \(failuresInARow) times in a row (\(words))"
            return giveUp(WorkerFailure(kind: .model, sentence: sentence), &actions)
        }
        worker = .none(until: now + Self.backoff(afterFailures: failuresInARow))
        if !hasReported {
            hasReported = true
            actions.append(
                .report(
                    "the second pass has stopped (\(words)) and is started again; meanwhile text may be the first pass's"
                ))
        }
    }

    private mutating func giveUp(_ failure: WorkerFailure, _ actions: inout [Action]) {
        refusal = failure
        worker = .givenUp
        actions.append(.reportGivenUp("there is no second pass: \(failure.sentence); the text is the first pass's"))
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

/// The outcome of an utterance's second pass.
enum SecondPassOutcome: Hashable, Sendable {
    /// The reason for which there is no text.
    enum Reason: Hashable, Sendable {
        /// The deadline was over.
        case late
        /// The worker crashed, hung or sent an invalid answer while it decoded the utterance.
        case stopped
        /// The worker reported a failure.
        case refused(WorkerFailure.Kind)
        /// There is no worker, and none will be started.
        case unavailable
        /// The session was closed, or the utterance was withdrawn.
        case cancelled
    }

    case text(SecondPassText)
    case failed(Reason)
}

extension WorkerProcess.End {
    /// Whether another attempt would fail in the same way: the program does not exist or may not be run.
    fileprivate var isLasting: Bool {
        if case .notStarted(let errno) = self { [ENOENT, EACCES, ENOEXEC].contains(errno) } else { false }
    }

    /// The end in words for a sentence.
    var words: String {
        switch self {
        case .notStarted(let errno): "it can't be started: \(String(cString: strerror(errno)))"
        case .exited(let code): "status \(code)"
        case .killed(let signal): "signal \(signal), \(String(cString: strsignal(signal)).lowercased())"
        case .nonsense: "it sent an invalid answer"
        case .stopped: "it did not answer"
        }
    }
}
