import Dispatch
import Synchronization

/// What makes the runs of models stop: libtranscribe asks again and again during a run, on its thread.
final class Interruption: Sendable {
    /// Whether the run is not wanted any more. Any thread may set it.
    let isCancelled = Atomic(false)
    /// When a run has taken too long, in nanoseconds of the monotonic clock.
    private let deadline = Atomic(UInt64.max)

    /// Whether the run is to stop.
    var isDue: Bool {
        if isCancelled.load(ordering: .relaxed) { return true }
        let deadline = deadline.load(ordering: .relaxed)
        return deadline != .max && DispatchTime.now().uptimeNanoseconds > deadline
    }

    /// Sets how long the runs from now on may take together; nil for as long as they like.
    func setLimit(_ limit: Duration?) {
        let now = DispatchTime.now().uptimeNanoseconds
        deadline.store(limit.map { now + UInt64($0 / .nanoseconds(1)) } ?? .max, ordering: .relaxed)
    }
}
