import CLinux
import Foundation
import Glibc
import Synchronization

/// A program that runs beside us.
package final class ChildProcess: Sendable {
    /// How it ended.
    package enum End: Hashable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    /// What stands at one of its standard descriptors.
    package enum Attachment: Sendable {
        /// /dev/null.
        case nothing
        case pipe
        /// The same as ours.
        case inherited
        case descriptor(Int32)
    }

    /// The writing end of its standard input, where that is a pipe. The writer closes it.
    package let input: Int32
    /// The reading end of its standard output, where that is a pipe. The reader closes it.
    package let output: Int32
    /// The reading end of its standard error, where that is a pipe. The reader closes it.
    package let errors: Int32
    private let program: String
    private let processID: pid_t
    /// How it ended, once that was asked.
    private let end = Mutex<End?>(nil)
    /// A pipe is marked to be closed in children only after it was made; no child may start in between, or it would keep the
    /// pipe of another open.
    private static let starting = Mutex(())

    /// Starts `program`, found on PATH.
    ///
    /// - Parameters:
    ///   - survivesInterrupt: whether a Ctrl-C at the terminal is for us alone.
    ///   - environment: beside, or instead of, what is in our own.
    ///   - closesOtherDescriptors: whether it gets its standard descriptors only, also where we were given others to hand on.
    /// - Throws: `FileError` when it can't be started. posix_spawnp(3)
    package init(
        _ program: String, _ arguments: [String], input: Attachment = .nothing, output: Attachment = .pipe,
        errors: Attachment = .inherited, survivesInterrupt: Bool = false, environment: [String: String] = [:],
        closesOtherDescriptors: Bool = false
    ) throws(FileError) {
        let (code, processID, ends) = Self.starting.withLock { _ in
            Self.start(
                program, arguments, [input, output, errors], survivesInterrupt, environment: environment,
                closesOtherDescriptors: closesOtherDescriptors)
        }
        if code != 0 { throw FileError(.start, path: program, errno: code) }
        self.program = program
        self.processID = processID
        (self.input, self.output, self.errors) = (ends[0], ends[1], ends[2])
    }

    /// Starts `program` so that it goes on when we and our terminal are gone.
    ///
    /// - Throws: `FileError` when it can't be started.
    package static func startDetached(_ program: String, _ arguments: [String]) throws(FileError) {
        let (code, _, _) = starting.withLock { _ in
            start(program, arguments, [.nothing, .nothing, .nothing], false, ownSession: true)
        }
        if code != 0 { throw FileError(.start, path: program, errno: code) }
    }

    /// - Returns: our ends of the pipes, -1 where there is none.
    private static func start(
        _ program: String, _ arguments: [String], _ attachments: [Attachment], _ survivesInterrupt: Bool,
        ownSession: Bool = false, environment: [String: String] = [:], closesOtherDescriptors: Bool = false
    ) -> (code: Int32, processID: pid_t, ends: [Int32]) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var ours: [Int32] = [-1, -1, -1]
        var theirs: [Int32] = []
        defer { for descriptor in theirs { close(descriptor) } }
        for (number, attachment) in zip(Int32(0)..., attachments) {
            switch attachment {
            case .inherited: break
            case .nothing: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            case .pipe:
                var ends: [Int32] = [-1, -1]
                guard pipe(&ends) == 0 else {
                    let code = errno
                    for our in ours where our >= 0 { close(our) }
                    return (code, 0, [])
                }
                for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
                let theirEnd = number == STDIN_FILENO ? 0 : 1
                ours[Int(number)] = ends[1 - theirEnd]
                theirs.append(ends[theirEnd])
                posix_spawn_file_actions_adddup2(&actions, ends[theirEnd], number)
            }
        }

        if closesOtherDescriptors {
            withUnsafeMutablePointer(to: &actions) { _ = posix_spawn_file_actions_addclosefrom_np($0, STDERR_FILENO + 1) }
        }

        // We ignore SIGPIPE and SIGXFSZ, and the child would inherit that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGPIPE, SIGINT, SIGTERM, SIGXFSZ] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // Threads of Dispatch block signals, and the child would inherit that as well.
        var blocked = sigset_t()
        sigemptyset(&blocked)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        // The terminal signals the group in its foreground, which is ours.
        if survivesInterrupt { flags |= POSIX_SPAWN_SETPGROUP }
        // POSIX_SPAWN_SETSID, which is GNU's: neither the terminal's end nor its Ctrl-C reaches it.
        if ownSession { flags |= 0x80 }
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var processID: pid_t = 0
        let code: Int32
        if environment.isEmpty {
            code = posix_spawnp(&processID, program, &actions, &attributes, &words, environ)
        } else {
            let merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            var variables = merged.map { strdup("\($0)=\($1)") } + [nil]
            defer { for variable in variables { free(variable) } }
            code = posix_spawnp(&processID, program, &actions, &attributes, &words, &variables)
        }
        if code != 0 { for our in ours where our >= 0 { close(our) } }
        return (code, processID, ours)
    }

    deinit {
        // Nobody is interested any more.
        kill()
        _ = wait()
    }

    /// Waits until it has ended. While it writes and nobody reads it does not end. waitpid(2)
    @discardableResult
    package func wait() -> End {
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

    /// A descriptor that becomes readable when it has ended; the caller closes it. To be asked for before `wait()`.
    ///
    /// - Throws: `FileError` when there are no more descriptors. pidfd_open(2)
    package func endDescriptor() throws(FileError) -> Int32 {
        let descriptor = pidfd_open(processID, 0)
        if descriptor < 0 { throw FileError(.start, path: program, errno: errno) }
        return descriptor
    }

    /// Ends it, unless it has ended. kill(2)
    package func kill() {
        end.withLock { end in
            if end == nil { _ = Glibc.kill(processID, SIGKILL) }
        }
    }
}
