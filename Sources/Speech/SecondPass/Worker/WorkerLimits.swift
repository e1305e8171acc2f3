import Glibc
import System

/// The limits of a worker.
enum WorkerLimits {
    /// Lowers the priority of this process below the first pass's, makes it the first that the kernel kills when memory
    /// is short, and applies `Memory.limitProcess()`. setpriority(2), proc_pid_oom_score_adj(5)
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
