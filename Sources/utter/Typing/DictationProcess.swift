import Foundation
import Glibc
import Outbox
import System

/// The process that listens for one dictation, as the process that serves sees it.
final class DictationProcess: Sendable {
    enum Event: Sendable {
        /// The microphone is open.
        case isOpen
        /// The model is loaded.
        case isReady
        /// What may be said next, in place of the guess before.
        case guess(HeardGuess)
        /// What the user is to know.
        case remark(ListenSession.Remark)
        /// The process has ended; all that it has heard is in the queue. With why it failed, where it did.
        case ended(CommandError?)
    }

    private let child: ChildProcess
    /// The process may put its text into the queue when this pipe is closed.
    private let turn: System.Pipe

    /// Starts the process, with variables of the client in place of this process's own. Events come on any thread, `ended` once.
    init(
        _ arguments: TypingListener.Arguments, _ environment: [String: String],
        report: @escaping @Sendable (Event) -> Void
    ) throws(FileError) {
        guard let turn = System.Pipe() else { throw FileError(.start, path: "utter listen", errno: errno) }
        let child = try ChildProcess(
            "/proc/self/exe", arguments.words, input: .descriptor(turn.reading), errors: .pipe, survivesInterrupt: true,
            environment: environment, closesOtherDescriptors: true)
        self.child = child
        self.turn = turn
        turn.closeReading()
        let errors = Task.detached {
            await onOwnThread {
                let lines = LineReader(child.errors)
                var last: String?
                while let line = lines.next() { last = String(decoding: line, as: UTF8.self) }
                return last
            }
        }
        Thread.detachNewThread {
            let lines = LineReader(child.output)
            while let line = lines.next() {
                if let event = Self.event(line) { report(event) }
            }
            let end = child.wait()
            Task { report(.ended(Self.failure(end, await errors.value))) }
        }
    }

    /// Lets the process put its text into the queue: all that was said earlier is there.
    func letDeliver() { turn.closeWriting() }

    /// Stops the microphone. The process ends when all that was said is in the queue.
    func end() { child.signal(SIGINT) }

    /// Ends the process at once.
    func kill() { child.kill() }

    private static func event(_ line: [UInt8]) -> Event? {
        if let guess = HeardGuess(json: line) { return .guess(guess) }
        if let remark = HeardRemark(json: line)?.remark { return .remark(remark) }
        switch (try? JSONParser.parse(line))?.object?["state"]?.string {
        case LiveState.gettingReady.rawValue: return .isOpen
        case LiveState.listening.rawValue: return .isReady
        default: return nil
        }
    }

    private static func failure(_ end: ChildProcess.End, _ lastLine: String?) -> CommandError? {
        switch end {
        case .exited(0): return nil
        case .exited(let status):
            let sentence = lastLine.map { $0.hasPrefix("utter: ") ? String($0.dropFirst(7)) : $0 }
            return CommandError(sentence ?? "listening failed", ExitCode(rawValue: status) ?? .software)
        // It was ended before it could listen.
        case .killed(signal: SIGINT): return nil
        case .killed(let signal): return CommandError("listening was ended by signal \(signal)", .software)
        }
    }
}
