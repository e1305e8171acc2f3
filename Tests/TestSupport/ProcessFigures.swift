import Foundation
import Glibc
import TestEnvironment
import Testing

/// The memory, threads and descriptors of this process.
package struct ProcessFigures: CustomStringConvertible {
    package var threads: Int
    /// Without Dispatch's for its timers, which stay from the first timer of a kind on. Nothing else has such.
    package var descriptors: Int
    package var mappings: Int
    /// The resident memory, in bytes.
    package var residentMemory: Int
    /// What is in use of the heap, in bytes; right after `prepare()` only.
    package var heap: Int

    package var description: String {
        "\(threads) threads, \(descriptors) descriptors, \(mappings) mappings, \(residentMemory / 1024) KiB resident, \(heap) bytes of heap"
    }

    package static var now: ProcessFigures {
        func entries(_ folder: String) -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        }
        let descriptors = entries("/proc/self/fd").filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))
                != "anon_inode:[timerfd]"
        }
        func lines(_ file: String) -> [Substring] {
            ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n")
        }
        let line = lines("/proc/self/status").first { $0.hasPrefix("VmRSS:") } ?? ""
        let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
        return ProcessFigures(
            threads: entries("/proc/self/task").count, descriptors: descriptors.count,
            mappings: lines("/proc/self/maps").count, residentMemory: kibibytes * 1024, heap: test_heap_in_use())
    }

    /// The figures once Dispatch has ended its threads, except the one on which this runs, and freed their stacks and caches: it does so
    /// when they have had no work for five seconds.
    package static var settled: ProcessFigures {
        var fewest = now.threads
        var polls = 0
        while polls < 500 {
            poll(nil, 0, 20)
            polls += 1
            let threads = now.threads
            if threads < fewest { (fewest, polls) = (threads, 0) }
        }
        return now
    }

    /// Makes a process of a test's own one whose memory can be measured.
    package static func prepare() {
        test_use_one_heap()
        // A hook of Swift Testing keeps a back trace of every error that was ever thrown.
        for hook in ["_swift_willThrow", "_swift_willThrowTypedImpl"] {
            guard let hook = dlsym(nil, hook) else { fail("no \(hook)") }
            hook.storeBytes(of: nil, as: UnsafeRawPointer?.self)
        }
    }
}

/// Ends a test's process with a reason, which the parent prints with the test's failure.
package func fail(_ reason: String) -> Never {
    Issue.record("\(reason)")
    fflush(nil)
    exit(1)
}
