import Dispatch

/// The clock of the second pass, which tests replace by one that they advance.
struct SecondPassTime: Sendable {
    /// The current time.
    var now: @Sendable () -> Duration
    /// Calls `body` at `time` or a little later.
    var wake: @Sendable (_ time: Duration, _ body: @escaping @Sendable () -> Void) -> Void

    /// The system's clock, which stops while the machine sleeps.
    static let system: SecondPassTime = {
        let start = SuspendingClock.now
        let now: @Sendable () -> Duration = { SuspendingClock.now - start }
        return SecondPassTime(now: now) { time, body in
            let nanoseconds = max(.zero, time - now()) / .nanoseconds(1)
            DispatchQueue.global().asyncAfter(
                deadline: .now() + .nanoseconds(Int(min(nanoseconds, 1e15)) + 1_000_000), execute: body)
        }
    }()
}
