import Glibc

/// The machine's memory, in bytes.
package enum Memory {
    /// What a program may still take. proc_meminfo(5)
    package static var available: Int? {
        guard let file = SmallFile.content(of: "/proc/meminfo", limit: 1 << 16) else { return nil }
        let lines = String(decoding: file, as: UTF8.self).split(separator: "\n")
        let kilobytes = ["MemAvailable:", "SwapFree:"].compactMap { name in
            lines.first { $0.hasPrefix(name) }.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) }
        }
        return kilobytes.isEmpty ? nil : kilobytes.reduce(0, +) << 10
    }

    /// How much address space this process has taken. proc_pid_statm(5)
    package static var used: Int? {
        guard let file = SmallFile.content(of: "/proc/self/statm", limit: 1 << 12) else { return nil }
        return String(decoding: file, as: UTF8.self).split(separator: " ").first.flatMap { Int($0) }.map { $0 * Int(getpagesize()) }
    }

    /// Limits this process, which computes with a model for another one: it writes no core file, which would hold what was said, and takes
    /// no more memory than there is, for which the kernel would end others. setrlimit(2)
    package static func limitProcess() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        guard let available, let used else { return }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_cur, rlim_t(used + available))
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    }
}
