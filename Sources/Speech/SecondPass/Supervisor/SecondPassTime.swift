import Dispatch

/// The clock of the second pass. Tests have their own, which goes on when they say so.
struct SecondPassTime: Sendable {
    var now: @Sendable () -> Duration
    /// Calls `body` at that time or a little later.
    var wake: @Sendable (_ time: Duration, _ body: @escaping @Sendable () -> Void) -> Void

    /// It stands still while the computer sleeps.
    static let system: SecondPassTime = {
        let start = SuspendingClock.now
        let now: @Sendable () -> Duration = { SuspendingClock.now - start }
        return SecondPassTime(now: now) { time, body in
            let nanoseconds = max(.zero, time - now()) / .nanoseconds(1)
            DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(min(nanoseconds, 1e15)) + 1_000_000), execute: body)
        }
    }()
}
