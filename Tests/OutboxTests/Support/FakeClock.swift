import Foundation
import Synchronization
import TestSupport

@testable import Outbox

/// Time that goes on when it is told to.
final class FakeClock: DrainClock {
    private struct State {
        var now = Duration.seconds(1000)
        var date = Date(timeIntervalSince1970: 1_900_000_000)
        /// Until when those sleep who do.
        var sleepers: [Int: Duration] = [:]
        var lastSleeper = 0
    }

    private let state = Awaited(State())

    var now: Duration { state.state.now }
    var date: Date { state.state.date }

    /// The wall only.
    func jump(by seconds: Double) { state.withLock { $0.date += seconds } }

    func advance(by seconds: Double) {
        state.withLock { state in
            state.now += .seconds(seconds)
            state.date += seconds
            state.sleepers = state.sleepers.filter { [now = state.now] in $0.value > now }
        }
    }

    /// Waits until somebody sleeps; returns until when.
    func sleeper() async -> Duration { await state.wait { !$0.sleepers.isEmpty }.sleepers.values.min()! }

    func sleep(until time: Duration) async {
        let sleeper = state.withLock { state in
            state.lastSleeper += 1
            if state.now < time, !Task.isCancelled { state.sleepers[state.lastSleeper] = time }
            return state.lastSleeper
        }
        await withTaskCancellationHandler {
            _ = await state.wait { $0.sleepers[sleeper] == nil }
        } onCancel: {
            state.withLock { $0.sleepers[sleeper] = nil }
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
    private let missing: Awaited<Int>

    init(_ count: Int) { missing = Awaited(count) }

    func enter() async {
        missing.withLock { $0 -= 1 }
        await missing.wait { $0 <= 0 }
    }
}
