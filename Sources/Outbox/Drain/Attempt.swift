import Foundation

/// What the drainer decides about one operation. Pure.
extension OutboxOperation {
    /// Whether an operation may be tried now.
    enum Readiness: Hashable {
        case ready
        /// Seconds until it may be tried.
        case wait(Double)
        case waitsForUser
        case unknownDestination
    }

    /// Whether this operation may be tried now.
    ///
    /// - Parameters:
    ///   - isAtOnce: whether to ignore the time that was set after the last failure.
    ///   - knowsDestination: whether there is a handler for the operation's destination.
    func readiness(now: Date, isAtOnce: Bool, knowsDestination: Bool) -> Readiness {
        if waitsForUser { return .waitsForUser }
        if !knowsDestination { return .unknownDestination }
        let remaining = isAtOnce ? 0 : Backoff.remaining(self, now: now)
        return remaining > 0 ? .wait(remaining) : .ready
    }

    /// Records a failed attempt that may be repeated after `delay` seconds.
    ///
    /// - Parameter mayHaveArrived: whether this attempt or an earlier one may have reached the receiver.
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

    /// Records a failed attempt that is not repeated before the user has done something.
    ///
    /// - Parameter mayHaveArrived: whether an earlier attempt may have reached the receiver.
    package mutating func waitForUser(_ reason: String, mayHaveArrived: Bool = false, at date: Date) {
        fail(attempts: attemptCount + 1, reason, delay: 0, isNetwork: false, mayHaveArrived: mayHaveArrived, at: date)
        nextEligibleAt = nil
        waitsForUser = true
    }

    /// Whether the clock was set back since the last attempt, so that the times in the file are no longer valid.
    func isAheadOfClock(_ now: Date) -> Bool { nextEligibleAt != nil && lastAttemptAt.map { $0 > now } ?? false }

    /// Dates the last attempt to `now` if the clock was set back, so that the delay counts from now and comes to an end.
    mutating func followClock(_ now: Date) {
        guard isAheadOfClock(now) else { return }
        nextEligibleAt = now + Backoff.remaining(self, now: now)
        lastAttemptAt = now
        firstFailedAt = firstFailedAt.map { min($0, now) }
    }

    /// Records that an attempt outside of a drain has failed, which delays the next one not at all.
    ///
    /// - Parameter reason: why, as a sentence for people that never holds what was said.
    public mutating func noteFailure(_ reason: String, at date: Date) {
        fail(attempts: attemptCount + 1, reason, delay: 0, isNetwork: false, mayHaveArrived: mayHaveArrived, at: date)
        nextEligibleAt = nil
    }

    /// How long the operation is not tried yet, in seconds, by a clock that says `now`; 0 when it may be tried.
    ///
    /// This is never more than the delay after the last attempt, also where the clock was set back since.
    public func delay(at now: Date) -> Double { Backoff.remaining(self, now: now) }

    /// Makes the operation ready to be tried at once, because the user asked for it. The record of earlier failures stays.
    public mutating func retry() {
        nextEligibleAt = nil
        waitsForUser = false
    }
}
