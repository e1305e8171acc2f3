import Foundation
import Synchronization

@testable import Outbox

/// Time that goes on when it is told to.
final class FakeClock: DrainClock {
    private struct State {
        var now = Duration.seconds(1000)
        var date = Date(timeIntervalSince1970: 1_900_000_000)
        var sleepers: [(id: Int, time: Duration, continuation: CheckedContinuation<Void, Never>)] = []
        var lastID = 0
        var cancelled: Set<Int> = []
        var waiters: [CheckedContinuation<Duration, Never>] = []
    }

    private let state = Mutex(State())

    var now: Duration { state.withLock { $0.now } }
    var date: Date { state.withLock { $0.date } }

    /// The wall only.
    func jump(by seconds: Double) { state.withLock { $0.date += seconds } }

    func advance(by seconds: Double) {
        let due = state.withLock { state in
            state.now += .seconds(seconds)
            state.date += seconds
            let due = state.sleepers.filter { $0.time <= state.now }
            state.sleepers.removeAll { $0.time <= state.now }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Waits until somebody sleeps; returns until when.
    func sleeper() async -> Duration {
        await withCheckedContinuation { continuation in
            let time = state.withLock { state -> Duration? in
                if let time = state.sleepers.map(\.time).min() { return time }
                state.waiters.append(continuation)
                return nil
            }
            if let time { continuation.resume(returning: time) }
        }
    }

    func sleep(until time: Duration) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isOver, waiters) = state.withLock { state -> (Bool, [CheckedContinuation<Duration, Never>]) in
                    if state.now >= time || state.cancelled.remove(id) != nil { return (true, []) }
                    state.sleepers.append((id, time, continuation))
                    defer { state.waiters = [] }
                    return (false, state.waiters)
                }
                if isOver { continuation.resume() }
                for waiter in waiters { waiter.resume(returning: time) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.first { $0.id == id }
                state.sleepers.removeAll { $0.id == id }
                if sleeper == nil { state.cancelled.insert(id) }
                return sleeper
            }
            sleeper?.continuation.resume()
        }
    }
}

/// A destination that a test plays itself.
final class PlayedHandler: OutboxHandler {
    private let body: @Sendable (OutboxOperation) async -> DeliveryOutcome
    private let state = Mutex<(ids: [UUID], current: Int, maximum: Int)>(([], 0, 0))

    let deliversInOrder: Bool
    let needsEarlierAttempts: Bool

    init(
        inOrder: Bool = false, needsEarlier: Bool = false,
        _ body: @escaping @Sendable (OutboxOperation) async -> DeliveryOutcome = { _ in .delivered }
    ) {
        deliversInOrder = inOrder
        needsEarlierAttempts = needsEarlier
        self.body = body
    }

    /// In the order in which they came.
    var ids: [UUID] { state.withLock { $0.ids } }
    /// How many were there at the same time.
    var maximumAtOnce: Int { state.withLock { $0.maximum } }

    func deliver(_ operation: OutboxOperation) async -> DeliveryOutcome {
        state.withLock { state in
            state.ids.append(operation.id)
            state.current += 1
            state.maximum = max(state.maximum, state.current)
        }
        defer { state.withLock { $0.current -= 1 } }
        return await body(operation)
    }
}

/// Lets those who come wait until so many have come.
final class Gate: Sendable {
    private let state: Mutex<(missing: Int, waiters: [CheckedContinuation<Void, Never>])>

    init(_ count: Int) { state = Mutex((count, [])) }

    func enter() async {
        await withCheckedContinuation { continuation in
            let released = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.missing -= 1
                if state.missing > 0 {
                    state.waiters.append(continuation)
                    return []
                }
                defer { state.waiters = [] }
                return state.waiters + [continuation]
            }
            for waiter in released { waiter.resume() }
        }
    }
}
