import Glibc
import Speech
import Synchronization

/// The end of the process.
enum Leaving {
    private static let isLeftBehind = Atomic(false)

    /// Records that a task or thread may still be running that nobody waits for.
    static func leaveBehind() { isLeftBehind.store(true, ordering: .relaxed) }

    /// Ends the process, whatever its threads are doing. Nothing has to be flushed, for utter writes only with write(2). exit(3), _exit(2)
    static func leave(_ code: ExitCode) -> Never {
        // exit(3) would run destructors, such as those of libvosk, while a thread still uses what they free.
        if isLeftBehind.load(ordering: .relaxed) || !EngineCall.running.isEmpty {
            TerminalGuard.restore()
            _exit(code.rawValue)
        }
        exit(code.rawValue)
    }
}
