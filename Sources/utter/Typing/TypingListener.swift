import Foundation
import Glibc
import Outbox
import Synchronization
import System

/// The process that listens for one dictation of `utter type`: `utter listen`, which puts each utterance into the queue of the texts that
/// are to be typed. Whatever happens to the process that serves, it keeps the last word.
enum TypingListener {
    static let option = "--listen-to-type"
    private static let spaceOption = "--\(TypeRequest.space.specification.long)"
    private static let volatileOption = "--\(TypeRequest.typesVolatile.specification.long)"

    struct Arguments: Equatable {
        var dictation: String
        /// The place where the focus is as the dictation begins.
        var place: WindowPlace
        /// The options of `utter listen`.
        var options: [String]

        var words: [String] {
            [option, dictation, place.jsonLine, "--format=jsonl", "--event=status", "--quiet"] + options
        }

        /// Reads the arguments of this process; nil when it is another one.
        static func read(_ arguments: [String]) -> Arguments? {
            guard arguments.count >= 3, arguments[0] == option else { return nil }
            return WindowPlace(json: arguments[2].utf8).map {
                Arguments(dictation: arguments[1], place: $0, options: Array(arguments.dropFirst(3)))
            }
        }
    }

    static func run(_ arguments: Arguments) async throws -> ExitCode {
        let isSpaced = arguments.options.contains(spaceOption)
        let options = arguments.options.filter { $0 != spaceOption && $0 != volatileOption }
        guard case .arguments(let parsed) = try ArgumentParser.parse(options, by: .listen) else { return .usage }
        let settings = try Settings.load()
        for warning in settings.warnings { tell(.warning(warning)) }
        let command = ListenCommand(arguments: settings.completing(parsed))
        let queue = TypingQueue()
        let lock = try queue.lockListening()
        defer { withExtendedLifetime(lock) {} }
        let said = Said(isSpaced: isSpaced)
        return try await command.run(guesses: arguments.options.contains(volatileOption), remark: { tell($0) }) {
            utterance, _ throws(OutboxError) in
            // The process that serves closes this pipe as soon as all earlier dictations are in the queue, or when it ends.
            var byte: UInt8 = 0
            while read(STDIN_FILENO, &byte, 1) < 0, errno == EINTR {}
            var typed = TypedText(text: "", dictation: arguments.dictation, place: arguments.place)
            switch utterance {
            case .guess(let guess): return tell(said.guess(MemoText.cleaned(guess)))
            case .text(let capture): typed.text = said.text(MemoText.cleaned(capture.text))
            case .takeBack:
                said.takeBack()
                typed.takesBack = true
            }
            // The queue is in the order in which texts come into it, not in that in which they were said.
            try add(typed, to: queue)
        }
    }

    private static func tell(_ guess: HeardGuess) { tell(line: guess.jsonLine) }

    private static func tell(_ remark: ListenSession.Remark) {
        var remark = remark
        // What names many words of the user's, such as those that the model does not know, is cut.
        if case .warning(let sentence) = remark { remark = .warning(String(sentence.prefix(300))) }
        tell(line: HeardRemark(remark).jsonLine)
    }

    /// Tells the process that serves something. A line of at most so many bytes is written at once, whatever else is written. pipe(7)
    private static func tell(line: String) {
        if line.utf8.count < PIPE_BUF { _ = Descriptor.write(line + "\n", to: STDOUT_FILENO) }
    }

    /// Adds a text, and tries again each second as long as the queue can't be written and the process that serves is there.
    private static func add(_ text: TypedText, to queue: TypingQueue) throws(OutboxError) {
        var hasTold = false
        while true {
            do throws(OutboxError) {
                try queue.add(text)
                return
            } catch {
                if Output.readerHasGone { throw error }
                if !hasTold { tell(.warning("\(error.description); the text waits until it can be written")) }
                hasTold = true
                sleep(1)
            }
        }
    }

    /// What was said in this dictation, for the space between two utterances.
    private final class Said: Sendable {
        /// Whether a space follows each utterance, instead of standing between two.
        private let isSpaced: Bool
        /// What was said, and how many texts the queue has got.
        private let state = Mutex((earlier: [String](), count: 0))

        init(isSpaced: Bool) { self.isSpaced = isSpaced }

        /// An utterance as it is typed.
        func text(_ text: String) -> String {
            state.withLock { state in
                let before = space(before: text, state.earlier.last)
                state.count += 1
                state.earlier.append(text)
                return before + text + (isSpaced && text.last?.isNewline != true ? " " : "")
            }
        }

        /// A guess as it is typed; it may be empty.
        func guess(_ text: String) -> HeardGuess {
            state.withLock { state in
                HeardGuess(
                    text: text.isEmpty ? "" : space(before: text, state.earlier.last) + text, textCount: state.count)
            }
        }

        private func space(before text: String, _ last: String?) -> String {
            guard !isSpaced, let last else { return "" }
            return SpeechSpacing.around(text, between: last[...], and: "").before
        }

        /// What was said last does not count any more.
        func takeBack() {
            state.withLock { state in
                state.count += 1
                _ = state.earlier.popLast()
            }
        }
    }
}
