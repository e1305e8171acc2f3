import Foundation
import Glibc

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

    /// What is started, without its descriptors.
    private let spawn: Spawn
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
        spawn = Spawn(
            program: name, arguments: arguments, places: [], environment: environment, folder: folder,
            closesOtherDescriptors: true, resetSignals: [SIGPIPE, SIGINT, SIGTERM, SIGHUP], hasOwnGroup: true)
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
        var spawn = spawn
        spawn.places = [input.descriptor, output.writing, errors.writing, secret.descriptor].map { .descriptor($0) }
        let child: ChildProcess
        do throws(FileError) { child = try ChildProcess(spawn) } catch {
            return Finished(end: .notStarted(errno: error.errno))
        }
        output.closeWriting()
        errors.closeWriting()

        Thread.detachNewThread {
            child.waitForEnd()
            ended.closeWriting()
        }
        var reading = ProgramOutput(
            of: [(output, outputLimit), (errors, .max)], stops: [(ended, .ended), (stopper, .stopped)])
        let limit = BootClock.now + timeLimit
        var isStopped = false
        if reading.run(until: limit) != .ended {
            isStopped = true
            // The program may have to clean up; it has two seconds for that.
            child.signal(SIGTERM, toGroup: true)
            reading.ignore(stopper)
            if reading.run(until: BootClock.now + .seconds(2)) != .ended {
                child.signal(SIGKILL, toGroup: true)
                _ = reading.run(until: nil)
            }
        }
        // A program that ended by itself may leave processes running on purpose, as sendmail and clipboards do.
        if isStopped { child.signal(SIGKILL, toGroup: true) }
        let end: End =
            switch child.wait() {
            case .exited(let status): .exited(status)
            case .killed(let signal): .killed(signal: signal)
            }
        return Finished(
            end: isStopped ? .stopped : end, output: reading.received[0], errors: reading.received[1],
            isOutputClosed: reading.isCut[0])
    }
}
