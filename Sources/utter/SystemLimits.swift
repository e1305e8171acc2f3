import Glibc
import System

/// Checks the limits of this process (setrlimit(2)) before a command begins, so that a limit that is too low is reported clearly.
/// Later, a lack of memory, threads or descriptors looks like another error, or can't be reported at all.
enum SystemLimits {
    /// The number of descriptors that a command opens at the same time: pipes of Dispatch, of a sound server and of programs, files of
    /// the model, input and output. Dispatch ends the process when it gets none.
    private static let descriptorCount = 40
    /// The number of threads of Dispatch, of the recognizer and of a sound server. Dispatch waits for ever when it gets none.
    private static let threadCount = 12
    /// The memory, in bytes, for data and for the stacks of these threads, 8 MB each. The model's own need is checked when it is loaded.
    private static let memory = (64 + 8 * threadCount) << 20

    /// A sentence about a limit that is too low to begin; nil when there is none. Read this before anything is awaited.
    static var obstacle: String? {
        if !hasDescriptors() {
            return "too many open files: \(descriptorCount) more are needed; allow this program more with ulimit -n"
        }
        if !hasThreads() {
            return "too many threads: \(threadCount) more are needed; allow this user more with ulimit -u"
        }
        if !Memory.canTake(memory) {
            return "out of memory: \(memory >> 20) MB more are needed; allow this program more with ulimit -v"
        }
        return nil
    }

    /// Turns core files off, which would hold what was said, in a folder where nobody expects it. A debugger can still be attached, and
    /// `prlimit --core=unlimited --pid` turns core files on again. setrlimit(2)
    static func writeNoCoreFile() {
        var limit = rlimit()
        guard getrlimit(core, &limit) == 0 else { return }
        limit.rlim_cur = 0
        setrlimit(core, &limit)
    }

    private static let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)

    /// Whether `descriptorCount` descriptors can be opened; closes them again. fcntl(2)
    private static func hasDescriptors() -> Bool {
        var taken: [Int32] = []
        defer { for descriptor in taken { close(descriptor) } }
        for _ in 0..<descriptorCount {
            let descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
            if descriptor < 0 { return false }
            taken.append(descriptor)
        }
        return true
    }

    /// Whether `threadCount` threads can run at the same time; ends them again. pthread_create(3)
    private static func hasThreads() -> Bool {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, 1 << 16)
        let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        defer { gate.deallocate() }
        pthread_mutex_init(gate, nil)
        defer { pthread_mutex_destroy(gate) }
        pthread_mutex_lock(gate)
        var threads: [pthread_t] = []
        while threads.count < threadCount {
            var thread = pthread_t()
            let code = pthread_create(
                &thread, &attributes,
                { gate in
                    let gate = gate!.assumingMemoryBound(to: pthread_mutex_t.self)
                    pthread_mutex_lock(gate)
                    pthread_mutex_unlock(gate)
                    return nil
                }, gate)
            if code != 0 { break }
            threads.append(thread)
        }
        pthread_mutex_unlock(gate)
        for thread in threads { pthread_join(thread, nil) }
        return threads.count == threadCount
    }
}
