/// Wakes a drainer at one time, the next that counts.
struct DrainAlarm {
    private let clock: any DrainClock
    private let ring: @Sendable () -> Void
    private var pending: (time: Duration, task: Task<Void, Never>)?

    init(_ clock: any DrainClock, ring: @escaping @Sendable () -> Void) {
        (self.clock, self.ring) = (clock, ring)
    }

    /// - Parameter time: nil for none.
    mutating func set(for time: Duration?) {
        if pending?.time == time { return }
        pending?.task.cancel()
        pending = time.map { [clock, ring] time in
            let task = Task {
                await clock.sleep(until: time)
                ring()
            }
            return (time, task)
        }
    }

    mutating func hasRung() { pending = nil }
}

/// When what couldn't reach its receiver is tried again after the network has changed. Pure.
struct NetworkReturn {
    private(set) var wakeTime: Duration?
    private var last: Duration?

    /// A link, an address and a route come one after another; only the last of them makes it a network.
    mutating func changed(at now: Duration) {
        wakeTime = max(now + .milliseconds(250), last.map { $0 + .seconds(5) } ?? .zero)
    }

    /// Whether it is tried now.
    mutating func isDue(at now: Duration) -> Bool {
        guard let time = wakeTime, time <= now else { return false }
        (wakeTime, last) = (nil, now)
        return true
    }
}
