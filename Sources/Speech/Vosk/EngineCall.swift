import CLinux
import Glibc
import Synchronization

/// The calls into libvosk. With a damaged model, a call may compute for ever or crash the process. So this records
/// which threads are in a call, and gives each an alternate stack, on which a signal handler can run even if the
/// thread's own stack is used up.
package enum EngineCall {
    /// A call that has not returned.
    package struct Running: Hashable, Sendable {
        /// The number of the call, counted from the start of the process.
        package var number: Int
        /// The thread, as gettid(2) returns it.
        package var thread: pid_t
    }

    private struct Place: ~Copyable {
        /// The thread that is in a call; 0 for none, -1 while a thread takes the place.
        let thread = Atomic<pid_t>(0)
        let number = Atomic(0)
        /// The alternate stack, allocated for the first thread and changed only by the thread that has the place.
        var stack: UnsafeMutableRawPointer?
    }

    /// The most threads in a call that are recorded, more than compute on any machine.
    private static let placeCount = 256
    private static let stackSize = 1 << 16
    private static let lastNumber = Atomic(0)
    // Only the owner of a place changes its stack.
    nonisolated(unsafe) private static let places = {
        let places = UnsafeMutablePointer<Place>.allocate(capacity: placeCount)
        for index in 0..<placeCount { (places + index).initialize(to: Place()) }
        return places
    }()

    /// Allocates what `isRunning(on:)` needs, which a signal handler must not do.
    package static func prepare() { _ = isRunning(on: 0) }

    /// Whether a thread is in a call. Safe in a signal handler after `prepare()`.
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

    /// Makes a call in the C locale.
    static func make<Value>(_ call: () -> Value) -> Value {
        let thread = gettid()
        guard let index = (0..<placeCount).first(where: { take($0, thread) }) else { return inCLocale(call) }
        let stack = places[index].stack ?? .allocate(byteCount: stackSize, alignment: 16)
        places[index].stack = stack
        var own = stack_t(ss_sp: stack, ss_flags: 0, ss_size: stackSize)
        var previous = stack_t()
        let hasStack = sigaltstack(&own, &previous) == 0
        defer {
            if hasStack { sigaltstack(&previous, nil) }
            places[index].thread.store(0, ordering: .releasing)
        }
        return inCLocale(call)
    }

    // newlocale never fails for "C", and the object is never changed or freed.
    nonisolated(unsafe) private static let numericLocale: locale_t? = newlocale(1 << LC_NUMERIC, "C", nil)

    /// Makes a call in the C locale, on this thread only. libvosk formats and parses numbers by the process's locale, and breaks its own
    /// JSON and configuration if that has a decimal comma.
    private static func inCLocale<Value>(_ call: () -> Value) -> Value {
        let previous = uselocale(numericLocale)
        defer { uselocale(previous) }
        return call()
    }

    private static func take(_ index: Int, _ thread: pid_t) -> Bool {
        guard places[index].thread.compareExchange(expected: 0, desired: -1, ordering: .acquiringAndReleasing).exchanged
        else {
            return false
        }
        places[index].number.store(lastNumber.add(1, ordering: .relaxed).newValue, ordering: .releasing)
        places[index].thread.store(thread, ordering: .releasing)
        return true
    }
}
