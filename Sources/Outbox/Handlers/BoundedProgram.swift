/// A program that is run for so long at most, with what it says kept up to a limit; for other parts of utter than the outbox.
package struct BoundedProgram: Sendable {
    package enum End: Hashable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
        /// It took too long, or the task was cancelled, and it was ended.
        case stopped
        case notStarted(errno: Int32)
    }

    package struct Finished: Hashable, Sendable {
        package var end: End
        /// The first 64 KiB.
        package var output: [UInt8]
        /// The same of its stderr.
        package var errors: [UInt8]

        package init(end: End, output: [UInt8], errors: [UInt8]) {
            (self.end, self.output, self.errors) = (end, output, errors)
        }

        /// Whether it may have said more than is kept.
        package var isOutputCut: Bool { output.count >= ProgramOutput.maximumReceived }
    }

    private let program: Program

    /// - Parameters:
    ///   - name: found on PATH unless it is a path.
    ///   - environment: beside, or instead of, what is in our own.
    ///   - input: what it reads on its standard input.
    package init(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], input: [UInt8] = [], timeLimit: Duration
    ) {
        program = Program(name: name, arguments: arguments, environment: environment, input: input, timeLimit: timeLimit)
    }

    /// Runs it in a process group of its own and waits for its end. The thread that starts it lives as long as it does.
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
