import Foundation
import Glibc
import Outbox
import System

/// Runs the user's command for each utterance, one after another, in order. A slow command delays nothing else.
final class UtteranceCommand: Sendable {
    private typealias Utterance = (capture: CapturedText, id: UUID, speaker: String?)

    private let queue: AsyncStream<Utterance>.Continuation
    private let running: Task<Void, Never>

    /// Creates the runner of a command.
    ///
    /// - Parameter failed: called with a sentence each time that the command fails; the next utterance gets another try.
    init(_ command: String, output: ListenOutput, failed: @escaping @Sendable (String) -> Void) {
        let (utterances, queue) = AsyncStream.makeStream(of: Utterance.self)
        self.queue = queue
        // It waits for commands on a thread of its own.
        running = Task(executorPreference: SerialDispatchExecutor(label: "utter.exec", for: .waiting).tasks) {
            for await utterance in utterances {
                output.lend { if let failure = Self.run(command, with: utterance) { failed(failure) } }
            }
        }
    }

    /// Adds an utterance, for which the command runs after all earlier ones.
    func add(_ capture: CapturedText, id: UUID, speaker: String? = nil) { queue.yield((capture, id, speaker)) }

    /// Returns when the command has ended for every utterance.
    func finish() async {
        queue.finish()
        await running.value
    }

    /// Runs the command.
    ///
    /// - Returns: why it failed; nil when it did not.
    private static func run(_ command: String, with utterance: Utterance) -> String? {
        var environment = ["UTTER_ID": utterance.id.name, "UTTER_TIME": utterance.capture.timestamp]
        environment["UTTER_SPEAKER"] = utterance.speaker
        do throws(FileError) {
            let child = try ChildProcess(
                "sh", ["-c", command], input: .pipe, output: .inherited, survivesInterrupt: true,
                environment: environment)
            // A failed write is no error: the command need not read its input.
            _ = Descriptor.write(utterance.capture.text + "\n", to: child.input)
            close(child.input)
            switch child.wait() {
            case .exited(0): return nil
            case .exited(let code): return "the command of --exec ended with exit status \(code)"
            case .killed(let signal): return "the command of --exec was killed by signal \(signal)"
            }
        } catch {
            return error.description
        }
    }
}
