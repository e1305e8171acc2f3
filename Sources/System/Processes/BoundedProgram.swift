import Foundation
import Glibc
import Synchronization

/// A program that is run with something on its standard input and for so long at most; what it says is kept up to a limit.
package struct BoundedProgram: Sendable {
    package enum End: Hashable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
        /// The program was killed because it took too long or the task was cancelled.
        case stopped
        case notStarted(errno: Int32)
    }

    package struct Finished: Hashable, Sendable {
        package var end: End
        /// The first 64 KiB of the standard output.
        package var output: [UInt8]
        /// The first 64 KiB of the standard error.
        package var errors: [UInt8]
        /// Whether the standard output reached `outputLimit` and was closed.
        package var isOutputClosed = false

        package init(end: End, output: [UInt8] = [], errors: [UInt8] = [], isOutputClosed: Bool = false) {
            (self.end, self.output, self.errors, self.isOutputClosed) = (end, output, errors, isOutputClosed)
        }

        /// Whether it may have said more than is kept.
        package var isOutputCut: Bool { output.count >= ProgramOutput.maximumReceived }
    }

    private let name: String
    private let arguments: [String]
    private let environment: [String: String]
    private let folder: String?
    private let input: [UInt8]
    private let secretInput: [UInt8]
    private let outputLimit: Int
    private let timeLimit: Duration

    /// - Parameters:
    ///   - name: found on PATH unless it is a path.
    ///   - environment: beside, or instead of, what is in our own.
    ///   - folder: the folder that it runs in; nil for our own.
    ///   - input: what it reads on its standard input.
    ///   - secretInput: what it can read from descriptor 3, so that secrets need not be among its arguments, which everybody can see.
    ///   - outputLimit: after so many bytes nobody reads its standard output any more: writing there fails then, with EPIPE.
    package init(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], folder: String? = nil,
        input: [UInt8] = [], secretInput: [UInt8] = [], outputLimit: Int = .max, timeLimit: Duration
    ) {
        self.name = name
        self.arguments = arguments
        self.environment = environment
        self.folder = folder
        self.input = input
        self.secretInput = secretInput
        self.outputLimit = outputLimit
        self.timeLimit = timeLimit
    }

    /// Whether there is a program of this name, as `posix_spawnp` finds it. access(2)
    package static func isThere(
        _ name: String, _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Bool {
        if name.contains("/") { return access(name, X_OK) == 0 }
        let folders = environment["PATH"] ?? "/bin:/usr/bin"
        return folders.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
    }

    /// Runs the program in a process group of its own, which is killed as a whole when it is stopped.
    package func run() async -> Finished {
        guard let stopper = Pipe() else { return Finished(end: .notStarted(errno: errno)) }
        return await withTaskCancellationHandler {
            await onOwnThread { runHere(stoppedBy: stopper) }
        } onCancel: {
            stopper.closeWriting()
        }
    }

    private func runHere(stoppedBy stopper: Pipe) -> Finished {
        // Everything that can fail for lack of resources is made before the program starts.
        guard let input = MemoryFile(self.input), let secret = MemoryFile(secretInput), let output = Pipe(),
            let errors = Pipe(),
            let ended = Pipe()
        else { return Finished(end: .notStarted(errno: errno)) }
        var child: pid_t = 0
        var spawn = Spawn(
            program: name, arguments: arguments,
            places: [input.descriptor, output.writing, errors.writing, secret.descriptor].map { .descriptor($0) })
        spawn.environment = environment
        spawn.folder = folder
        spawn.closesOtherDescriptors = true
        spawn.resetSignals = [SIGPIPE, SIGINT, SIGTERM, SIGHUP]
        spawn.hasOwnGroup = true
        let code = spawn.start(&child)
        if code != 0 { return Finished(end: .notStarted(errno: code)) }
        output.closeWriting()
        errors.closeWriting()

        let reaper = Reaper(child, ended)
        var reading = ProgramOutput(
            of: [(output, outputLimit), (errors, .max)], stops: [(reaper.ended, .ended), (stopper, .stopped)])
        let limit = BootClock.now + timeLimit
        var isStopped = false
        if reading.run(until: limit) != .ended {
            isStopped = true
            // The program may have to clean up; it has two seconds for that.
            reaper.signal(SIGTERM)
            reading.ignore(stopper)
            if reading.run(until: BootClock.now + .seconds(2)) != .ended {
                reaper.signal(SIGKILL)
                _ = reading.run(until: nil)
            }
        }
        // A program that ended by itself may leave processes running on purpose, as sendmail and clipboards do.
        if isStopped { reaper.signal(SIGKILL) }
        return Finished(
            end: isStopped ? .stopped : reaper.end, output: reading.received[0], errors: reading.received[1],
            isOutputClosed: reading.isCut[0])
    }

    /// Waits for a child's end on a thread of its own.
    private final class Reaper: Sendable {
        /// A pipe whose writing end is closed when the child has ended.
        package let ended: Pipe
        private let processID: pid_t
        private let state = Mutex<Int32?>(nil)

        package init(_ processID: pid_t, _ ended: Pipe) {
            self.processID = processID
            self.ended = ended
            Thread.detachNewThread { [self] in
                // WNOWAIT leaves the status, so the process ID stays the child's until nobody can signal it any more.
                var information = siginfo_t()
                while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
                self.ended.closeWriting()
            }
        }

        /// How the child ended; waits for it. waitpid(2)
        package var end: End {
            let status = state.withLock { state in
                if let state { return state }
                var status: Int32 = 0
                while waitpid(processID, &status, 0) < 0, errno == EINTR {}
                state = status
                return status
            }
            return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: status & 0x7F)
        }

        /// Sends a signal to the child's process group, unless the child's status was taken. kill(2)
        package func signal(_ number: Int32) {
            state.withLock { if $0 == nil { _ = kill(-processID, number) } }
        }

        deinit { _ = end }
    }
}
