import Foundation
import Glibc
import Testing

/// What the system says of processes. proc(5)
package enum ProcessTable {
    /// The child processes of one, including zombies.
    package static func children(of process: pid_t = getpid()) -> [pid_t] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return tasks.flatMap { task in
            let line = (try? String(contentsOfFile: "/proc/\(process)/task/\(task)/children", encoding: .utf8)) ?? ""
            return line.split(separator: " ").compactMap { pid_t($0) }
        }
    }

    /// The state of a process: T when it was stopped, Z when nobody has asked for its end; nil when it is gone.
    package static func state(of process: pid_t) -> Character? {
        let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return line?.split(separator: ")").last?.dropFirst().first
    }

    /// Whether a process has ended; that nobody has asked for its status is no life.
    package static func hasEnded(_ process: pid_t) -> Bool { [nil, "Z"].contains(state(of: process)) }
}

/// Waits until the process of a descriptor has ended, and closes that.
package func waitForEnd(_ descriptor: Int32) {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&wait, 1, Patience.milliseconds) == 1)
    close(descriptor)
}
