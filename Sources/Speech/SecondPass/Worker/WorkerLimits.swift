import Glibc
import System

/// The limits of a worker.
enum WorkerLimits {
    /// Makes this process the first that the kernel kills when memory is short, since another can do its work again, and
    /// applies `Memory.limitProcess()`. proc_pid_oom_score_adj(5)
    static func set() {
        Memory.limitProcess()
        let file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        if file >= 0 {
            _ = write(file, "500", 3)
            close(file)
        }
    }
}
