import Audio
import Glibc

/// Runs the user's command for each utterance, one after another, in order. A slow one holds nothing else up.
final class UtteranceCommand: Sendable {
    private let queue: AsyncStream<String>.Continuation
    private let running: Task<Void, Never>

    init(_ command: String, status: Status, output: ListenOutput) {
        let (texts, queue) = AsyncStream.makeStream(of: String.self)
        self.queue = queue
        let runner = Runner(command, status: status, output: output)
        running = Task {
            for await text in texts { await runner.run(with: text) }
        }
    }

    /// Adds an utterance behind those before it.
    func add(_ text: String) { queue.yield(text) }

    /// Returns when the command has ended for every utterance.
    func finish() async {
        queue.finish()
        await running.value
    }

    /// Waits for commands on a thread of its own.
    private actor Runner {
        private let executor = SerialDispatchExecutor(label: "utter.exec", for: .waiting)
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        private let command: String
        private let status: Status
        private let output: ListenOutput

        init(_ command: String, status: Status, output: ListenOutput) {
            self.command = command
            self.status = status
            self.output = output
        }

        func run(with text: String) {
            output.lend { runLent(with: text) }
        }

        /// How it ended is told when it was not well: the next utterance gets another try.
        private func runLent(with text: String) {
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
}
