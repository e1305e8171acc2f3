import Glibc

/// The clock that only goes forward, also while the machine sleeps.
package enum BootClock {
    /// clock_gettime(CLOCK_BOOTTIME)
    package static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
