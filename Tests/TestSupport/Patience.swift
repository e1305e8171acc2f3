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

    /// Polls a condition until it is true, where no event can be waited for. Blocks the thread.
    package static func waitOnThread(for what: String, until isSo: () throws -> Bool) throws {
        let limit = limit
        while try !isSo() {
            if Date() > limit { throw Exhausted(what) }
            sched_yield()
        }
    }

    /// Polls a condition until it is true, where no event can be waited for. Suspends the task.
    package static func wait(for what: String, until isSo: () async throws -> Bool) async throws {
        let limit = limit
        while try await !isSo() {
            if Date() > limit { throw Exhausted(what) }
            await Task.yield()
        }
    }
}
