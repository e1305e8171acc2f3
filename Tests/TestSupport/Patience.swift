import Foundation
import Glibc

/// How long a test waits for what has to come. Nothing takes so long: a test that comes to this end hangs, and says what it waited for.
package enum Patience {
    package static let seconds = 300
    /// The same for poll(2).
    package static let milliseconds = Int32(seconds * 1000)
    /// The moment at which a wait that begins now is given up.
    package static var limit: Date { Date(timeIntervalSinceNow: Double(seconds)) }

    package struct Exhausted: Error, CustomStringConvertible {
        package let description: String

        package init(_ what: String) { description = "\(what): this has not come within \(Patience.seconds) s" }
    }

    /// Looks again and again until it is so: for what nothing announces. The thread waits.
    package static func waitOnThread(for what: String, until isSo: () throws -> Bool) throws {
        let limit = limit
        while try !isSo() {
            if Date() > limit { throw Exhausted(what) }
            sched_yield()
        }
    }

    /// The same in a task.
    package static func wait(for what: String, until isSo: () async throws -> Bool) async throws {
        let limit = limit
        while try await !isSo() {
            if Date() > limit { throw Exhausted(what) }
            await Task.yield()
        }
    }
}
