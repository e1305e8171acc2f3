import Glibc
import System

/// Chooses how many threads a decoding gets, one or two. Two are half as fast again on an idle machine. Where other programs
/// compute they are four times slower, because each waits for the other with a full core: measured with tiny.en beside eight
/// programs on two cores, 8 s in place of 2.
struct ThreadChoice {
    let most: Int
    private let cores: Int
    /// The number of decodings for which one thread is used, because two were held up.
    private var fewer = 0

    /// The share of the threads' time on a processor below which they were held up.
    private static let leastShare = 0.75
    /// The number of decodings after which two threads are tried again.
    private static let patience = 8

    /// - Parameter most: the most threads, at least 1.
    init(most: Int, cores: Int) { (self.most, self.cores) = (most, cores) }

    /// Returns the number of threads for the next decoding.
    ///
    /// - Parameter running: the number of threads in the whole system that compute now, with the one that asks.
    mutating func next(running: Int) -> Int {
        if fewer > 0 {
            fewer -= 1
            return 1
        }
        return max(1, min(most, cores - (running - 1)))
    }

    /// Notes how a decoding went: the processor's time that it took, and the time that has passed, in seconds.
    mutating func note(threads: Int, processorTime: Double, elapsed: Double) {
        if threads > 1, processorTime < Self.leastShare * elapsed * Double(threads) { fewer = Self.patience }
    }

    /// The number of threads in the whole system that compute now. proc_stat(5)
    static var running: Int {
        guard case .content(let file) = SmallFile.read("/proc/stat") else { return 1 }
        let line = String(decoding: file, as: UTF8.self).split(separator: "\n").last { $0.hasPrefix("procs_running ") }
        return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 1
    }

    /// The processor's time of this process, in seconds. clock_gettime(2)
    static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
