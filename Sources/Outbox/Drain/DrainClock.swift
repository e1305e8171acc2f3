import Foundation
import System

/// The two clocks of the drainer: the wall clock and one that never jumps. Tests replace them.
protocol DrainClock: Sendable {
    /// The time of the wall clock, which may jump.
    var date: Date { get }
    /// The time of a clock that never goes back and counts on while the machine sleeps.
    var now: Duration { get }
    /// Returns when `now` reaches `time`, or when the task is cancelled.
    func sleep(until time: Duration) async
}

struct SystemDrainClock: DrainClock {
    var date: Date { Date() }

    var now: Duration { BootClock.now }

    func sleep(until time: Duration) async {
        // A timer stops while the machine sleeps, so none runs longer than a minute.
        while now < time, !Task.isCancelled {
            do { try await Task.sleep(for: min(time - now, .seconds(60))) } catch { return }
        }
    }
}
