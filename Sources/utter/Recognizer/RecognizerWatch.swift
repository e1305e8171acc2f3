import Audio
import Foundation
import Glibc
import Speech
import Synchronization

/// Sees when the recognizer has stopped: when one of its calls goes on for so long as no call on a whole model does. The time in which
/// it reads files is not counted, since large models load slowly from slow disks, nor the time in which others have the processor. Pure.
struct RecognizerWatch {
    /// What is known of one call.
    struct Look: Equatable {
        /// The call's number.
        var call: Int
        /// Processor time that its thread has used in all, in seconds.
        var processorTime: Double
        /// Bytes that its thread has read in all.
        var bytesRead: Int
    }

    private struct Progress {
        var last: Look
        /// Without any progress, in seconds.
        var elapsed = 0.0
    }

    /// So much processor time in one call without reading, in seconds. A call decodes a tenth of a second of sound, or ends an utterance
    /// of twenty seconds at most.
    static let maximumProcessorTime = 8.0
    /// The same in time as it passes, for a call that waits.
    static let maximumTime = 60.0
    /// Fewer bytes than that are no progress.
    private static let leastBytes = 1 << 16

    private var calls: [Int: Progress] = [:]
    private var lastTime: Double?

    /// - Parameters:
    ///   - looks: at each call that has not returned.
    ///   - time: in seconds on any clock that only goes forward.
    mutating func hasStopped(_ looks: [Look], time: Double) -> Bool {
        // The process itself may have been stopped, or the computer asleep.
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
            return look.processorTime - progress.last.processorTime >= Self.maximumProcessorTime || progress.elapsed >= Self.maximumTime
        }
    }
}

extension RecognizerWatch {
    private static let stopped = Atomic(false)
    /// Looks at the calls of this process again and again, from the first time that somebody wants to know.
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

    /// Whether a call of this process has been seen to stop.
    static var hasStopped: Bool { stopped.load(ordering: .acquiring) }

    /// Returns when a call of this process has stopped, or the task is cancelled.
    ///
    /// - Returns: whether one has stopped.
    static func wait() async -> Bool {
        _ = watching
        while !hasStopped {
            if (try? await Task.sleep(for: .milliseconds(100))) == nil { return false }
        }
        return true
    }
}

extension RecognizerWatch.Look {
    /// - Returns: nil when the thread has gone.
    fileprivate init?(_ running: EngineCall.Running) {
        // How the kernel makes the number of a thread's clock; there is no function for a thread's id. clock_gettime(2)
        var time = timespec()
        if clock_gettime(~running.thread << 3 | 6, &time) != 0 { return nil }
        call = running.number
        processorTime = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        bytesRead = 0
        // proc_pid_io(5)
        guard case .content(let file) = SmallFile.read("/proc/self/task/\(running.thread)/io") else { return }
        let line = String(decoding: file, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("rchar: ") }
        bytesRead = line.flatMap { Int($0.dropFirst(7)) } ?? 0
    }
}
