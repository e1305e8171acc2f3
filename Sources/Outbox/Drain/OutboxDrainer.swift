import Foundation
import Glibc
import System

/// Delivers the operations of a queue: in creation order, at most three at a time, and again after each failure until they
/// arrive.
///
///     let drainer = OutboxDrainer(store: store, handlers: ["vault": VaultHandler(vault)])
///     try await drainer.run(.watching)
///
/// If several processes drain one folder, one works and the others wait until it ends. The drainer wakes when any process
/// enqueues an operation, when a delay is over, and when the network comes back; it never polls.
public actor OutboxDrainer {
    /// When a run ends.
    public enum Mode: Hashable, Sendable {
        /// Tries every operation once that may be tried now, and returns.
        case once
        /// Runs until the task is cancelled.
        case watching
        /// Runs until the queue holds nothing but operations that need the user.
        case untilIdle
    }

    /// How a run ended.
    public enum End: Hashable, Sendable {
        /// The run did what its mode asks for, or its task was cancelled.
        case done
        /// Another process drains the folder.
        case elsewhere
    }

    private enum Event: Sendable {
        case folder(FolderWatch.Change)
        case network
        case timer
        case finished(UUID, DrainMachine.Result)

        /// Whether the event means that the folder was removed. While the lock file is open, the kernel reports only that
        /// the lock lost its name.
        var meansFolderIsGone: Bool {
            switch self {
            case .folder(.gone), .folder(.removed(OutboxStore.drainLockName)): true
            default: false
            }
        }
    }

    private let store: OutboxStore
    private let handlers: [String: any OutboxHandler]
    private let clock: any DrainClock
    private let random: @Sendable () -> Double
    private let log: @Sendable (OutboxEvent) -> Void
    private let watchesNetwork: Bool
    private var machine = DrainMachine()
    private var failures = FailureLedger()
    /// When the operations that have failed are tried again, and the date in their file, by the wall clock, that this stands for.
    private var schedule: [UUID: (until: Duration, date: Date)] = [:]
    /// The attempts that could not be recorded on the disk.
    private var unwritten: [UUID: Unwritten] = [:]
    /// The operations in flight, in the order in which they began; `kind` is nil until the file is read.
    private var flights: [(id: UUID, kind: String?)] = []
    private var turnWaiters: [CheckedContinuation<Void, Never>] = []
    private var state = OutboxState()
    private var listeners: [Int: AsyncStream<OutboxState>.Continuation] = [:]
    private var lastListener = 0
    private var isRunning = false

    /// Creates a drainer of a queue.
    ///
    /// - Parameters:
    ///   - store: the queue.
    ///   - handlers: the handlers by the kind of operation that they deliver.
    ///   - log: called with every event, for a log. No event holds what was said.
    public init(
        store: OutboxStore, handlers: [String: any OutboxHandler], log: @escaping @Sendable (OutboxEvent) -> Void = { _ in }
    ) {
        self.init(store: store, handlers: handlers, clock: SystemDrainClock(), log: log)
    }

    init(
        store: OutboxStore, handlers: [String: any OutboxHandler], clock: any DrainClock, watchesNetwork: Bool = true,
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        log: @escaping @Sendable (OutboxEvent) -> Void = { _ in }
    ) {
        self.store = store
        self.handlers = handlers
        self.clock = clock
        self.watchesNetwork = watchesNetwork
        self.random = random
        self.log = log
    }

    /// The state of the queue: now, and after every change. A slow reader gets only the newest.
    public var states: AsyncStream<OutboxState> {
        let (stream, continuation) = AsyncStream.makeStream(of: OutboxState.self, bufferingPolicy: .bufferingNewest(1))
        lastListener += 1
        let number = lastListener
        listeners[number] = continuation
        continuation.onTermination = { _ in Task { await self.stopListening(number) } }
        continuation.yield(state)
        return stream
    }

    private func stopListening(_ number: Int) { listeners[number] = nil }

    /// Delivers the queue's operations. If the task is cancelled, cancels the attempts in flight and waits for their end.
    ///
    /// - Parameter mode: when to return.
    /// - Returns: `elsewhere` if another process drains the folder and `mode` is `once`; otherwise `done`.
    /// - Throws: `OutboxError` when the folder can't be read or watched, or is removed.
    @discardableResult
    public func run(_ mode: Mode) async throws -> End {
        precondition(!isRunning, "one run at a time")
        isRunning = true
        defer { isRunning = false }
        let (events, mailbox) = AsyncStream.makeStream(of: Event.self)
        // The folder must exist to be watched, and be watched before it is read, or an operation could be missed in between.
        let folder = try store.open()
        let watch = mode != .once ? try FolderWatch(store.folder) { mailbox.yield(.folder($0)) } : nil
        let network = mode != .once && watchesNetwork ? NetworkWatch { mailbox.yield(.network) } : nil
        defer { withExtendedLifetime((watch, network)) {} }
        var iterator = events.makeAsyncIterator()

        let candidate = try LockCandidate(OutboxStore.drainLockName, in: folder)
        while try !candidate.tryLock() {
            if mode == .watching, !state.isDrainedElsewhere { log(.isDrainedElsewhere) }
            state.isDrainedElsewhere = true
            publish()
            if mode == .once { return .elsewhere }
            // When the process that holds the lock ends, the kernel closes the file.
            repeat {
                guard let event = await iterator.next(isolation: self) else { return .done }
                if case .folder(.closed(OutboxStore.drainLockName)) = event { break }
                if case .folder(.unknown) = event { break }
                if event.meansFolderIsGone { throw folderIsGone }
            } while true
        }
        defer { candidate.unlock() }
        state.isDrainedElsewhere = false
        try readFolder()
        let isFolderGone = await drain(mode, &iterator, mailbox)
        if isFolderGone { throw folderIsGone }
        return .done
    }

    private var folderIsGone: OutboxError { OutboxError("watch", path: store.folder, errno: ENOENT) }

    private func readFolder() throws(OutboxError) {
        let index = try store.index()
        if machine.count == 0 { machine = DrainMachine(index.entries) } else { index.entries.forEach { machine.changed($0) } }
        state.asideCount = index.aside.count
    }

    /// - Returns: whether it ended because the folder has gone.
    private func drain(
        _ mode: Mode, _ iterator: inout AsyncStream<Event>.AsyncIterator, _ mailbox: AsyncStream<Event>.Continuation
    ) async -> Bool {
        var isFolderGone = false
        // A discarding group, for it keeps nothing of tasks that have ended, and a long run has very many.
        await withDiscardingTaskGroup { group in
            var timer: (time: Duration, task: Task<Void, Never>)?
            var networkWake: Duration?
            var lastNetworkWake: Duration?
            let start = clock.now
            while !Task.isCancelled, !isFolderGone {
                // With `once`, an operation that fails is not tried again, however long the others take.
                let now = mode == .once ? start : clock.now
                if let wake = networkWake, wake <= now {
                    (networkWake, lastNetworkWake) = (nil, now)
                    machine.networkCameBack()
                }
                while let attempt = machine.next(at: now) {
                    flights.append((attempt.id, nil))
                    group.addTask {
                        let result = await self.perform(attempt)
                        await self.land(attempt.id)
                        mailbox.yield(.finished(attempt.id, result))
                    }
                }
                publish()
                if mode == .once, machine.inFlightCount == 0 { break }
                if mode == .untilIdle, machine.count == machine.heldCount { break }
                if mode != .once {
                    let wakes = [machine.wakeTime(), networkWake].compactMap { $0 }
                    if timer?.time != wakes.min() {
                        timer?.task.cancel()
                        timer = wakes.min().map { [clock] time in
                            (
                                time,
                                Task {
                                    await clock.sleep(until: time); mailbox.yield(.timer)
                                }
                            )
                        }
                    }
                }
                guard let event = await iterator.next(isolation: self) else { break }
                switch event {
                case .finished(let id, let result): machine.finished(id, result)
                case .timer: timer = nil
                case .folder(.named(let name)):
                    if let entry = entry(named: name) { machine.changed(entry) }
                case .folder(.unknown):
                    do throws(OutboxError) { try readFolder() } catch { log(.storeFailed(error)) }
                case .folder(.closed), .folder(.removed), .folder(.gone): isFolderGone = event.meansFolderIsGone
                case .network:
                    // A link, an address and a route come one after another; only the last of them makes it a network.
                    networkWake = max(clock.now + .milliseconds(250), lastNetworkWake.map { $0 + .seconds(5) } ?? .zero)
                }
            }
            timer?.task.cancel()
            group.cancelAll()
        }
        machine = DrainMachine()
        return isFolderGone
    }

    /// The operation that a file belongs to.
    private func entry(named name: String) -> OutboxIndex.Entry? {
        guard let id = OutboxStore.id(of: name) else { return nil }
        // An id that holds no time counts as created now.
        return OutboxIndex.Entry(id: id, time: id.timeInMilliseconds ?? clock.date.milliseconds)
    }

    private func publish() {
        state.pendingCount = machine.count
        state.inFlightCount = machine.inFlightCount
        state.waitingCount = machine.waitingCount
        state.heldCount = machine.heldCount
        state.oldestFailure = failures.oldest()
        for listener in listeners.values { listener.yield(state) }
    }
}

/// One attempt.
extension OutboxDrainer {
    private nonisolated func perform(_ attempt: DrainMachine.Attempt) async -> DrainMachine.Result {
        do throws(OutboxError) {
            switch try store.read(attempt.id) {
            case .operation(let operation): return await perform(operation, isAtOnce: attempt.isAtOnce)
            case .undecodable:
                log(.putAside(id: attempt.id))
                await putAside(attempt.id)
            case .missing, .foreign: await clear(attempt.id)
            }
            return .gone
        } catch {
            log(.storeFailed(error))
            return .wait(until: clock.now + .seconds(Backoff.delay(afterAttempts: 5, random: random())), isNetwork: false)
        }
    }

    private nonisolated func perform(_ operation: OutboxOperation, isAtOnce: Bool) async -> DrainMachine.Result {
        if operation.attemptCount > 0, let reason = operation.lastError { await note(operation, reason) }
        let handler = handlers[operation.kind]
        // The wall clock may have jumped since, and the file may be reported as changed only because we wrote it.
        let scheduled = await scheduledTime(of: operation)
        if !isAtOnce, let scheduled, scheduled > clock.now {
            return .wait(until: scheduled, isNetwork: operation.isUnreachable)
        }
        switch operation.readiness(now: clock.date, isAtOnce: isAtOnce || scheduled != nil, knowsKind: handler != nil) {
        case .ready: break
        case .wait(let seconds): return await wait(operation, seconds)
        case .waitsForUser: return .held
        case .unknownKind:
            log(.unknownKind(id: operation.id, kind: operation.kind))
            return .held
        }
        guard let handler else { preconditionFailure("ready without a handler") }
        await begin(operation, inOrder: handler.deliversInOrder)
        var operation = operation
        if handler.needsEarlierAttempts {
            operation.mayHaveArrived = await unwritten(operation.id)?.mayHaveArrived ?? operation.mayHaveArrived
            if let result = await noteBeginning(of: operation) { return result }
        }
        switch await handler.deliver(operation) {
        case .delivered: return await delivered(operation)
        case .failed(let reason, let pause, let isNetwork, let mayHaveArrived):
            operation.mayHaveArrived = operation.mayHaveArrived || mayHaveArrived
            return await failed(operation, reason, pause: pause, isNetwork: isNetwork)
        case .needsUser(let reason): return await needsUser(operation, reason)
        }
    }

    /// Waits for the rest of a delay, by the clock that never jumps.
    private nonisolated func wait(_ operation: OutboxOperation, _ seconds: Double) async -> DrainMachine.Result {
        let (date, until) = (clock.date, clock.now + .seconds(seconds))
        var next = operation.nextEligibleAt
        // Otherwise every start would wait for the whole delay again, until the clock has caught up.
        if operation.isAheadOfClock(date) {
            do throws(OutboxError) {
                next = try store.change(operation.id) { $0.followClock(date) }?.nextEligibleAt ?? next
            } catch {
                log(.storeFailed(error))
            }
        }
        if let next { await scheduled(operation.id, until: until, date: next) }
        return .wait(until: until, isNetwork: operation.isUnreachable)
    }

    /// Records that the operation may have arrived, in case this process is killed during the attempt.
    ///
    /// - Returns: the result when there is nothing to deliver: the user has removed the operation, or given it another
    ///   destination; otherwise nil.
    private nonisolated func noteBeginning(of operation: OutboxOperation) async -> DrainMachine.Result? {
        if operation.mayHaveArrived { return nil }
        do throws(OutboxError) {
            var hasMoved = false
            let noted = try store.change(operation.id) { now in
                hasMoved = now.hasMoved(since: operation)
                if !hasMoved { now.mayHaveArrived = true }
            }
            if noted != nil { return hasMoved ? Self.lookAgain : nil }
            await clear(operation.id)
            return .gone
        } catch {
            // Deliver in spite of a full disk. If this process is killed now, the user has to decide about a conflict.
            log(.storeFailed(error))
            return nil
        }
    }

    /// Waits, if the order counts, for the operations of the same kind that began earlier. The first never waits.
    private func begin(_ operation: OutboxOperation, inOrder: Bool) async {
        if let place = flights.firstIndex(where: { $0.id == operation.id }) { flights[place].kind = operation.kind }
        letWaitersLook()
        guard inOrder else { return }
        while let place = flights.firstIndex(where: { $0.id == operation.id }),
            flights[..<place].contains(where: { $0.kind == nil || $0.kind == operation.kind })
        {
            await withCheckedContinuation { turnWaiters.append($0) }
        }
    }

    private func land(_ id: UUID) {
        flights.removeAll { $0.id == id }
        letWaitersLook()
    }

    private func letWaitersLook() {
        let waiters = turnWaiters
        turnWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    private nonisolated func delivered(_ operation: OutboxOperation) async -> DrainMachine.Result {
        do throws(OutboxError) {
            if try !store.removeArrived(operation) { return Self.lookAgain }
        } catch {
            // It is delivered again; the receiver recognizes the id.
            log(.storeFailed(error))
            let failures = await countUnwritten(operation, mayHaveArrived: true)
            return .wait(
                until: clock.now + .seconds(Backoff.delay(afterAttempts: failures, random: random())), isNetwork: false)
        }
        await clear(operation.id)
        log(.delivered(id: operation.id, kind: operation.kind, attempts: operation.attemptCount + 1))
        return .gone
    }

    private nonisolated func failed(
        _ operation: OutboxOperation, _ reason: String, pause: Duration?, isNetwork: Bool
    ) async -> DrainMachine.Result {
        // The attempt failed because it was cancelled.
        if Task.isCancelled { return .held }
        let attempts = operation.attemptCount + 1 + (await unwritten(operation.id)?.attempts ?? 0)
        let pause = pause.map { Double($0.components.seconds) + Double($0.components.attoseconds) * 1e-18 }
        let delay = Backoff.delay(afterAttempts: attempts, pause: pause, random: random())
        let date = clock.date
        let hasMoved = await write(operation) { now in
            now.fail(
                attempts: attempts, reason, delay: delay, isNetwork: isNetwork, mayHaveArrived: operation.mayHaveArrived, at: date)
        }
        if hasMoved { return Self.lookAgain }
        await note(operation, reason)
        log(.failed(id: operation.id, kind: operation.kind, reason: reason, attempts: attempts, delay: delay))
        let until = clock.now + .seconds(delay)
        await scheduled(operation.id, until: until, date: date + delay)
        return .wait(until: until, isNetwork: isNetwork)
    }

    private nonisolated func needsUser(_ operation: OutboxOperation, _ reason: String) async -> DrainMachine.Result {
        if Task.isCancelled { return .held }
        let date = clock.date
        let hasMoved = await write(operation) { $0.waitForUser(reason, mayHaveArrived: operation.mayHaveArrived, at: date) }
        if hasMoved { return Self.lookAgain }
        await note(operation, reason)
        log(.needsUser(id: operation.id, kind: operation.kind, reason: reason))
        return .held
    }

    /// The result for an operation that was given another destination during an attempt: the attempt says nothing about the new one.
    private static let lookAgain = DrainMachine.Result.wait(until: .zero, isNetwork: false)

    /// Changes an operation's file, unless the operation was given another destination since it was read.
    ///
    /// - Returns: whether it was given another destination.
    private nonisolated func write(_ operation: OutboxOperation, _ body: (inout OutboxOperation) -> Void) async -> Bool {
        var hasMoved = false
        do throws(OutboxError) {
            try store.change(operation.id) { now in
                hasMoved = now.hasMoved(since: operation)
                if !hasMoved { body(&now) }
            }
            await forgetUnwritten(operation.id)
        } catch {
            log(.storeFailed(error))
            _ = await countUnwritten(operation, mayHaveArrived: operation.mayHaveArrived)
        }
        return hasMoved
    }

    private struct Unwritten {
        /// The number of failed attempts that are not in the operation's file.
        var attempts: Int
        var mayHaveArrived: Bool
    }

    private func unwritten(_ id: UUID) -> Unwritten? { unwritten[id] }
    private func forgetUnwritten(_ id: UUID) { unwritten[id] = nil }

    private func countUnwritten(_ operation: OutboxOperation, mayHaveArrived: Bool) -> Int {
        let attempts = (unwritten[operation.id]?.attempts ?? 0) + 1
        unwritten[operation.id] = Unwritten(attempts: attempts, mayHaveArrived: mayHaveArrived)
        return attempts
    }

    private func note(_ operation: OutboxOperation, _ reason: String) {
        let since = operation.firstFailedAt ?? operation.lastAttemptAt ?? clock.date
        failures.failed(operation.id, OutboxState.Failure(kind: operation.kind, since: since, reason: reason))
    }

    private func scheduled(_ id: UUID, until: Duration, date: Date) { schedule[id] = (until, date) }

    /// When an operation is tried again, by the clock that never jumps; nil when this process has set no time, or the date in
    /// the file is another one.
    private func scheduledTime(of operation: OutboxOperation) -> Duration? {
        guard let (until, date) = schedule[operation.id], let next = operation.nextEligibleAt,
            abs(next.timeIntervalSince(date)) < 1e-3
        else { return nil }
        return until
    }

    private func putAside(_ id: UUID) {
        state.asideCount += 1
        clear(id)
    }

    private func clear(_ id: UUID) {
        schedule[id] = nil
        failures.cleared(id)
        unwritten[id] = nil
    }
}
