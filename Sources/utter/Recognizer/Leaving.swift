import Glibc
import Speech
import Synchronization

/// The end of the process.
enum Leaving {
    private static let isLeftBehind = Atomic(false)

    /// Notes that something may go on that nobody waits for any more.
    static func leaveBehind() { isLeftBehind.store(true, ordering: .relaxed) }

    /// Ends the process, whatever threads are doing. Nothing may be left to be flushed: we write with write(2) only. exit(3), _exit(2)
    static func leave(_ code: ExitCode) -> Never {
        // What runs at the usual end, such as the destructors of libvosk, would pull the ground from under a thread in its midst.
        if isLeftBehind.load(ordering: .relaxed) || !EngineCall.running.isEmpty {
            TerminalGuard.restore()
            _exit(code.rawValue)
        }
        exit(code.rawValue)
    }
}
