import Foundation
import Testing

/// The memory, threads and descriptors of this process.
struct ProcessFigures: CustomStringConvertible {
    var threads: Int
    var descriptors: Int
    /// The resident memory, in bytes.
    var residentMemory: Int

    var description: String { "\(threads) threads, \(descriptors) descriptors, \(residentMemory / 1024) KiB resident" }

    static var now: ProcessFigures {
        func entries(_ folder: String) -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: folder))?.count ?? -1
        }
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
        return ProcessFigures(
            threads: entries("/proc/self/task"), descriptors: entries("/proc/self/fd"), residentMemory: kibibytes * 1024
        )
    }
}

/// Ends a test's process with a reason, which the parent prints with the test's failure.
func fail(_ reason: String) -> Never {
    Issue.record("\(reason)")
    fflush(nil)
    exit(1)
}
