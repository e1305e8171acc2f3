import Audio
import Glibc

/// What a worker takes of the machine.
enum WorkerLimits {
    /// Gives way to the first pass, and is the first that the kernel ends when there is no memory left; and see `Memory.limitProcess()`.
    /// setpriority(2), proc_pid_oom_score_adj(5)
    static func set() {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        Memory.limitProcess()
        let file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        if file >= 0 {
            _ = write(file, "500", 3)
            close(file)
        }
    }
}
