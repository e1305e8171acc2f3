import CLinux
import Glibc
import Synchronization

/// A program that runs as a child of this process. Releasing it kills the child.
package final class ChildProcess: Sendable {
    package enum End: Hashable, Sendable {
        /// The child exited with this status.
        case exited(Int32)
        /// This signal ended the child.
        case killed(signal: Int32)
    }

    /// What one of the child's standard descriptors is connected to.
    package enum Attachment: Sendable {
        /// /dev/null.
        case nothing
        /// A new pipe to this process.
        case pipe
        /// This process's own descriptor of that number.
        case inherited
        case descriptor(Int32)
    }

    /// The writing end of the child's standard input if that is a pipe, otherwise -1. The writer closes it.
    package let input: Int32
    /// The reading end of the child's standard output if that is a pipe, otherwise -1. The reader closes it.
    package let output: Int32
    /// The reading end of the child's standard error if that is a pipe, otherwise -1. The reader closes it.
    package let errors: Int32
    private let program: String
    private let processID: pid_t
    /// How the child ended, once `wait()` has returned.
    private let end = Mutex<End?>(nil)
    /// Whether the child's status was taken, after which its process ID may be another's.
    private let isReaped = Mutex(false)
    /// Starts `program`, which is searched for on PATH.
    ///
    /// - Parameters:
    ///   - program: the name or path of the program.
    ///   - arguments: the arguments after the program's name.
    ///   - input: the child's standard input.
    ///   - output: the child's standard output.
    ///   - errors: the child's standard error.
    ///   - survivesInterrupt: whether Ctrl-C at the terminal spares the child.
    ///   - survivesClosedPipe: whether the child goes on when nobody reads what it writes, as after the death of this process.
    ///   - environment: variables to add to this process's environment, or to replace in it.
    ///   - closesOtherDescriptors: whether the child inherits only its standard descriptors, even if this process was
    ///     given others to pass on.
    /// - Throws: `FileError` if the program can't be started. posix_spawnp(3)
    package convenience init(
        _ program: String, _ arguments: [String], input: Attachment = .nothing, output: Attachment = .pipe,
        errors: Attachment = .inherited, survivesInterrupt: Bool = false, survivesClosedPipe: Bool = false,
        environment: [String: String] = [:], closesOtherDescriptors: Bool = false
    ) throws(FileError) {
        var ours: [Int32] = [-1, -1, -1]
        var theirs: [Int32] = []
        defer { for descriptor in theirs { close(descriptor) } }
        var places: [Spawn.Place] = []
        for (number, attachment) in [input, output, errors].enumerated() {
            switch attachment {
            case .inherited: places.append(.inherited)
            case .nothing: places.append(.nothing)
            case .descriptor(let descriptor): places.append(.descriptor(descriptor))
            case .pipe:
                var ends: [Int32] = [-1, -1]
                if pipe2(&ends, O_CLOEXEC) != 0 {
                    let code = errno
                    for our in ours where our >= 0 { close(our) }
                    throw FileError(.start, path: program, errno: code)
                }
                let theirEnd = number == STDIN_FILENO ? 0 : 1
                ours[number] = ends[1 - theirEnd]
                theirs.append(ends[theirEnd])
                places.append(.descriptor(ends[theirEnd]))
            }
        }
        // The terminal signals the group in its foreground, which is ours.
        let spawn = Spawn(
            program: program, arguments: arguments, places: places, environment: environment,
            closesOtherDescriptors: closesOtherDescriptors,
            resetSignals: Self.signals + (survivesClosedPipe ? [] : [SIGPIPE]), hasOwnGroup: survivesInterrupt)
        try self.init(spawn, ends: ours)
    }

    /// The signals that mean to every child what they usually do. We ignore SIGPIPE and SIGXFSZ.
    private static let signals = [SIGINT, SIGTERM, SIGXFSZ]

    /// Starts a program.
    ///
    /// - Parameter ends: this process's ends of the pipes to it, -1 where there is none. They are closed when it can't be started.
    init(_ spawn: Spawn, ends: [Int32] = [-1, -1, -1]) throws(FileError) {
        var processID: pid_t = 0
        let code = spawn.start(&processID)
        if code != 0 {
            for end in ends where end >= 0 { close(end) }
            throw FileError(.start, path: spawn.program, errno: code)
        }
        (program, self.processID) = (spawn.program, processID)
        (input, output, errors) = (ends[0], ends[1], ends[2])
    }

    /// Starts `program` so that it continues after this process and its terminal are gone.
    ///
    /// - Parameters:
    ///   - program: the name or path of the program.
    ///   - arguments: the arguments after the program's name.
    ///   - input: the descriptor that is its standard input; nil for /dev/null.
    ///   - environment: variables beside, or instead of, those of this process; nil for one that the child does not get.
    /// - Throws: `FileError` if the program can't be started.
    package static func startDetached(
        _ program: String, _ arguments: [String], input: Int32? = nil, environment: [String: String?] = [:]
    ) throws(FileError) {
        let spawn = Spawn(
            program: program, arguments: arguments,
            places: [input.map { .descriptor($0) } ?? .nothing, .nothing, .nothing], environment: environment,
            closesOtherDescriptors: true, resetSignals: signals + [SIGPIPE], hasOwnSession: true)
        var processID: pid_t = 0
        let code = spawn.start(&processID)
        if code != 0 { throw FileError(.start, path: program, errno: code) }
    }

    /// Sends a signal to the processes of this one's group, but to no child that does not run its program yet. kill(2)
    package static func signalGroup(_ number: Int32) { Spawn.signalGroup(number) }

    deinit {
        kill()
        _ = wait()
    }

    /// Waits until the child has ended, and returns how. A child that writes to a pipe that is not read does not end.
    /// waitpid(2)
    @discardableResult
    package func wait() -> End {
        end.withLock { end in
            if let end { return end }
            waitForEnd()
            var status: Int32 = 0
            isReaped.withLock { isReaped in
                while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
                isReaped = true
            }
            let signal = status & 0x7f
            let new = signal == 0 ? End.exited((status >> 8) & 0xff) : .killed(signal: signal)
            end = new
            return new
        }
    }

    /// Waits until the child has ended, and leaves its status, so that its process ID stays its own. waitid(2)
    func waitForEnd() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }

    /// Returns a descriptor that becomes readable when the child ends; the caller closes it. Call this before `wait()`.
    ///
    /// - Throws: `FileError` if no descriptor is left. pidfd_open(2)
    package func endDescriptor() throws(FileError) -> Int32 {
        let descriptor = pidfd_open(processID, 0)
        if descriptor < 0 { throw FileError(.start, path: program, errno: errno) }
        return descriptor
    }

    /// Waits until the child has ended, and kills it when that takes too long. For a thread that may be blocked.
    ///
    /// - Returns: how it has ended.
    @discardableResult
    package func end(within limit: Duration) -> End {
        if let ended = try? endDescriptor() {
            defer { close(ended) }
            var wait = pollfd(fd: ended, events: Int16(POLLIN), revents: 0)
            if poll(&wait, 1, Int32(limit / .milliseconds(1))) == 0 { kill() }
        }
        return wait()
    }

    /// Kills the child, unless it has ended. kill(2)
    package func kill() { signal(SIGKILL) }

    /// Sends a signal to the child, or to its whole group, unless `wait()` has returned. kill(2)
    package func signal(_ number: Int32, toGroup: Bool = false) {
        // While another thread waits, the child has not ended or is not reaped, so the process ID is still the child's.
        isReaped.withLock { isReaped in
            if !isReaped { _ = Glibc.kill(toGroup ? -processID : processID, number) }
        }
    }
}
