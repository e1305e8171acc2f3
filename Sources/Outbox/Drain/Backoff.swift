import Foundation

/// How long to wait after a failed attempt. Pure.
enum Backoff {
    /// The longest delay, in seconds, that attempts alone lead to.
    static let ceiling = 600.0
    /// The largest random addition, as a fraction of the delay, so that operations that failed together are not repeated together.
    static let jitter = 0.3
    /// The longest pause, in seconds, that a receiver may ask for: a day.
    static let longestPause = 86_400.0

    /// The delay, in seconds, until the next attempt: 2ⁿ up to the ceiling, and up to 30 % more.
    ///
    /// - Parameters:
    ///   - attemptCount: how many attempts have failed; at least 1.
    ///   - pause: the pause, in seconds, that the receiver asked for.
    ///   - random: a random number from 0 to 1.
    static func delay(afterAttempts attemptCount: Int, pause: Double? = nil, random: Double) -> Double {
        precondition(attemptCount >= 1)
        let base = attemptCount < 10 ? min(ceiling, Double(1 << attemptCount)) : ceiling
        return max(base, min(pause ?? 0, longestPause)) * (1 + jitter * random)
    }

    /// The time, in seconds, until an operation may be tried, according to the dates in its file.
    ///
    /// If the clock was set back since the last attempt, this is at most the whole delay, counted from now.
    static func remaining(_ operation: OutboxOperation, now: Date) -> Double {
        guard let next = operation.nextEligibleAt, next > now else { return 0 }
        let remaining = next.timeIntervalSince(now)
        guard let last = operation.lastAttemptAt else { return min(remaining, ceiling) }
        let delay = next.timeIntervalSince(last)
        return max(0, min(remaining, delay, longestPause * (1 + jitter)))
    }
}
