import Dispatch

/// A serial executor with a queue of its own, for work that computes or blocks for long: decoding, reading a pipe. Such
/// work must not sit on the cooperative pool, which has one thread a core and serves every other task.
public final class SerialDispatchExecutor: SerialExecutor {
    private let queue: DispatchQueue

    public init(label: String) {
        queue = DispatchQueue(label: label)
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let unownedJob = UnownedJob(job)
        queue.async { unownedJob.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
}
