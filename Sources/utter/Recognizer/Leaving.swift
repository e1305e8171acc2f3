import Glibc
import Synchronization

/// The end of the process.
enum Leaving {
    private static let isLeftBehind = Atomic(false)

    /// Records that a task or thread may still be running that nobody waits for.
    static func leaveBehind() { isLeftBehind.store(true, ordering: .relaxed) }

    /// Ends the process, whatever its threads are doing. Nothing has to be flushed, for utter writes only with write(2). exit(3), _exit(2)
    static func leave(_ code: ExitCode) -> Never {
        // exit(3) would run destructors while a thread still uses what they free.
        if isLeftBehind.load(ordering: .relaxed) {
            TerminalGuard.restore()
            _exit(code.rawValue)
        }
        exit(code.rawValue)
    }
}

extension Task where Failure == Never {
    /// Waits for the task's value, no longer than `limit`.
    ///
    /// - Returns: nil when the task takes longer; it goes on.
    func value(within limit: Duration) async -> Success? {
        let (values, sending) = AsyncStream.makeStream(of: Success?.self)
        Task<Void, Never> { sending.yield(await value) }
        let late = Task<Void, Never> {
            if (try? await Task<Never, Never>.sleep(for: limit)) != nil { sending.yield(nil) }
        }
        defer { late.cancel() }
        return await values.first { _ in true } ?? nil
    }
}
