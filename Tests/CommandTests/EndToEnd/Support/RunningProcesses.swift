import Foundation
import Glibc
import TestSupport

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
