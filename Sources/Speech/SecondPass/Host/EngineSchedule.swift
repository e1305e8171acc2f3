/// Decides, without effects, which worker decodes which request and when a worker is started or stopped: it takes events
/// and returns actions. Times are on any monotonic clock.
///
/// A worker has one request at a time, so a worker that fails takes only one along, and that is decoded again by another.
/// Whatever happens, every request has exactly one outcome.
struct EngineSchedule {
    /// The urgency of a request; a greater one goes first.
    enum Priority: Int, Sendable {
        /// A guess while someone speaks, which is not repeated if it fails.
        case guess
        /// Speech before a pause, which may be the end of an utterance.
        case pause
        /// Speech whose text becomes final.
        case final

        /// Whether a rough text will do.
        var isGuess: Bool { self == .guess || self == .pause }
    }

    struct Request: Sendable {
        var identifier: UInt64
        /// The length of the sound.
        var seconds: Double
        var priority: Priority
        /// The number of workers that have failed with it.
        fileprivate var attempts = 0

        init(_ identifier: UInt64, seconds: Double, priority: Priority) {
            (self.identifier, self.seconds, self.priority) = (identifier, seconds, priority)
        }
    }

    enum Event: Sendable {
        case submitted(Request)
        /// The outcome of a request is not wanted any more.
        case withdrawn(UInt64)
        case answered(worker: Int, WorkerAnswer)
        case ended(worker: Int, WorkerProcess.End)
        /// The wake time has come.
        case woken
        /// No more is wanted.
        case closed
    }

    enum Action: Hashable, Sendable {
        /// Start a worker and let it load the model.
        case start(worker: Int)
        case decode(worker: Int, UInt64)
        /// Let a worker stop decoding a request.
        case cancel(worker: Int, UInt64)
        /// Kill a worker; `ended` follows.
        case stop(worker: Int)
        case resolve(UInt64, DecodingOutcome)
        /// Report a sentence to the user.
        case report(String)
    }

    private enum Worker {
        /// Not needed so far.
        case unused
        case waiting(until: Duration)
        case loading(until: Duration)
        case idle
        case decoding(Request, since: Duration, until: Duration, isWanted: Bool)
        /// It was killed, and has not ended yet. The failure is that of its load or of a request.
        case stopping(WorkerFailure?, isLoaded: Bool)
        /// It can't load the model, and others do its work.
        case retired
    }

    private var workers: [Worker]
    private var queue: [Request] = []
    private var failuresInARow = 0
    private var hasReported = false
    private(set) var isClosed = false
    /// The time of the slowest decoding so far, and the seconds of the longest sound.
    private var slowest: (time: Duration, seconds: Double)?
    /// Whether a worker has loaded the model.
    private(set) var hasLoaded = false
    /// The reason for which no worker is started any more.
    private(set) var refusal: WorkerFailure?

    /// The number of failed workers in a row after which no more is started, with up to four workers.
    static let mostFailuresInARow = 8
    /// The number of workers that try one request.
    static let mostAttempts = 4
    /// The longest time to load, for a large model on a slow disk.
    static let longestLoad = Duration.seconds(300)
    /// The time in which a worker stops decoding what is not wanted.
    static let grace = Duration.seconds(10)
    /// A deadline that is so long past was not watched: Ctrl-Z had stopped this process, or the machine was asleep. The workers went on.
    static let longestDelay = Duration.seconds(5)

    /// - Parameter width: the most workers.
    init(width: Int) {
        workers = [.waiting(until: .zero)] + Array(repeating: .unused, count: max(1, width) - 1)
    }

    /// Returns the time to wait before the next worker is started.
    static func backoff(afterFailures count: Int) -> Duration {
        count <= 2 ? .milliseconds(100) : .seconds(min(30, 1 << min(count - 3, 5)))
    }

    /// The number of failed workers in a row after which no more is started. One event, such as a lack of memory, may
    /// end all workers at once.
    private var mostFailures: Int { max(Self.mostFailuresInARow, 2 * workers.count) }

    /// Returns the longest time of a decoding: much more than the slowest so far, or than a slow machine needs. Sound that
    /// is longer than any before may take longer in proportion.
    private func longestRun(_ request: Request) -> Duration {
        guard let slowest else { return .seconds(120 + 10 * request.seconds) }
        return .seconds(10) + slowest.time * (20 * max(1, request.seconds / slowest.seconds))
    }

    /// The time at which `woken` is due; nil if only another event can change anything.
    var wakeTime: Duration? {
        workers.compactMap { worker -> Duration? in
            switch worker {
            case .waiting(let until): isClosed || refusal != nil ? nil : until
            case .loading(let until), .decoding(_, _, let until, _): until
            case .unused, .idle, .stopping, .retired: nil
            }
        }.min()
    }

    mutating func handle(_ event: Event, now: Duration) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .submitted(let request): submit(request, &actions)
        case .withdrawn(let identifier): withdraw(identifier, now, &actions)
        case .answered(let worker, let answer): take(answer, from: worker, now, &actions)
        case .ended(let worker, let end): ended(worker, end, now, &actions)
        case .woken: break
        case .closed: close(&actions)
        }
        expire(now, &actions)
        proceed(now, &actions)
        return actions
    }

    private mutating func submit(_ request: Request, _ actions: inout [Action]) {
        if isClosed { return actions.append(.resolve(request.identifier, .failed(.cancelled))) }
        if let refusal { return actions.append(.resolve(request.identifier, .failed(.unavailable(refusal)))) }
        queue.append(request)
    }

    private mutating func withdraw(_ identifier: UInt64, _ now: Duration, _ actions: inout [Action]) {
        if let index = queue.firstIndex(where: { $0.identifier == identifier }) {
            queue.remove(at: index)
            return actions.append(.resolve(identifier, .failed(.cancelled)))
        }
        for (index, worker) in workers.enumerated() {
            guard case .decoding(let request, let since, let until, true) = worker, request.identifier == identifier
            else { continue }
            workers[index] = .decoding(request, since: since, until: min(until, now + Self.grace), isWanted: false)
            actions += [.resolve(identifier, .failed(.cancelled)), .cancel(worker: index, identifier)]
        }
    }

    /// Kills workers that take too long.
    private mutating func expire(_ now: Duration, _ actions: inout [Action]) {
        let unwatched = now - Self.longestDelay
        for (index, worker) in workers.enumerated() {
            switch worker {
            case .loading(let until) where until <= unwatched:
                workers[index] = .loading(until: now + Self.longestLoad)
            case .decoding(let request, _, let until, let isWanted) where until <= unwatched:
                workers[index] = .decoding(
                    request, since: now, until: now + longestRun(request), isWanted: isWanted)
            case .loading(let until) where until <= now: stop(index, &actions)
            case .decoding(_, _, let until, _) where until <= now:
                giveBack(index, &actions)
                stop(index, &actions)
            default: break
            }
        }
    }

    /// Starts workers that are due or needed, and passes the most urgent requests to idle ones.
    private mutating func proceed(_ now: Duration, _ actions: inout [Action]) {
        if isClosed { return }
        if refusal != nil {
            // No more is decoded, so those go that decode nothing.
            for index in workers.indices {
                switch workers[index] {
                case .loading, .idle: stop(index, &actions)
                case .unused, .waiting, .decoding, .stopping, .retired: break
                }
            }
            return
        }
        var needed = queue.count
        for index in workers.indices {
            switch workers[index] {
            case .idle: needed -= 1
            case .loading: needed -= 1
            case .waiting(let until) where until <= now: start(index, now, &actions)
            // The others are started only when more waits than those that are loading will take.
            case .unused where needed > 0 && hasLoaded:
                start(index, now, &actions)
                needed -= 1
            default: break
            }
        }
        for index in workers.indices {
            guard case .idle = workers[index], let next = nextRequest() else { continue }
            workers[index] = .decoding(next, since: now, until: now + longestRun(next), isWanted: true)
            actions.append(.decode(worker: index, next.identifier))
        }
    }

    private mutating func start(_ index: Int, _ now: Duration, _ actions: inout [Action]) {
        workers[index] = .loading(until: now + Self.longestLoad)
        actions.append(.start(worker: index))
    }

    private mutating func nextRequest() -> Request? {
        guard let highest = queue.map(\.priority.rawValue).max() else { return nil }
        return queue.firstIndex { $0.priority.rawValue == highest }.map { queue.remove(at: $0) }
    }

    private mutating func take(_ answer: WorkerAnswer, from index: Int, _ now: Duration, _ actions: inout [Action]) {
        switch (workers[index], answer) {
        // It was killed, or does not run at all.
        case (.stopping, _), (.retired, _), (.waiting, _), (.unused, _): break
        case (.loading, .ready):
            hasLoaded = true
            workers[index] = .idle
        case (.loading, .failure(0, let failure)):
            stop(index, because: failure, isLoaded: false, &actions)
            // Another worker would fail in the same way, but later there may be enough memory.
            if failure.kind != .memory, !hasOthers(than: index) { giveUp(failure, &actions) }
        case (.decoding(let request, let since, _, let isWanted), .result(let answered, let text))
        where answered == request.identifier:
            failuresInARow = 0
            slowest = (
                max(slowest?.time ?? .zero, now - since), max(slowest?.seconds ?? 1, request.seconds)
            )
            workers[index] = .idle
            if isWanted { actions.append(.resolve(request.identifier, .text(text))) }
        case (.decoding(let request, _, _, _), .failure(let answered, let failure))
        where answered == request.identifier && failure.kind == .memory:
            // Another worker may find more, later.
            giveBack(index, &actions)
            stop(index, because: failure, &actions)
        case (.decoding(let request, _, _, let isWanted), .failure(let answered, let failure))
        where answered == request.identifier:
            failuresInARow = 0
            workers[index] = .idle
            if isWanted { actions.append(.resolve(request.identifier, .failed(.refused(failure.kind)))) }
        default:
            giveBack(index, &actions)
            stop(index, &actions)
        }
    }

    /// Lets another worker decode the request of one that has failed.
    private mutating func giveBack(_ index: Int, _ actions: inout [Action]) {
        guard case .decoding(var request, _, _, true) = workers[index] else { return }
        request.attempts += 1
        if !isClosed, refusal == nil, request.priority != .guess, request.attempts < Self.mostAttempts {
            // It is older than what was submitted after it.
            let place = queue.firstIndex { $0.identifier > request.identifier } ?? queue.endIndex
            return queue.insert(request, at: place)
        }
        let reason: DecodingOutcome.Failure =
            isClosed ? .cancelled : refusal.map { .unavailable($0) } ?? .stopped
        actions.append(.resolve(request.identifier, .failed(reason)))
    }

    private mutating func ended(
        _ index: Int, _ end: WorkerProcess.End, _ now: Duration, _ actions: inout [Action]
    ) {
        var failure: WorkerFailure?
        var isLoaded = true
        if case .stopping(let reason, let hadLoaded) = workers[index] { (failure, isLoaded) = (reason, hadLoaded) }
        let loadFailure = isLoaded ? nil : failure
        giveBack(index, &actions)
        workers[index] = .waiting(until: now)
        if isClosed || refusal != nil { return }
        if loadFailure != nil || end.isLasting, hasOthers(than: index) {
            workers[index] = .retired
            return
        }
        if let loadFailure, loadFailure.kind != .memory { return giveUp(loadFailure, &actions) }
        failuresInARow += 1
        let words = failure?.sentence ?? end.words
        if failuresInARow >= mostFailures || end.isLasting {
            let sentence = end.isLasting ? words : "its process has ended \(failuresInARow) times in a row (\(words))"
            return giveUp(WorkerFailure(kind: .model, sentence: sentence), &actions)
        }
        workers[index] = .waiting(until: now + Self.backoff(afterFailures: failuresInARow))
        if !hasReported {
            hasReported = true
            actions.append(.report("the model's process has stopped (\(words)); what it was decoding is decoded again"))
        }
    }

    /// Whether another worker has loaded the model.
    private func hasOthers(than index: Int) -> Bool {
        workers.enumerated().contains { other, worker in
            switch worker {
            case .idle, .decoding: other != index
            default: false
            }
        }
    }

    private mutating func giveUp(_ failure: WorkerFailure, _ actions: inout [Action]) {
        refusal = failure
        for waiting in queue { actions.append(.resolve(waiting.identifier, .failed(.unavailable(failure)))) }
        queue = []
    }

    private mutating func close(_ actions: inout [Action]) {
        guard !isClosed else { return }
        isClosed = true
        for waiting in queue { actions.append(.resolve(waiting.identifier, .failed(.cancelled))) }
        queue = []
        for (index, worker) in workers.enumerated() {
            switch worker {
            case .loading, .idle, .decoding:
                giveBack(index, &actions)
                stop(index, &actions)
            case .unused, .waiting, .stopping, .retired: break
            }
        }
    }

    private mutating func stop(
        _ index: Int, because failure: WorkerFailure? = nil, isLoaded: Bool = true, _ actions: inout [Action]
    ) {
        workers[index] = .stopping(failure, isLoaded: isLoaded)
        actions.append(.stop(worker: index))
    }
}
