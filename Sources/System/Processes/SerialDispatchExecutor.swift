import Dispatch

/// A serial executor with its own queue, for work that computes or blocks for long, such as decoding or reading a pipe.
/// Such work must not run on the cooperative pool, which has one thread per core and runs every other task.
public final class SerialDispatchExecutor: SerialExecutor {
    /// The kind of work that an executor runs.
    public enum Work: Sendable {
        /// Computing. All such executors share as many threads as there are cores, which also limits the memory that is
        /// in use at once.
        case computing
        /// Waiting, at times, for other processes or devices. Each such executor has its own thread.
        case waiting
    }

    private let queue: DispatchQueue
    /// An executor preference for a task that does little but call the actor of this executor: the task's own code then
    /// runs on the same queue. On the pool, each call of the actor would change threads twice, and Dispatch would
    /// allocate what it needs for that in between the actor's own memory and keep it in the pool's threads, a thousand
    /// pieces each.
    public let tasks: any TaskExecutor

    /// Creates an executor.
    ///
    /// - Parameters:
    ///   - label: the label of the queue, for debuggers.
    ///   - work: the kind of work that the executor runs.
    public init(label: String, for work: Work = .waiting) {
        let target: DispatchQueue? =
            switch work {
            // A global queue has as many threads as there are cores, unless some are blocked. Tasks of the usual
            // priorities do not use the queue of this class.
            case .computing: .global(qos: .userInteractive)
            case .waiting: nil
            }
        queue = DispatchQueue(label: label, target: target)
        tasks = Tasks(queue: queue)
    }

    /// Runs `job` on the queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        let unownedJob = UnownedJob(job)
        queue.async { unownedJob.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// This executor, as the concurrency runtime refers to it.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    private final class Tasks: TaskExecutor {
        private let queue: DispatchQueue

        package init(queue: DispatchQueue) { self.queue = queue }

        package func enqueue(_ job: consuming ExecutorJob) {
            let unownedJob = UnownedJob(job)
            // Run the job as a task, not as the actor, so that its calls of the actor wait their turn after those of
            // others.
            queue.async { unownedJob.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}
