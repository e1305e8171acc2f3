import Foundation

/// What the drainer decides about one operation. Pure.
extension OutboxOperation {
    enum Readiness: Hashable {
        case ready
        /// Seconds until it may be tried.
        case wait(Double)
        case waitsForUser
        case unknownKind
    }

    /// - Parameter isAtOnce: the time that was set after the last failure doesn't count.
    func readiness(now: Date, isAtOnce: Bool, knowsKind: Bool) -> Readiness {
        if waitsForUser { return .waitsForUser }
        if !knowsKind { return .unknownKind }
        let remaining = isAtOnce ? 0 : Backoff.remaining(self, now: now)
        return remaining > 0 ? .wait(remaining) : .ready
    }

    /// Notes an attempt that may be repeated after `delay` seconds.
    ///
    /// - Parameter mayHaveArrived: whether this attempt or an earlier one may have.
    mutating func fail(
        attempts: Int, _ reason: String, delay: Double, isNetwork: Bool, mayHaveArrived: Bool = false, at date: Date
    ) {
        attemptCount = attempts
        lastAttemptAt = date
        nextEligibleAt = date + delay
        firstFailedAt = firstFailedAt ?? date
        lastError = reason
        isUnreachable = isNetwork
        self.mayHaveArrived = mayHaveArrived
    }

    /// Notes an attempt that makes no sense to repeat by itself.
    ///
    /// - Parameter mayHaveArrived: whether an earlier one may have.
    mutating func waitForUser(_ reason: String, mayHaveArrived: Bool = false, at date: Date) {
        fail(attempts: attemptCount + 1, reason, delay: 0, isNetwork: false, mayHaveArrived: mayHaveArrived, at: date)
        nextEligibleAt = nil
        waitsForUser = true
    }

    /// Whether the clock was put back since the last attempt. Then the times in the file say nothing any more.
    func isAheadOfClock(_ now: Date) -> Bool { nextEligibleAt != nil && lastAttemptAt.map { $0 > now } ?? false }

    /// Makes the last attempt one of just now, so that its delay counts from here on, and comes to an end.
    mutating func followClock(_ now: Date) {
        guard isAheadOfClock(now) else { return }
        nextEligibleAt = now + Backoff.remaining(self, now: now)
        lastAttemptAt = now
        firstFailedAt = firstFailedAt.map { min($0, now) }
    }

    /// Makes it ready at once, as the user wants it; what is known of earlier failures stays.
    public mutating func retry() {
        nextEligibleAt = nil
        waitsForUser = false
    }
}
