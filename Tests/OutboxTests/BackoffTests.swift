import Foundation
import TestSupport
import Testing

@testable import Outbox

@Suite("The delay after a failure")
struct BackoffTests {
    @Test("doubles from two seconds to ten minutes, with up to 30 % more")
    func bounds() {
        for (attempts, base) in zip(1..., [2.0, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]) {
            #expect(Backoff.delay(afterAttempts: attempts, random: 0) == base)
            #expect(abs(Backoff.delay(afterAttempts: attempts, random: 1) - base * 1.3) < 1e-9)
        }
        #expect(Backoff.delay(afterAttempts: .max, random: 0) == 600)
    }

    @Test("is never shorter than the pause that a receiver asks for, and never longer than a day and its 30 %")
    func pauses() {
        #expect(Backoff.delay(afterAttempts: 1, pause: 100, random: 0) == 100)
        #expect(Backoff.delay(afterAttempts: 5, pause: 1, random: 0) == 32)
        #expect(Backoff.delay(afterAttempts: 20, pause: 3600, random: 0.5) == 3600 * 1.15)
        #expect(Backoff.delay(afterAttempts: 1, pause: .infinity, random: 1) <= 86_400 * 1.3)
        #expect(Backoff.delay(afterAttempts: 1, pause: -5, random: 0) == 2)
    }

    @Test("is never longer than it was set, whatever the clock says")
    func clocks() {
        var operation = OutboxOperation(destination: "k", payload: Data())
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(Backoff.remaining(operation, now: date) == 0)
        operation.fail(attempts: 3, "no", delay: 8, isNetwork: false, at: date)
        #expect(Backoff.remaining(operation, now: date) == 8)
        #expect(Backoff.remaining(operation, now: date + 5) == 3)
        #expect(Backoff.remaining(operation, now: date + 9) == 0)
        #expect(Backoff.remaining(operation, now: date - 1e9) == 8)
        operation.nextEligibleAt = date + 1e9
        #expect(Backoff.remaining(operation, now: date) <= 86_400 * 1.3)
        // Whoever looks next, after some of the delay, waits for the rest, and not for all of it again.
        for (back, remaining) in [(1e5, 8.0), (3, 8)] {
            operation.firstFailedAt = nil
            operation.fail(attempts: 3, "no", delay: 8, isNetwork: false, at: date)
            operation.followClock(date - back)
            #expect(operation.lastAttemptAt == date - back && operation.firstFailedAt == date - back)
            #expect(Backoff.remaining(operation, now: date - back) == remaining)
            #expect(Backoff.remaining(operation, now: date - back + 5) == remaining - 5)
        }
        let before = operation
        operation.followClock(date + 1)
        #expect(operation == before)
        operation.nextEligibleAt = date + 1e9
        operation.lastAttemptAt = nil
        #expect(Backoff.remaining(operation, now: date) == 600)
        operation.lastAttemptAt = date + 2e9
        #expect(Backoff.remaining(operation, now: date) == 0)
    }
}
