import CLinux
import Glibc
import Synchronization

/// Calls into libvosk. On a damaged model one may compute for ever, or crash the process. So it is known from outside which threads are
/// in a call, and a thread that is in one has a stack on which a signal handler can run even when its own is used up.
package enum EngineCall {
    /// A call that has not returned.
    package struct Running: Hashable, Sendable {
        /// Counts the calls of the process.
        package var number: Int
        /// gettid(2)
        package var thread: pid_t
    }

    private struct Place: ~Copyable {
        /// Zero where no thread is in a call, -1 while one takes the place.
        let thread = Atomic<pid_t>(0)
        let number = Atomic(0)
        /// Made for the first thread that comes; changed by the one whose place it is.
        var stack: UnsafeMutableRawPointer?
    }

    /// More threads than that compute on no machine; one beyond is not known of.
    private static let placeCount = 256
    private static let stackSize = 1 << 16
    private static let lastNumber = Atomic(0)
    // The stacks are changed by the owners of their places only.
    nonisolated(unsafe) private static let places = {
        let places = UnsafeMutablePointer<Place>.allocate(capacity: placeCount)
        for index in 0..<placeCount { (places + index).initialize(to: Place()) }
        return places
    }()

    /// Makes what `isRunning(on:)` needs, which must not be made in a signal handler.
    package static func prepare() { _ = isRunning(on: 0) }

    /// Whether a thread is in a call. Safe in a signal handler, after `prepare()`.
    package static func isRunning(on thread: pid_t) -> Bool {
        for index in 0..<placeCount where places[index].thread.load(ordering: .acquiring) == thread { return true }
        return false
    }

    /// The calls that have not returned.
    package static var running: [Running] {
        (0..<placeCount).compactMap { index in
            let thread = places[index].thread.load(ordering: .acquiring)
            let number = places[index].number.load(ordering: .acquiring)
            return thread > 0 ? Running(number: number, thread: thread) : nil
        }
    }

    /// Makes a call, in the C locale.
    static func make<Value>(_ call: () -> Value) -> Value {
        let thread = gettid()
        guard let index = (0..<placeCount).first(where: { take($0, thread) }) else { return CLocale.with(call) }
        let stack = places[index].stack ?? .allocate(byteCount: stackSize, alignment: 16)
        places[index].stack = stack
        var own = stack_t(ss_sp: stack, ss_flags: 0, ss_size: stackSize)
        var previous = stack_t()
        let hasStack = sigaltstack(&own, &previous) == 0
        defer {
            if hasStack { sigaltstack(&previous, nil) }
            places[index].thread.store(0, ordering: .releasing)
        }
        return CLocale.with(call)
    }

    private static func take(_ index: Int, _ thread: pid_t) -> Bool {
        guard places[index].thread.compareExchange(expected: 0, desired: -1, ordering: .acquiringAndReleasing).exchanged else {
            return false
        }
        places[index].number.store(lastNumber.add(1, ordering: .relaxed).newValue, ordering: .releasing)
        places[index].thread.store(thread, ordering: .releasing)
        return true
    }
}
