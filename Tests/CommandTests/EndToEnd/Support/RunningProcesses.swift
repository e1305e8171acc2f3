import Foundation
import Glibc
import TestSupport
import Testing

/// Waits until nothing is left in a pipe or terminal.
func waitUntilRead(_ descriptor: Int32) throws {
    try Patience.waitOnThread(for: "all is read") {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) != 0 || count == 0
    }
}

/// The running processes that have `text` on their command line.
func processes(naming text: String) -> [(id: Int, line: String)] {
    let numbers = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int($0) }
    return numbers.compactMap { id in
        let line = FileManager.default.contents(atPath: "/proc/\(id)/cmdline").map {
            String(decoding: $0, as: UTF8.self)
        }
        return line.flatMap { $0.contains(text) ? (id, $0) : nil }
    }
}

/// The path under /proc of a nameless file in `folder` that a process has open; nil when there is none.
func unnamedFile(of process: pid_t, in folder: String) -> String? {
    let descriptors = "/proc/\(process)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
    return names.map { "\(descriptors)/\($0)" }.first { path in
        let target = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? ""
        return target.hasPrefix(folder + "/#") && target.hasSuffix(" (deleted)")
    }
}

/// The ffmpeg processes that have a file as their standard input.
func converters(of path: String) -> [Int] {
    processes(naming: "file:/dev/fd/0").map(\.id).filter { id in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(id)/fd/0")) == path
    }
}

/// The signals that a process has blocked, as a bit mask; nil when it is gone.
func blockedSignals(of process: Int) -> UInt64? {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
    return line.flatMap { UInt64($0.split(separator: "\t")[1], radix: 16) }
}

/// The environment of a process; nil if it has ended, or is another user's.
func environmentVariables(of process: pid_t) -> Data? {
    while true {
        let wasStarting = isStarting(process)
        guard let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ") else { return nil }
        if !environment.isEmpty || !wasStarting && !isStarting(process) { return environment }
        sched_yield()
    }
}

/// Whether a process is within execve(2), where its environment looks empty: its parent, which may have ended already, goes on
/// at the beginning of that.
private func isStarting(_ process: pid_t) -> Bool {
    // A process that has ended, and a thread of the kernel, have no program. In the 51st field is the end of the environment, see
    // proc(5); after the name, which may contain spaces, is the third.
    guard (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")) != nil,
        let fields = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).split(separator: ")")
            .last?
            .split(separator: " ")
    else { return false }
    return fields.count > 48 && fields[48] == "0"
}

/// Opens a descriptor of any process. pidfd_open(2), which is not in the Glibc module
let pidDescriptor = unsafeBitCast(dlsym(nil, "pidfd_open")!, to: (@convention(c) (pid_t, UInt32) -> Int32).self)
