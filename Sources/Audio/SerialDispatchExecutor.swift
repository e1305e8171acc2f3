import Dispatch

/// A serial executor with a queue of its own, for work that computes or blocks for long: decoding, reading a pipe. Such
/// work must not sit on the cooperative pool, which has one thread a core and serves every other task.
public final class SerialDispatchExecutor: SerialExecutor {
    /// What the work is like.
    public enum Work: Sendable {
        /// Uses a core as long as it runs. All such executors together have no more threads than there are cores, so that
        /// there is never memory for more at once either.
        case computing
        /// Waits for others at times. Each such executor has a thread.
        case waiting
    }

    private let queue: DispatchQueue
    /// For a task that does little but feed the actor of this executor, as the preference that its own code runs here too. From
    /// the pool, each call of the actor would change threads twice; and the pieces with which Dispatch does that are made on this
    /// thread, in the midst of the actor's own memory, and then kept by the pool's threads, a thousand each.
    public let tasks: any TaskExecutor

    public init(label: String, for work: Work = .waiting) {
        let target: DispatchQueue? =
            switch work {
            // The global queues have as many threads as there are cores, unless some of them are stuck. The one of this class is not
            // what tasks of usual priorities run on.
            case .computing: .global(qos: .userInteractive)
            case .waiting: nil
            }
        queue = DispatchQueue(label: label, target: target)
        tasks = Tasks(queue: queue)
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let unownedJob = UnownedJob(job)
        queue.async { unownedJob.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    private final class Tasks: TaskExecutor {
        private let queue: DispatchQueue

        init(queue: DispatchQueue) { self.queue = queue }

        func enqueue(_ job: consuming ExecutorJob) {
            let unownedJob = UnownedJob(job)
            // As a task, not as the actor: a call of the actor then waits its turn behind those of others.
            queue.async { unownedJob.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}
