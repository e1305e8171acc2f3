import Foundation
import Glibc
import Outbox
import System

/// Runs the user's command for each utterance, one after another, in order. A slow command delays nothing else.
final class UtteranceCommand: Sendable {
    private let queue: AsyncStream<(capture: CapturedText, id: UUID)>.Continuation
    private let running: Task<Void, Never>

    init(_ command: String, status: Status, output: ListenOutput) {
        let (utterances, queue) = AsyncStream.makeStream(of: (capture: CapturedText, id: UUID).self)
        self.queue = queue
        let runner = Runner(command, status: status, output: output)
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
        private let status: Status
        private let output: ListenOutput

        init(_ command: String, status: Status, output: ListenOutput) {
            self.command = command
            self.status = status
            self.output = output
        }

        func run(with capture: CapturedText, id: UUID) {
            output.lend { runLent(with: capture, id: id) }
        }

        /// Runs the command and warns when it fails; the next utterance gets another try.
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
                case .exited(let code): status.warn("the command of --exec ended with exit status \(code)")
                case .killed(let signal): status.warn("the command of --exec was killed by signal \(signal)")
                }
            } catch {
                status.fail(error.description)
            }
        }
    }
}
