import Glibc

/// The real-time priority of a thread that reads a device.
package enum RealTimePriority {
    /// Requests the priority for the calling thread. pthread_setschedparam(3)
    ///
    /// - Returns: whether the system grants it.
    static func take() -> Bool { set(SCHED_FIFO, 10) }

    /// Whether the system would grant the priority to a thread of this process.
    package static func isGranted() -> Bool {
        guard take() else { return false }
        _ = set(SCHED_OTHER, 0)
        return true
    }

    private static func set(_ policy: Int32, _ number: Int32) -> Bool {
        var priority = sched_param()
        priority.sched_priority = number
        return pthread_setschedparam(pthread_self(), policy, &priority) == 0
    }
}
