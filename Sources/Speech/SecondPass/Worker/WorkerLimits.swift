import Audio
import Foundation
import Glibc

/// What a worker takes of the machine.
enum WorkerLimits {
    /// Gives way to the first pass; writes no core file, which would hold what was said; takes no more memory than there is, and is the
    /// first that the kernel ends when there is none left. setpriority(2), setrlimit(2), proc_pid_oom_score_adj(5)
    static func set() {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        if let available, let used {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            limit.rlim_cur = min(limit.rlim_cur, rlim_t(used + available))
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        }
        let file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        if file >= 0 {
            _ = write(file, "500", 3)
            close(file)
        }
    }

    /// What a program may still take, in bytes. proc_meminfo(5)
    private static var available: Int? {
        guard let file = SmallFile.content(of: "/proc/meminfo", limit: 1 << 16) else { return nil }
        let lines = String(decoding: file, as: UTF8.self).split(separator: "\n")
        let kilobytes = ["MemAvailable:", "SwapFree:"].compactMap { name in
            lines.first { $0.hasPrefix(name) }.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) }
        }
        return kilobytes.isEmpty ? nil : kilobytes.reduce(0, +) << 10
    }

    /// How much address space this process has taken, in bytes. proc_pid_statm(5)
    private static var used: Int? {
        guard let file = SmallFile.content(of: "/proc/self/statm", limit: 1 << 12) else { return nil }
        return String(decoding: file, as: UTF8.self).split(separator: " ").first.flatMap { Int($0) }.map { $0 * Int(getpagesize()) }
    }
}
