import Audio
import Glibc
import Synchronization

/// A program that runs beside us, with its standard output in a pipe.
final class ChildProcess: Sendable {
    /// How it ended.
    enum End: Equatable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    /// The reading end of its standard output. The reader closes it.
    let output: Int32
    private let processID: pid_t
    /// How it ended, once that was asked.
    private let end = Mutex<End?>(nil)
    /// A pipe is marked to be closed in children only after it was made; no child may start in between, or it would keep the
    /// pipe of another open.
    private static let starting = Mutex(())

    /// Starts `program`, found on PATH, with nothing on its standard input.
    ///
    /// - Parameter errorOutput: the descriptor that its stderr goes to.
    /// - Throws: `FileError` when it can't be started. posix_spawnp(3)
    init(_ program: String, _ arguments: [String], errorOutput: Int32) throws(FileError) {
        let (code, processID, output) = Self.starting.withLock { _ in Self.start(program, arguments, errorOutput) }
        if code != 0 { throw FileError(.start, path: program, errno: code) }
        self.processID = processID
        self.output = output
    }

    private static func start(
        _ program: String, _ arguments: [String], _ errorOutput: Int32
    ) -> (code: Int32, processID: pid_t, output: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return (errno, 0, -1) }
        defer { close(ends[1]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errorOutput, STDERR_FILENO)

        // We ignore SIGPIPE, and the child would inherit that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGPIPE, SIGINT, SIGTERM] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // Threads of Dispatch block signals, and the child would inherit that as well.
        var blocked = sigset_t()
        sigemptyset(&blocked)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var processID: pid_t = 0
        let code = posix_spawnp(&processID, program, &actions, &attributes, &words, environ)
        if code != 0 { close(ends[0]) }
        return (code, processID, ends[0])
    }

    deinit {
        // Nobody is interested any more.
        kill()
        _ = wait()
    }

    /// Waits until it has ended. While it writes and nobody reads it does not end. waitpid(2)
    @discardableResult
    func wait() -> End {
        end.withLock { end in
            if let end { return end }
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
            let signal = status & 0x7f
            let new = signal == 0 ? End.exited((status >> 8) & 0xff) : .killed(signal: signal)
            end = new
            return new
        }
    }

    /// Ends it, unless it has ended. kill(2)
    func kill() {
        end.withLock { end in
            if end == nil { _ = Glibc.kill(processID, SIGKILL) }
        }
    }
}
