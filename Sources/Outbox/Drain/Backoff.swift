import Foundation

/// How long to wait after a failure. Pure.
enum Backoff {
    /// In seconds.
    static let ceiling = 600.0
    /// So much is added at most, as a part of the delay, so that many who failed together don't come back together.
    static let jitter = 0.3
    /// A receiver may ask for a longer pause than the ceiling, up to a day.
    static let longestPause = 86_400.0

    /// Seconds until the next attempt: 2ⁿ up to the ceiling, and up to 30 % more.
    ///
    /// - Parameters:
    ///   - attemptCount: how many have failed; at least 1.
    ///   - random: from 0 to 1.
    static func delay(afterAttempts attemptCount: Int, pause: Double? = nil, random: Double) -> Double {
        precondition(attemptCount >= 1)
        let base = attemptCount < 10 ? min(ceiling, Double(1 << attemptCount)) : ceiling
        return max(base, min(pause ?? 0, longestPause)) * (1 + jitter * random)
    }

    /// Seconds that are left until an operation may be tried, by what is on the disk.
    ///
    /// When the clock was put back since the last attempt, the whole delay counts from now, and never more than that.
    static func remaining(_ operation: OutboxOperation, now: Date) -> Double {
        guard let next = operation.nextEligibleAt, next > now else { return 0 }
        let remaining = next.timeIntervalSince(now)
        guard let last = operation.lastAttemptAt else { return min(remaining, ceiling) }
        let delay = next.timeIntervalSince(last)
        return max(0, min(remaining, delay, longestPause * (1 + jitter)))
    }
}
