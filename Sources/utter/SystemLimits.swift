import Audio
import Glibc

/// The limits that the system sets to this process (setrlimit(2)), looked at before a command begins: what is not enough for it is said in
/// a sentence. In its midst a want of memory, threads or descriptors shows itself as something else, if it can be said at all.
enum SystemLimits {
    /// What a command opens at the same time: pipes of Dispatch, of a sound server and of programs, files of the model, in- and output.
    /// Where Dispatch gets none it ends the process in the middle of what it does.
    private static let descriptorCount = 40
    /// Stacks of some threads, and what they work on; the model's own need is asked when it is loaded.
    private static let memory = 64 << 20

    /// Threads of Dispatch, of the recognizer and of a sound server.
    private static let threadCount = 12

    /// What is not even enough to begin, as a sentence; nil when it is. To be asked before anything is awaited.
    static var obstacle: String? {
        if !hasDescriptors() {
            return "too many open files: \(descriptorCount) more are needed; allow this program more with ulimit -n"
        }
        if !hasThreads() { return "too many threads: \(threadCount) more are needed; allow this user more with ulimit -u" }
        if !hasMemory() { return "out of memory: \(memory >> 20) MB more are needed; allow this program more with ulimit -v" }
        return nil
    }

    /// No core file: it would hold what was said, in a folder where nobody expects that. A debugger can be attached all the same, and
    /// whoever wants a core file sets the limit from outside (`prlimit --core=unlimited --pid`).
    static func writeNoCoreFile() {
        var limit = rlimit()
        guard getrlimit(core, &limit) == 0 else { return }
        limit.rlim_cur = 0
        setrlimit(core, &limit)
    }

    private static let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)

    /// Takes them and gives them back. fcntl(2)
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

    /// Starts them, which wait for each other, and lets them end. pthread_create(3)
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

    /// Takes it and gives it back. mmap(2)
    private static func hasMemory() -> Bool {
        let taken = mmap(nil, memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let taken, taken != MAP_FAILED else { return false }
        munmap(taken, memory)
        return true
    }
}
