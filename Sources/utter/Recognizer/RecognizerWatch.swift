import Foundation
import Glibc
import Speech
import Synchronization
import System

/// Detects that the recognizer has stopped: one of its calls takes longer than any call on an intact model. Time in which it reads
/// files does not count, since large models load slowly from slow disks, nor does time in which others have the processor. Pure.
struct RecognizerWatch {
    /// The state of one call.
    struct Look: Equatable {
        /// The call's number.
        var call: Int
        /// The processor time that the call's thread has used since its start, in seconds.
        var processorTime: Double
        /// The number of bytes that the call's thread has read since its start.
        var bytesRead: Int
    }

    private struct Progress {
        var last: Look
        /// The time without progress, in seconds.
        var elapsed = 0.0
    }

    /// The most processor time, in seconds, that a call may use without reading. A call decodes a tenth of a second of sound, or ends
    /// an utterance of at most twenty seconds.
    static let maximumProcessorTime = 8.0
    /// The longest time, in seconds, that a call may take without reading, for a call that waits.
    static let maximumTime = 60.0
    /// The fewest bytes read that count as progress.
    private static let leastBytes = 1 << 16

    private var calls: [Int: Progress] = [:]
    private var lastTime: Double?

    /// Whether a call has stopped.
    ///
    /// - Parameters:
    ///   - looks: the state of each call that has not returned.
    ///   - time: the time, in seconds, of any clock that never goes back.
    mutating func hasStopped(_ looks: [Look], time: Double) -> Bool {
        // At most a second, for the process may have been stopped, or the computer asleep.
        let step = min(max(0, time - (lastTime ?? time)), 1)
        lastTime = time
        var next: [Int: Progress] = [:]
        for look in looks {
            guard var progress = calls[look.call], look.bytesRead - progress.last.bytesRead < Self.leastBytes else {
                next[look.call] = Progress(last: look)
                continue
            }
            progress.elapsed += step
            next[look.call] = progress
        }
        calls = next
        return looks.contains { look in
            guard let progress = next[look.call] else { return false }
            return look.processorTime - progress.last.processorTime >= Self.maximumProcessorTime
                || progress.elapsed >= Self.maximumTime
        }
    }
}

extension RecognizerWatch {
    private static let stopped = Atomic(false)
    /// Watches the calls of this process five times a second, from the first call of `wait()` on.
    private static let watching: Void = {
        Task {
            var watch = RecognizerWatch()
            let clock = SuspendingClock()
            let start = clock.now
            while !watch.hasStopped(EngineCall.running.compactMap(Look.init), time: (clock.now - start) / .seconds(1)) {
                try? await Task.sleep(for: .milliseconds(200))
            }
            stopped.store(true, ordering: .releasing)
        }
    }()

    /// Whether a call of this process has stopped.
    static var hasStopped: Bool { stopped.load(ordering: .acquiring) }

    /// Waits until a call of this process has stopped, or the task is cancelled.
    ///
    /// - Returns: whether a call has stopped.
    static func wait() async -> Bool {
        _ = watching
        while !hasStopped {
            if (try? await Task.sleep(for: .milliseconds(100))) == nil { return false }
        }
        return true
    }
}

extension RecognizerWatch.Look {
    /// Reads the state of a running call. clock_gettime(2), proc_pid_io(5)
    ///
    /// - Returns: nil when its thread has ended.
    fileprivate init?(_ running: EngineCall.Running) {
        // The kernel's number for a thread's processor clock; the C library has no function that takes a thread id.
        var time = timespec()
        if clock_gettime(~running.thread << 3 | 6, &time) != 0 { return nil }
        call = running.number
        processorTime = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        bytesRead = 0
        guard case .content(let file) = SmallFile.read("/proc/self/task/\(running.thread)/io") else { return }
        let line = String(decoding: file, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("rchar: ") }
        bytesRead = line.flatMap { Int($0.dropFirst(7)) } ?? 0
    }
}
