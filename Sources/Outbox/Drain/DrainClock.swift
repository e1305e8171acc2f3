import Foundation
import Glibc

/// The two clocks of the drainer, so that tests can have their own.
protocol DrainClock: Sendable {
    /// What the wall says. It may jump.
    var date: Date { get }
    /// Only goes forward, also while the machine sleeps.
    var now: Duration { get }
    /// Returns at that time, or when the task is cancelled.
    func sleep(until time: Duration) async
}

struct SystemDrainClock: DrainClock {
    var date: Date { Date() }

    /// clock_gettime(CLOCK_BOOTTIME)
    var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    func sleep(until time: Duration) async {
        // A timer stands still while the machine sleeps, so it is never set for long.
        while now < time, !Task.isCancelled {
            do { try await Task.sleep(for: min(time - now, .seconds(60))) } catch { return }
        }
    }
}
