import Foundation
import Glibc
import Outbox
import System

/// Runs the user's command for each utterance, one after another, in order. A slow command delays nothing else.
final class UtteranceCommand: Sendable {
    private let queue: AsyncStream<(capture: CapturedText, id: UUID, speaker: String?)>.Continuation
    private let running: Task<Void, Never>

    /// Creates the runner of a command.
    ///
    /// - Parameter failed: called with a sentence each time that the command fails.
    init(_ command: String, output: ListenOutput, failed: @escaping @Sendable (String) -> Void) {
        let (utterances, queue) = AsyncStream.makeStream(of: (capture: CapturedText, id: UUID, speaker: String?).self)
        self.queue = queue
        let runner = Runner(command, output: output, failed: failed)
        running = Task {
            for await utterance in utterances { await runner.run(with: utterance) }
        }
    }

    /// Adds an utterance, for which the command runs after all earlier ones.
    func add(_ capture: CapturedText, id: UUID, speaker: String? = nil) { queue.yield((capture, id, speaker)) }

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

        func run(with utterance: (capture: CapturedText, id: UUID, speaker: String?)) {
            output.lend { runLent(with: utterance.capture, id: utterance.id, speaker: utterance.speaker) }
        }

        /// Runs the command and reports when it fails; the next utterance gets another try.
        private func runLent(with capture: CapturedText, id: UUID, speaker: String?) {
            var environment = ["UTTER_ID": id.name, "UTTER_TIME": capture.timestamp]
            environment["UTTER_SPEAKER"] = speaker
            do throws(FileError) {
                let child = try ChildProcess(
                    "sh", ["-c", command], input: .pipe, output: .inherited, survivesInterrupt: true,
                    environment: environment)
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
