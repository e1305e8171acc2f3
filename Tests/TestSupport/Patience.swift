import Foundation
import Glibc

/// How long a test waits for something that must happen. Nothing takes that long: a test that waits to the end hangs, and reports
/// what it waited for.
package enum Patience {
    package static let seconds = 300
    /// The longest wait, in milliseconds, for poll(2).
    package static let milliseconds = Int32(seconds * 1000)
    /// The time at which a wait that begins now ends.
    package static var limit: Date { Date(timeIntervalSinceNow: Double(seconds)) }

    package struct Exhausted: Error, CustomStringConvertible {
        package let description: String

        package init(_ what: String) { description = "\(what): this has not come within \(Patience.seconds) s" }
    }

    /// How long a wait pauses before it looks again, in microseconds. One that looks all the time takes the processor from
    /// what it waits for.
    private static let pause: UInt32 = 1_000

    /// Lets a millisecond pass.
    package static func pauseThread() { usleep(pause) }

    /// Lets a millisecond pass, and then other tasks go on. A timer would leave a descriptor in the process, and tests
    /// count those.
    package static func pauseTask() async {
        usleep(pause)
        await Task.yield()
    }

    /// Polls a condition until it is true, where no event can be waited for. Blocks the thread.
    package static func waitOnThread(for what: String, until isSo: () throws -> Bool) throws {
        let limit = limit
        while try !isSo() {
            if Date() > limit { throw Exhausted(what) }
            pauseThread()
        }
    }

    /// Polls a condition until it is true, where no event can be waited for. Suspends the task.
    package static func wait(for what: String, until isSo: () async throws -> Bool) async throws {
        let limit = limit
        while try await !isSo() {
            if Date() > limit { throw Exhausted(what) }
            await pauseTask()
        }
    }
}
