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

    let store: OutboxStore
    private(set) var handlers: [String: any OutboxHandler]
    let clock: any DrainClock
    let random: @Sendable () -> Double
    let log: @Sendable (OutboxEvent) -> Void
    private let watchesNetwork: Bool
    private var machine = DrainMachine()
    private var memory = AttemptMemory()
    private var order = DeliveryOrder()
    private var network = NetworkReturn()
    private var turnWaiters: [CheckedContinuation<Void, Never>] = []
    private var isRunning = false
    /// Wakes the present run, or the last one.
    private var mailbox: AsyncStream<DrainEvent>.Continuation?
    /// Whether `end()` was called, perhaps before the run began.
    private var isEnding = false

    /// Creates a drainer of a queue.
    ///
    /// - Parameters:
    ///   - store: the queue.
    ///   - handlers: the handlers by the destination of the operations that they deliver.
    ///   - log: called with every event, for a log. No event holds what was said.
    public init(
        store: OutboxStore, handlers: [String: any OutboxHandler],
        log: @escaping @Sendable (OutboxEvent) -> Void = { _ in }
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

    /// Delivers by other handlers from now on. All that is in the queue is looked at again by a run; attempts that are under way end as
    /// they began.
    public func use(_ handlers: [String: any OutboxHandler]) {
        self.handlers = handlers
        mailbox?.yield(.handlers)
    }

    /// Ends the run for good: no attempt begins any more, and it returns when those that are under way have ended.
    public func end() {
        isEnding = true
        mailbox?.yield(.end)
    }

    /// Delivers the queue's operations. If the task is cancelled, cancels the attempts in flight and waits for their end.
    ///
    /// - Parameters:
    ///   - mode: when to return.
    ///   - duration: the time after which no attempt begins; the run returns when those that are under way have ended. nil for no such time.
    /// - Returns: `elsewhere` if another process drains the folder and `mode` is `once`; otherwise `done`.
    /// - Throws: `OutboxError` when the folder can't be read or watched, or is removed.
    @discardableResult
    public func run(_ mode: Mode, for duration: Duration? = nil) async throws -> End {
        precondition(!isRunning, "one run at a time")
        isRunning = true
        defer { isRunning = false }
        let (events, mailbox) = AsyncStream.makeStream(of: DrainEvent.self)
        self.mailbox = mailbox
        if isEnding { return .done }
        var ending = DrainAlarm(clock) { mailbox.yield(.end) }
        ending.set(for: duration.map { clock.now + $0 })
        defer { ending.set(for: nil) }
        // The folder must exist to be watched, and be watched before it is read, or an operation could be missed in between.
        let folder = try store.open()
        let watch = try watch(mode) { mailbox.yield(.folder($0)) }
        let network = mode != .once && watchesNetwork ? NetworkWatch { mailbox.yield(.network) } : nil
        defer { withExtendedLifetime((watch, network)) {} }
        var iterator = events.makeAsyncIterator()

        // One of several processes drains the folder, and the others wait for its end.
        let lock = try LockFile(OutboxStore.drainLockName, in: folder)
        var isTold = false
        while try !lock.tryLock() {
            if mode == .watching, !isTold { log(.isDrainedElsewhere) }
            isTold = true
            if mode == .once { return .elsewhere }
            // What else comes meanwhile is read from the folder later.
            var mayBeFree = false
            while !mayBeFree {
                if mode == .untilIdle, try store.isEmpty() { return .done }
                guard let event = await iterator.next(isolation: self) else { return .done }
                if case .end = event { return .done }
                mayBeFree = event.mayFreeLock
                if !mayBeFree, event.meansFolderIsGone { throw folderIsGone }
            }
        }
        defer { lock.unlock() }
        try readFolder()
        let isFolderGone = await drain(mode, &iterator, mailbox)
        if isFolderGone { throw folderIsGone }
        return .done
    }

    /// Watches the folder, unless the mode needs no watch. What is there already is delivered without one, where the system has none left.
    private func watch(_ mode: Mode, tell: @escaping @Sendable (FolderWatch.Change) -> Void) throws -> FolderWatch? {
        switch mode {
        case .once: nil
        case .watching: try FolderWatch(store.folder, tell: tell)
        case .untilIdle: try? FolderWatch(store.folder, tell: tell)
        }
    }

    private var folderIsGone: OutboxError { OutboxError("watch", path: store.folder, errno: ENOENT) }

    private func readFolder() throws(OutboxError) {
        let index = try store.index()
        if machine.count == 0 {
            machine = DrainMachine(index.entries)
        } else {
            index.entries.forEach { machine.changed($0) }
        }
    }

    /// - Returns: whether it ended because the folder has gone.
    private func drain(
        _ mode: Mode, _ iterator: inout AsyncStream<DrainEvent>.AsyncIterator,
        _ mailbox: AsyncStream<DrainEvent>.Continuation
    ) async -> Bool {
        var isFolderGone = false
        // A discarding group, for it keeps nothing of tasks that have ended, and a long run has very many.
        await withDiscardingTaskGroup { group in
            var alarm = DrainAlarm(clock) { mailbox.yield(.timer) }
            network = NetworkReturn()
            let start = clock.now
            while !Task.isCancelled, !isFolderGone {
                // With `once`, an operation that fails is not tried again, however long the others take.
                let now = mode == .once ? start : clock.now
                if network.isDue(at: now) { machine.networkCameBack() }
                begin(at: now, in: &group, mailbox)
                if hasDoneAll(mode) { break }
                if mode != .once { alarm.set(for: [machine.wakeTime(), network.wakeTime].compactMap { $0 }.min()) }
                guard let event = await iterator.next(isolation: self) else { break }
                if case .end = event { break }
                if case .timer = event { alarm.hasRung() }
                isFolderGone = event.meansFolderIsGone
                take(event)
            }
            alarm.set(for: nil)
            if isFolderGone { group.cancelAll() }
        }
        machine = DrainMachine()
        return isFolderGone
    }

    /// Begins all attempts that may begin.
    private func begin(
        at now: Duration, in group: inout DiscardingTaskGroup, _ mailbox: AsyncStream<DrainEvent>.Continuation
    ) {
        while let attempt = machine.next(at: now) {
            order.began(attempt.id)
            group.addTask {
                let result = await self.perform(attempt)
                await self.endTurn(of: attempt.id)
                mailbox.yield(.finished(attempt.id, result))
            }
        }
    }

    private func hasDoneAll(_ mode: Mode) -> Bool {
        switch mode {
        case .once: machine.inFlightCount == 0
        case .untilIdle: machine.count == machine.heldCount
        case .watching: false
        }
    }

    private func take(_ event: DrainEvent) {
        switch event {
        case .finished(let id, let result): machine.finished(id, result)
        case .folder(.named(let name)):
            if let entry = entry(named: name) { machine.changed(entry) }
        case .folder(.unknown), .handlers:
            do throws(OutboxError) { try readFolder() } catch { log(.storeFailed(error)) }
        case .network: network.changed(at: clock.now)
        case .timer, .end, .folder(.closed), .folder(.removed), .folder(.gone): break
        }
    }

    /// The operation that a file belongs to.
    private func entry(named name: String) -> OutboxIndex.Entry? {
        guard let id = OutboxStore.id(of: name) else { return nil }
        // An id that holds no time counts as created now.
        return OutboxIndex.Entry(id: id, time: id.timeInMilliseconds ?? clock.date.milliseconds)
    }

    /// Waits, where the order counts, for those to the same destination that began earlier. The first never waits.
    func waitForTurn(_ operation: OutboxOperation, inOrder: Bool) async {
        order.read(operation.id, destination: operation.destination)
        letWaitersLook()
        guard inOrder else { return }
        while !order.isTurn(of: operation.id) {
            await withCheckedContinuation { continuation in
                // Check again: the actor may have done other work before this closure ran.
                if order.isTurn(of: operation.id) { continuation.resume() } else { turnWaiters.append(continuation) }
            }
        }
    }

    private func endTurn(of id: UUID) {
        order.ended(id)
        letWaitersLook()
    }

    private func letWaitersLook() {
        let waiters = turnWaiters
        turnWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    func withMemory<Value: Sendable>(_ body: @Sendable (inout AttemptMemory) -> Value) -> Value { body(&memory) }

    func forget(_ id: UUID) { memory.forget(id) }
}
