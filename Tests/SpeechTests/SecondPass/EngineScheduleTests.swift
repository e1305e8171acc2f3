import TestSupport
import Testing

@testable import Speech

@Suite("The schedule of the engine's workers")
struct EngineScheduleTests {
    private static let text = DecodedText(text: "Yes.")
    private static let defect = WorkerFailure(kind: .model, sentence: "it is cut")
    private static let shortage = WorkerFailure(kind: .memory, sentence: "there is not enough memory")
    private static let crash = WorkerProcess.End.killed(signal: 9)

    /// A schedule whose first worker is ready.
    private func ready(width: Int = 1) -> EngineSchedule {
        var schedule = EngineSchedule(width: width)
        #expect(schedule.handle(.woken, now: .zero) == [.start(worker: 0)])
        #expect(schedule.handle(loaded(0), now: .zero) == [])
        return schedule
    }

    /// A schedule of two workers that are ready, of which the second decodes request 2.
    private func readyPair() -> EngineSchedule {
        var schedule = ready(width: 2)
        #expect(schedule.handle(submitted(1), now: .zero) == [.decode(worker: 0, 1)])
        #expect(schedule.handle(submitted(2), now: .zero) == [.start(worker: 1)])
        #expect(schedule.handle(loaded(1), now: .zero) == [.decode(worker: 1, 2)])
        return schedule
    }

    private func submitted(
        _ identifier: UInt64, _ priority: EngineSchedule.Priority = .final, seconds: Double = 1
    ) -> EngineSchedule.Event {
        .submitted(EngineSchedule.Request(identifier, seconds: seconds, priority: priority))
    }

    private func loaded(_ worker: Int) -> EngineSchedule.Event { .answered(worker: worker, .ready) }

    private func result(_ identifier: UInt64, worker: Int = 0) -> EngineSchedule.Event {
        .answered(worker: worker, .result(identifier, Self.text))
    }

    private func resolved(_ identifier: UInt64) -> EngineSchedule.Action { .resolve(identifier, .text(Self.text)) }

    @Test("starts another worker only when more waits than those that are loading will take")
    func widening() {
        var schedule = EngineSchedule(width: 3)
        #expect(schedule.handle(submitted(1), now: .zero) == [.start(worker: 0)])
        // Only when the first has loaded the model is it known that it can be loaded.
        #expect(schedule.handle(submitted(2), now: .zero) == [])
        #expect(schedule.handle(loaded(0), now: .zero) == [.start(worker: 1), .decode(worker: 0, 1)])
        #expect(schedule.handle(submitted(3), now: .zero) == [.start(worker: 2)])
        #expect(schedule.handle(submitted(4), now: .zero) == [])
        #expect(schedule.handle(loaded(2), now: .zero) == [.decode(worker: 2, 2)])
        #expect(schedule.handle(result(1), now: .zero) == [resolved(1), .decode(worker: 0, 3)])

        var unhurried = ready(width: 3)
        for identifier: UInt64 in 1...3 {
            #expect(unhurried.handle(submitted(identifier), now: .zero) == [.decode(worker: 0, identifier)])
            #expect(unhurried.handle(result(identifier), now: .zero) == [resolved(identifier)])
        }
    }

    @Test("waits longer before each worker after one that has failed, and no more than half a minute")
    func backoff() {
        let times = (1...9).map { EngineSchedule.backoff(afterFailures: $0) }
        #expect(times == [100, 100, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].map { .milliseconds($0) })
        #expect(EngineSchedule.backoff(afterFailures: 1_000_000) == .seconds(30))

        var schedule = ready()
        #expect(schedule.handle(.ended(worker: 0, Self.crash), now: .seconds(5)).count == 1)
        #expect(schedule.wakeTime == .milliseconds(5100))
        #expect(schedule.handle(.woken, now: .milliseconds(5050)) == [])
        #expect(schedule.handle(.woken, now: .milliseconds(5100)) == [.start(worker: 0)])
        // A text shows that a worker works.
        _ = schedule.handle(loaded(0), now: .seconds(6))
        _ = schedule.handle(submitted(1), now: .seconds(6))
        _ = schedule.handle(result(1), now: .seconds(6))
        for count in 1...4 {
            let now = schedule.wakeTime ?? .seconds(6)
            _ = schedule.handle(.woken, now: now)
            _ = schedule.handle(.ended(worker: 0, Self.crash), now: now)
            #expect(schedule.wakeTime == now + EngineSchedule.backoff(afterFailures: count))
        }
    }

    @Test("gives up after eight workers in a row, and with more than four not because all of them end at once")
    func givingUp() {
        func failures(width: Int) -> Int {
            var schedule = EngineSchedule(width: width)
            var now = Duration.zero
            _ = schedule.handle(submitted(1), now: now)
            var count = 0
            var last: [EngineSchedule.Action] = []
            while schedule.refusal == nil, count < 100 {
                count += 1
                last = schedule.handle(.ended(worker: 0, .killed(signal: 11)), now: now)
                if let next = schedule.wakeTime { now = next }
                _ = schedule.handle(.woken, now: now)
            }
            guard let refusal = schedule.refusal else { return 0 }
            #expect(last.contains(.resolve(1, .failed(.unavailable(refusal)))))
            #expect(refusal.sentence.contains("\(count) times in a row"), "\(refusal)")
            #expect(schedule.wakeTime == nil, "nothing more is started")
            #expect(schedule.handle(submitted(2), now: now) == [.resolve(2, .failed(.unavailable(refusal)))])
            return count
        }
        #expect(failures(width: 1) == 8)
        #expect(failures(width: 4) == 8)
        #expect(failures(width: 16) == 32)
    }

    @Test(
        "gives up at once when the model, the library or the language is refused, and tells everything that waits",
        arguments: [WorkerFailure.Kind.model, .library, .language])
    func refused(_ kind: WorkerFailure.Kind) {
        var schedule = EngineSchedule(width: 2)
        let failure = WorkerFailure(kind: kind, sentence: "it does not work")
        _ = schedule.handle(submitted(1), now: .zero)
        _ = schedule.handle(submitted(2, .guess), now: .zero)
        let actions = schedule.handle(.answered(worker: 0, .failure(0, failure)), now: .zero)
        let unavailable = DecodingOutcome.failed(.unavailable(failure))
        #expect(actions == [.stop(worker: 0), .resolve(1, unavailable), .resolve(2, unavailable)])
        #expect(schedule.handle(.ended(worker: 0, .stopped), now: .zero) == [])
        #expect(schedule.wakeTime == nil && schedule.refusal == failure)
        #expect(schedule.handle(submitted(3), now: .seconds(100)) == [.resolve(3, unavailable)])
    }

    @Test("gives up at once when the program is missing")
    func missing() {
        var schedule = EngineSchedule(width: 1)
        _ = schedule.handle(submitted(1), now: .zero)
        let actions = schedule.handle(.ended(worker: 0, .notStarted(errno: 2)), now: .zero)
        let refusal = schedule.refusal
        #expect(refusal?.sentence == "it can't be started: No such file or directory")
        #expect(actions == refusal.map { [.resolve(1, .failed(.unavailable($0)))] })

        var full = EngineSchedule(width: 1)
        _ = full.handle(.woken, now: .zero)
        // Too many open files, now.
        _ = full.handle(.ended(worker: 0, .notStarted(errno: 24)), now: .zero)
        #expect(full.refusal == nil && full.wakeTime == .milliseconds(100))
    }

    @Test(
        "does without a worker that can't load the model or whose program has gone while another decodes, and says nothing",
        arguments: [shortage, defect, nil])
    func otherGoesOn(_ failure: WorkerFailure?) {
        var schedule = ready(width: 2)
        _ = schedule.handle(submitted(1), now: .zero)
        #expect(schedule.handle(submitted(2), now: .zero) == [.start(worker: 1)])
        if let failure {
            #expect(schedule.handle(.answered(worker: 1, .failure(0, failure)), now: .zero) == [.stop(worker: 1)])
        }
        let end = failure == nil ? WorkerProcess.End.notStarted(errno: 2) : .stopped
        #expect(schedule.handle(.ended(worker: 1, end), now: .zero) == [])
        #expect(schedule.handle(result(1), now: .seconds(1)) == [resolved(1), .decode(worker: 0, 2)])
        #expect(schedule.handle(submitted(3), now: .seconds(1)) == [], "it is not started again")
        #expect(schedule.refusal == nil)
    }

    @Test("tries again when there was too little memory for the only worker, and says so", arguments: [true, false])
    func shortOfMemory(_ loads: Bool) throws {
        var schedule = loads ? EngineSchedule(width: 1) : ready()
        _ = schedule.handle(submitted(1), now: .zero)
        let failed = schedule.handle(.answered(worker: 0, .failure(loads ? 0 : 1, Self.shortage)), now: .zero)
        #expect(failed == [.stop(worker: 0)])
        let ended = schedule.handle(.ended(worker: 0, .stopped), now: .zero)
        let sentence = try #require(ended.first.flatMap { if case .report(let it) = $0 { it } else { nil } })
        #expect(sentence.contains("there is not enough memory"))
        #expect(schedule.handle(.woken, now: .seconds(1)) == [.start(worker: 0)])
        #expect(schedule.handle(loaded(0), now: .seconds(2)) == [.decode(worker: 0, 1)])
    }

    @Test("gives a worker its time again where nobody watched it, as after Ctrl-Z")
    func unwatched() {
        var loading = EngineSchedule(width: 1)
        _ = loading.handle(.woken, now: .zero)
        #expect(loading.handle(.woken, now: EngineSchedule.longestLoad + .seconds(600)) == [])
        #expect(loading.wakeTime == EngineSchedule.longestLoad + EngineSchedule.longestLoad + .seconds(600))
        var schedule = ready()
        _ = schedule.handle(submitted(1, seconds: 2), now: .seconds(5))
        #expect(schedule.handle(.woken, now: .seconds(900)) == [] && schedule.wakeTime == .seconds(1040))
        #expect(schedule.handle(result(1), now: .seconds(901)) == [resolved(1)])
    }

    @Test("blames a lack of memory only on the worker that had it")
    func shortageOfOne() {
        var schedule = ready(width: 3)
        for identifier: UInt64 in 1...3 { _ = schedule.handle(submitted(identifier), now: .zero) }
        for worker in 1...2 { _ = schedule.handle(.answered(worker: worker, .ready), now: .zero) }
        _ = schedule.handle(.ended(worker: 0, Self.crash), now: .zero)
        #expect(schedule.handle(.woken, now: .seconds(1)) == [.start(worker: 0)])
        #expect(
            schedule.handle(.answered(worker: 0, .failure(0, Self.shortage)), now: .seconds(1)) == [.stop(worker: 0)])
        // Another crashes before the first has ended, and is started again.
        _ = schedule.handle(.ended(worker: 1, Self.crash), now: .seconds(2))
        _ = schedule.handle(.ended(worker: 0, .stopped), now: .seconds(2))
        #expect(schedule.handle(.woken, now: .seconds(60)) == [.start(worker: 1)])
    }

    @Test("leaves a decoding its text after it has given up, and then kills that worker")
    func refusedMeanwhile() {
        var schedule = readyPair()
        var now = Duration.zero
        // The first worker fails again and again, while the second decodes.
        for _ in 0..<EngineSchedule.mostFailuresInARow {
            _ = schedule.handle(.ended(worker: 0, Self.crash), now: now)
            now = min(schedule.wakeTime ?? now, .seconds(59))
            _ = schedule.handle(.woken, now: now)
        }
        #expect(schedule.refusal != nil)
        #expect(schedule.handle(result(2, worker: 1), now: .seconds(59)) == [resolved(2), .stop(worker: 1)])
    }

    @Test("kills a worker that takes much longer than any so far, and lets another decode")
    func hang() {
        var schedule = ready()
        #expect(schedule.handle(submitted(1, seconds: 2), now: .seconds(5)) == [.decode(worker: 0, 1)])
        #expect(schedule.wakeTime == .seconds(145), "a slow machine may take two minutes, and ten times the sound")
        #expect(schedule.handle(.woken, now: .seconds(144)) == [])
        #expect(schedule.handle(.woken, now: .seconds(145)) == [.stop(worker: 0)])
        #expect(schedule.wakeTime == nil)
        #expect(schedule.handle(result(1), now: .seconds(145)) == [])
        _ = schedule.handle(.ended(worker: 0, .stopped), now: .seconds(146))
        _ = schedule.handle(.woken, now: .seconds(147))
        #expect(schedule.handle(loaded(0), now: .seconds(147)) == [.decode(worker: 0, 1)])
        #expect(schedule.handle(result(1), now: .milliseconds(147500)) == [resolved(1)])
        #expect(schedule.handle(submitted(2, seconds: 2), now: .seconds(160)) == [.decode(worker: 0, 2)])
        #expect(schedule.wakeTime == .seconds(180), "ten seconds, and twenty times the slowest")
    }

    @Test("gives sound that is longer than any before as much more time")
    func longSound() {
        var schedule = ready()
        // A large model on a slow machine, which takes one and a half times as long as the sound.
        _ = schedule.handle(submitted(1, .guess, seconds: 1), now: .zero)
        #expect(schedule.handle(result(1), now: .milliseconds(1500)) == [resolved(1)])
        #expect(schedule.handle(submitted(2, seconds: 28), now: .seconds(2)) == [.decode(worker: 0, 2)])
        #expect(schedule.handle(.woken, now: .seconds(2 + 42)) == [])
        #expect(schedule.handle(result(2), now: .seconds(2 + 42)) == [resolved(2)])
        #expect(schedule.handle(submitted(3, seconds: 1), now: .seconds(50)) == [.decode(worker: 0, 3)])
        #expect(schedule.wakeTime == .seconds(50 + 10 + 20 * 42))
    }

    @Test("kills a worker that loads for five minutes")
    func hangingLoad() {
        var schedule = EngineSchedule(width: 1)
        _ = schedule.handle(submitted(1), now: .zero)
        #expect(schedule.wakeTime == EngineSchedule.longestLoad)
        #expect(schedule.handle(.woken, now: EngineSchedule.longestLoad) == [.stop(worker: 0)])
        let actions = schedule.handle(.ended(worker: 0, .stopped), now: EngineSchedule.longestLoad)
        guard case .report(let sentence) = actions.first else { return #expect(Bool(false), "it is reported") }
        #expect(sentence.contains("it did not answer"))
    }

    @Test("cancels a request that is withdrawn, and kills the worker if that does not stop")
    func withdrawn() {
        var schedule = ready()
        _ = schedule.handle(submitted(1, .guess), now: .zero)
        _ = schedule.handle(submitted(2, .guess), now: .zero)
        let cancelled = DecodingOutcome.failed(.cancelled)
        #expect(schedule.handle(.withdrawn(2), now: .zero) == [.resolve(2, cancelled)])
        #expect(
            schedule.handle(.withdrawn(1), now: .seconds(1)) == [.resolve(1, cancelled), .cancel(worker: 0, 1)])
        #expect(schedule.handle(.withdrawn(1), now: .seconds(1)) == [], "once")
        #expect(schedule.handle(.withdrawn(9), now: .seconds(1)) == [])
        #expect(schedule.handle(submitted(3), now: .seconds(2)) == [])
        #expect(schedule.wakeTime == .seconds(1) + EngineSchedule.grace)
        var hanging = schedule
        let stopped = WorkerFailure(kind: .cancelled, sentence: "it was cancelled")
        #expect(
            schedule.handle(.answered(worker: 0, .failure(1, stopped)), now: .seconds(2)) == [.decode(worker: 0, 3)])
        var late = hanging
        #expect(late.handle(result(1), now: .seconds(2)) == [.decode(worker: 0, 3)], "its text is not wanted")
        #expect(hanging.handle(.woken, now: .seconds(11)) == [.stop(worker: 0)])
        _ = hanging.handle(.ended(worker: 0, .stopped), now: .seconds(11))
        _ = hanging.handle(.woken, now: .seconds(12))
        #expect(hanging.handle(loaded(0), now: .seconds(12)) == [.decode(worker: 0, 3)])
    }

    @Test("wakes at the earliest time at which anything is due")
    func wakeTime() {
        var schedule = readyPair()
        #expect(schedule.wakeTime == .seconds(130))
        _ = schedule.handle(.ended(worker: 0, Self.crash), now: .seconds(1))
        #expect(schedule.wakeTime == .milliseconds(1100))
        _ = schedule.handle(.woken, now: .milliseconds(1100))
        #expect(schedule.wakeTime == .seconds(130), "before the loading takes too long")
        _ = schedule.handle(result(2, worker: 1), now: .seconds(2))
        #expect(schedule.wakeTime == .seconds(2 + 10 + 20 * 2), "request 1 is decoded again")
        _ = schedule.handle(.closed, now: .seconds(3))
        #expect(schedule.wakeTime == nil)
    }

    @Test("has one outcome for every request, whatever comes")
    func random() throws {
        var generator = SplitMix64(for: "engine-schedule")
        var kinds: [String: Int] = [:]
        for number in 0..<Tier.count(2_000, long: 10_000) {
            var episode = ScheduleEpisode(width: .random(in: 1...4, using: &generator))
            do throws(ScheduleEpisode.Violation) {
                try episode.run(&generator)
            } catch {
                Issue.record("episode \(number): \(error.sentence)\n\(episode.story)")
                return
            }
            kinds.merge(episode.kinds, uniquingKeysWith: +)
        }
        print(kinds.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
        let all = ["text", "cancelled", "refused", "stopped", "unavailable", "decoded again"]
        #expect(all.allSatisfy { kinds[$0, default: 0] > 100 }, "the episodes meet everything")
    }
}

/// A random session of a schedule, in which workers answer, fail, end, hang or send nonsense at any time. It has a model of
/// the workers and the requests of its own, and checks each action against it.
private struct ScheduleEpisode {
    struct Violation: Error {
        var sentence: String
    }

    private enum Worker: Equatable {
        case off, loading, idle
        case decoding(UInt64)
        case stopping
    }

    private struct Request {
        var priority: EngineSchedule.Priority
        var failureCount = 0
        var isWaiting = true
        var outcome: DecodingOutcome?
    }

    private var schedule: EngineSchedule
    private var now = Duration.zero
    private var workers: [Worker]
    private var requests: [UInt64: Request] = [:]
    private var isClosed = false
    private var reportCount = 0
    /// The events and actions so far, which are words only where something is wrong.
    private var history: [(now: Duration, event: EngineSchedule.Event, actions: [EngineSchedule.Action])] = []
    var story: String { history.map { "\($0.now): \($0.event)\n    \($0.actions)" }.joined(separator: "\n") }
    /// The numbers of outcomes, by what they are.
    private(set) var kinds: [String: Int] = [:]

    init(width: Int) {
        schedule = EngineSchedule(width: width)
        workers = Array(repeating: .off, count: width)
    }

    mutating func run(_ generator: inout SplitMix64) throws(Violation) {
        // In some sessions little goes wrong, so that all kinds are met.
        let isCalm = Bool.random(using: &generator)
        for _ in 0..<Int.random(in: 1...80, using: &generator) {
            if isClosed, Bool.random(using: &generator) { break }
            try step(isCalm, &generator)
        }
        if Bool.random(using: &generator) { try drain() } else { try handle(.closed) }
        for (identifier, request) in requests {
            try require(request.outcome != nil, "\(identifier) has an outcome at the end")
        }
        if isClosed { try require(workers.allSatisfy { $0 == .off || $0 == .stopping }, "no worker stays") }
    }

    private mutating func step(_ isCalm: Bool, _ generator: inout SplitMix64) throws(Violation) {
        let running = workers.indices.filter { workers[$0] != .off }
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<30:
            let identifier = UInt64(requests.count + 1)
            let priority = [EngineSchedule.Priority.guess, .pause, .final].randomElement(using: &generator)!
            requests[identifier] = Request(priority: priority)
            let seconds = Double.random(in: 0...28, using: &generator)
            try handle(.submitted(EngineSchedule.Request(identifier, seconds: seconds, priority: priority)))
        case 30..<38:
            // Some have an outcome, and some do not exist.
            try handle(.withdrawn(.random(in: 0...UInt64(requests.count + 1), using: &generator)))
        case 38..<72:
            guard let worker = running.randomElement(using: &generator) else { return }
            try answer(worker, isCalm, &generator)
        case 72..<76 where !isCalm:
            guard let worker = running.randomElement(using: &generator) else { return }
            // One that loads may say that it is ready.
            let mayStay = workers[worker] == .loading
            try handle(.answered(worker: worker, nonsense(&generator)))
            try require(mayStay || workers[worker] == .stopping, "a worker that answers what was not asked is killed")
        case 76..<84:
            // A killed worker has ended soon, and any other may end.
            let killed = running.filter { workers[$0] == .stopping }
            guard let worker = killed.randomElement(using: &generator) ?? running.randomElement(using: &generator)
            else { return }
            if isCalm, killed.isEmpty, Int.random(in: 0..<4, using: &generator) > 0 { return }
            let ends: [WorkerProcess.End] = [
                .killed(signal: 9), .exited(0), .exited(1), .nonsense, .stopped, .notStarted(errno: 11),
                .notStarted(errno: Int.random(in: 0..<5, using: &generator) == 0 ? 2 : 11),
            ]
            try handle(.ended(worker: worker, ends.randomElement(using: &generator)!))
        case 84..<85: try handle(.closed)
        default:
            // Seldom is a wake as late as this, and the next event may come before it.
            let isOnTime = Int.random(in: 0..<4, using: &generator) > 0
            let wakeTime = schedule.wakeTime ?? now
            now = isOnTime ? max(now, wakeTime) : now + .milliseconds(Int.random(in: 1...90_000, using: &generator))
            if Bool.random(using: &generator) { try handle(.woken) }
        }
    }

    /// Lets a worker answer what it was asked.
    private mutating func answer(
        _ worker: Int, _ isCalm: Bool, _ generator: inout SplitMix64
    ) throws(Violation) {
        let kind = WorkerFailure.Kind.allCases.randomElement(using: &generator)!
        let failure = WorkerFailure(kind: kind, sentence: "\(kind)")
        let works = Int.random(in: 0..<10, using: &generator) < (isCalm ? 9 : 7)
        switch workers[worker] {
        case .loading:
            let isRefused = kind != .memory && Int.random(in: 0..<5, using: &generator) > 0
            let answer = works || isRefused ? WorkerAnswer.ready : .failure(0, failure)
            try handle(.answered(worker: worker, answer))
        case .decoding(let identifier):
            let answer = works ? result(identifier) : WorkerAnswer.failure(identifier, failure)
            try handle(.answered(worker: worker, answer))
        case .stopping: try handle(.answered(worker: worker, nonsense(&generator)))
        case .off, .idle: break
        }
    }

    /// The text of each request is its own.
    private func result(_ identifier: UInt64) -> WorkerAnswer {
        .result(identifier, DecodedText(text: "\(identifier)"))
    }

    private func nonsense(_ generator: inout SplitMix64) -> WorkerAnswer {
        // None of these is of a request that is decoded.
        let identifier = UInt64(requests.count + 1 + Int.random(in: 0...3, using: &generator))
        let failure = WorkerFailure(kind: .decoding, sentence: "")
        return [.ready, result(identifier), .failure(identifier, failure)].randomElement(using: &generator)!
    }

    /// Lets everything work from here on: without a close, too, every request gets its outcome.
    private mutating func drain() throws(Violation) {
        var steps = 0
        while requests.values.contains(where: { $0.outcome == nil }) {
            steps += 1
            try require(steps < 1_000, "what waits is decoded if the workers work")
            if let worker = workers.indices.first(where: { workers[$0] != .off && workers[$0] != .idle }) {
                switch workers[worker] {
                case .loading:
                    try handle(.answered(worker: worker, .ready))
                case .decoding(let identifier):
                    try handle(.answered(worker: worker, result(identifier)))
                case .stopping: try handle(.ended(worker: worker, .stopped))
                case .off, .idle: break
                }
            } else {
                guard let wakeTime = schedule.wakeTime else { throw Violation(sentence: "what waits is forgotten") }
                now = wakeTime
                try handle(.woken)
            }
        }
    }

    private mutating func handle(_ event: EngineSchedule.Event) throws(Violation) {
        if case .closed = event { isClosed = true }
        if case .withdrawn(let identifier) = event { requests[identifier]?.isWaiting = false }
        if case .ended(let worker, _) = event {
            if case .decoding(let identifier) = workers[worker] { fail(with: identifier) }
            workers[worker] = .off
        }
        if case .answered(let worker, let answer) = event { note(answer, of: worker) }
        let actions = schedule.handle(event, now: now)
        history.append((now, event, actions))
        for action in actions { try check(action, after: event) }
        try checkState()
    }

    /// Notes that a worker is ready for the next request.
    private mutating func note(_ answer: WorkerAnswer, of worker: Int) {
        switch (workers[worker], answer) {
        case (.loading, .ready): workers[worker] = .idle
        case (.decoding(let identifier), .result(let answered, _)) where answered == identifier: workers[worker] = .idle
        // One without memory is stopped, and another decodes the request.
        case (.decoding(let identifier), .failure(let answered, let failure))
        where answered == identifier && failure.kind != .memory:
            workers[worker] = .idle
        default: break
        }
    }

    /// Notes that a worker has failed with a request, which waits again.
    private mutating func fail(with identifier: UInt64) {
        guard requests[identifier]?.outcome == nil else { return }
        requests[identifier]?.failureCount += 1
        requests[identifier]?.isWaiting = true
    }

    private mutating func check(
        _ action: EngineSchedule.Action, after event: EngineSchedule.Event
    ) throws(Violation) {
        switch action {
        case .start(let worker):
            try require(workers.indices.contains(worker), "there are no more workers than the width")
            try require(workers[worker] == .off && !isClosed && schedule.refusal == nil, "it may be started")
            workers[worker] = .loading
        case .decode(let worker, let identifier):
            try require(workers[worker] == .idle, "a worker has one request at a time")
            try require(identifier == next, "the next is \(next.map(String.init) ?? "nothing")")
            let request = requests[identifier]!
            try require(request.priority != .guess || request.failureCount == 0, "a guess is decoded once")
            try require(request.failureCount < EngineSchedule.mostAttempts, "it is tried four times")
            if request.failureCount > 0 { kinds["decoded again", default: 0] += 1 }
            requests[identifier]?.isWaiting = false
            workers[worker] = .decoding(identifier)
        case .cancel(let worker, let identifier):
            try require(workers[worker] == .decoding(identifier), "the worker is decoding it")
            try require(requests[identifier]?.outcome == .failed(.cancelled), "it is not wanted")
        case .stop(let worker):
            try require(workers[worker] != .off && workers[worker] != .stopping, "the worker is running")
            // What it takes along when all is closed was resolved before.
            if case .decoding(let identifier) = workers[worker] { fail(with: identifier) }
            workers[worker] = .stopping
        case .resolve(let identifier, let outcome):
            try require(requests[identifier] != nil && requests[identifier]?.outcome == nil, "it has one outcome")
            try check(outcome, of: identifier, after: event)
            requests[identifier]?.outcome = outcome
            requests[identifier]?.isWaiting = false
        case .report(let sentence):
            reportCount += 1
            try require(reportCount == 1 && !sentence.hasSuffix("."), "one report, without a full stop")
        }
    }

    private mutating func check(
        _ outcome: DecodingOutcome, of identifier: UInt64, after event: EngineSchedule.Event
    ) throws(Violation) {
        let request = requests[identifier]!
        switch outcome {
        case .text(let text):
            kinds["text", default: 0] += 1
            guard case .answered(_, .result(identifier, text)) = event else {
                throw Violation(sentence: "the text is the worker's")
            }
            try require(text.text == "\(identifier)", "it has its own text")
        case .failed(.refused(let kind)):
            kinds["refused", default: 0] += 1
            guard case .answered(_, .failure(identifier, let failure)) = event, failure.kind == kind else {
                throw Violation(sentence: "the refusal is the worker's")
            }
        case .failed(.cancelled):
            kinds["cancelled", default: 0] += 1
            if case .withdrawn(identifier) = event { return }
            try require(isClosed, "it is cancelled for a reason")
        case .failed(.stopped):
            kinds["stopped", default: 0] += 1
            // The worker that is about to be killed counts.
            let isWithWorker = workers.contains(.decoding(identifier))
            let failureCount = request.failureCount + (isWithWorker ? 1 : 0)
            let most = request.priority == .guess ? 1 : EngineSchedule.mostAttempts
            try require(failureCount == most, "it is given up after \(most) attempts, not \(failureCount)")
        case .failed(.unavailable(let failure)):
            kinds["unavailable", default: 0] += 1
            try require(failure == schedule.refusal, "workers are given up")
        }
    }

    /// The request that is decoded next.
    private var next: UInt64? {
        requests.filter { $0.value.isWaiting && $0.value.outcome == nil }
            .min { ($1.value.priority.rawValue, $0.key) < ($0.value.priority.rawValue, $1.key) }?.key
    }

    private func checkState() throws(Violation) {
        if let wakeTime = schedule.wakeTime { try require(wakeTime > now, "what is due is done") }
        if isClosed || schedule.refusal != nil {
            try require(!workers.contains(.loading) && !workers.contains(.idle), "no worker is left without work")
            try require(next == nil, "nothing waits for nothing")
        }
        if next != nil {
            try require(!workers.contains(.idle), "no worker is idle while something waits")
            let isMoving = workers.contains { $0 != .off } || schedule.wakeTime != nil
            try require(isMoving, "something will happen")
        }
    }

    private func require(_ condition: Bool, _ sentence: String) throws(Violation) {
        if !condition { throw Violation(sentence: "not so: \(sentence)") }
    }
}
