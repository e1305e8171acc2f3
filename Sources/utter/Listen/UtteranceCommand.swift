import Audio
import Glibc

/// Runs the user's command for each utterance, one after another, in order, on a thread of its own.
actor UtteranceCommand {
    private let executor = SerialDispatchExecutor(label: "utter.exec", for: .waiting)
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let command: String
    private let status: Status

    init(_ command: String, status: Status) {
        self.command = command
        self.status = status
    }

    /// Returns when the command has ended. How it ended is told when it was not well: the next utterance gets another try.
    func run(with text: String) {
        do throws(FileError) {
            let child = try ChildProcess(
                "sh", ["-c", command], input: .pipe, output: .inherited, survivesInterrupt: true)
            // A command that does not read its input has not failed.
            _ = Descriptor.write(text + "\n", to: child.input)
            close(child.input)
            switch child.wait() {
            case .exited(0): break
            case .exited(let code): status.warn("the command of --exec ended with exit status \(code)")
            case .killed(let signal): status.warn("the command of --exec was killed by signal \(signal)")
            }
        } catch {
            status.fail(error.description)
        }
    }
}
