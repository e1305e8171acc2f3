/// A child process with a time limit and a limit on its output, for other parts of utter than the outbox.
package struct BoundedProgram: Sendable {
    /// How the program ended.
    package enum End: Hashable, Sendable {
        /// The program exited with this status.
        case exited(Int32)
        /// The program was killed by this signal.
        case killed(signal: Int32)
        /// The program was killed because it took too long or the task was cancelled.
        case stopped
        /// The program could not be started.
        case notStarted(errno: Int32)
    }

    /// The result of a run.
    package struct Finished: Hashable, Sendable {
        package var end: End
        /// The first 64 KiB of the standard output.
        package var output: [UInt8]
        /// The first 64 KiB of the standard error.
        package var errors: [UInt8]

        package init(end: End, output: [UInt8], errors: [UInt8]) {
            (self.end, self.output, self.errors) = (end, output, errors)
        }

        /// Whether the program may have written more than is kept.
        package var isOutputCut: Bool { output.count >= ProgramOutput.maximumReceived }
    }

    private let program: Program

    /// Describes a program that is not started before `run()`.
    ///
    /// - Parameters:
    ///   - name: a path, or a name that is looked up in `PATH`.
    ///   - arguments: the program's arguments.
    ///   - environment: variables that are added to this process's environment, or replace some of them.
    ///   - input: the program's standard input.
    ///   - timeLimit: how long the program may run.
    package init(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], input: [UInt8] = [], timeLimit: Duration
    ) {
        program = Program(name: name, arguments: arguments, environment: environment, input: input, timeLimit: timeLimit)
    }

    /// Runs the program in a process group of its own and waits for its end. The thread that starts it lives as long.
    package func run() async -> Finished {
        let finished = await program.run()
        let end: End =
            switch finished.end {
            case .exited(let code): .exited(code)
            case .killed(let signal): .killed(signal: signal)
            case .stopped: .stopped
            case .notStarted(let errno): .notStarted(errno: errno)
            }
        return Finished(end: end, output: finished.output, errors: finished.errors)
    }
}
