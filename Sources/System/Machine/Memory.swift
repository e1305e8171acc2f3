import Glibc

/// The machine's memory, in bytes.
package enum Memory {
    /// The memory that programs can still allocate, swap included.
    package static var available: Int? { sum(["MemAvailable:", "SwapFree:"]) }

    /// The memory of the machine, without swap.
    package static var total: Int? { sum(["MemTotal:"]) }

    /// Whether this process may allocate so many bytes: maps them and unmaps them. mmap(2)
    package static func canTake(_ byteCount: Int) -> Bool {
        let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { return false }
        munmap(memory, byteCount)
        return true
    }

    /// The sum of lines of proc_meminfo(5); nil if it has none of them.
    private static func sum(_ names: [String]) -> Int? {
        guard let file = SmallFile.content(of: "/proc/meminfo", limit: 1 << 16) else { return nil }
        let lines = String(decoding: file, as: UTF8.self).split(separator: "\n")
        let kilobytes = names.compactMap { name in
            lines.first { $0.hasPrefix(name) }.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap {
                Int($0)
            }
        }
        return kilobytes.isEmpty ? nil : kilobytes.reduce(0, +) << 10
    }

    /// The address space that this process uses. proc_pid_statm(5)
    package static var used: Int? {
        guard let file = SmallFile.content(of: "/proc/self/statm", limit: 1 << 12) else { return nil }
        return String(decoding: file, as: UTF8.self).split(separator: " ").first.flatMap { Int($0) }.map {
            $0 * Int(getpagesize())
        }
    }

    /// Limits this process, a worker that runs a model. It writes no core file, which would contain what was said; it
    /// can't take more memory than is available, and it is the first that the kernel kills when memory is short, since another can do
    /// its work again. setrlimit(2), proc_pid_oom_score_adj(5)
    package static func limitProcess() {
        let file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        if file >= 0 {
            _ = write(file, "500", 3)
            close(file)
        }
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        guard let available, let used else { return }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_cur, rlim_t(used + available))
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    }
}
