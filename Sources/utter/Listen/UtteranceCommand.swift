import Foundation
import Glibc
import Outbox
import System

/// Runs the user's command for each utterance, one after another, in order. A slow command delays nothing else.
final class UtteranceCommand: Sendable {
    private let queue: AsyncStream<(capture: CapturedText, id: UUID)>.Continuation
    private let running: Task<Void, Never>

    /// Creates the runner of a command.
    ///
    /// - Parameter failed: called with a sentence each time that the command fails.
    init(_ command: String, output: ListenOutput, failed: @escaping @Sendable (String) -> Void) {
        let (utterances, queue) = AsyncStream.makeStream(of: (capture: CapturedText, id: UUID).self)
        self.queue = queue
        let runner = Runner(command, output: output, failed: failed)
        running = Task {
            for await utterance in utterances { await runner.run(with: utterance.capture, id: utterance.id) }
        }
    }

    /// Adds an utterance, for which the command runs after all earlier ones.
    func add(_ capture: CapturedText, id: UUID) { queue.yield((capture, id)) }

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
        private let output: ListenOutput
        private let failed: @Sendable (String) -> Void

        init(_ command: String, output: ListenOutput, failed: @escaping @Sendable (String) -> Void) {
            self.command = command
            self.output = output
            self.failed = failed
        }

        func run(with capture: CapturedText, id: UUID) {
            output.lend { runLent(with: capture, id: id) }
        }

        /// Runs the command and reports when it fails; the next utterance gets another try.
        private func runLent(with capture: CapturedText, id: UUID) {
            do throws(FileError) {
                let child = try ChildProcess(
                    "sh", ["-c", command], input: .pipe, output: .inherited, survivesInterrupt: true,
                    environment: ["UTTER_ID": id.name, "UTTER_TIME": capture.timestamp])
                // A failed write is no error: the command need not read its input.
                _ = Descriptor.write(capture.text + "\n", to: child.input)
                close(child.input)
                switch child.wait() {
                case .exited(0): break
                case .exited(let code): failed("the command of --exec ended with exit status \(code)")
                case .killed(let signal): failed("the command of --exec was killed by signal \(signal)")
                }
            } catch {
                failed(error.description)
            }
        }
    }
}
