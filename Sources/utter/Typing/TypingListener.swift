import Foundation
import Glibc
import Outbox
import Synchronization
import System

/// The process that listens for one dictation of `utter type`: `utter listen`, which puts each utterance into the queue of the texts that
/// are to be typed. Whatever happens to the process that serves, it keeps the last word.
enum TypingListener {
    static let option = "--listen-to-type"
    private static let spaceOption = "--\(TypeBegin.space.specification.long)"

    /// The arguments of the process.
    struct Arguments: Equatable {
        var dictation: String
        /// The window that has the focus as the dictation begins; nil where the session does not say.
        var window: String?
        /// The options of `utter listen`.
        var options: [String]

        var words: [String] {
            [option, dictation, window ?? "", "--format=jsonl", "--event=status", "--quiet"] + options
        }

        init(dictation: String, window: String?, options: [String]) {
            (self.dictation, self.window, self.options) = (dictation, window, options)
        }

        /// Reads the arguments of this process; nil when it is another one.
        init?(_ arguments: [String]) {
            guard arguments.count >= 3, arguments[0] == option else { return nil }
            (dictation, window) = (arguments[1], arguments[2].isEmpty ? nil : arguments[2])
            options = Array(arguments.dropFirst(3))
        }
    }

    static func run(_ arguments: Arguments) async throws -> ExitCode {
        let isSpaced = arguments.options.contains(spaceOption)
        let options = arguments.options.filter { $0 != spaceOption }
        guard case .arguments(let parsed) = try ArgumentParser.parse(options, by: .listen) else { return .usage }
        let command = try ListenCommand(Settings.load().completing(parsed))
        let queue = TypingQueue()
        let spacing = Spacing()
        return try await command.run { capture, _ throws(OutboxError) in
            // The process that serves closes this pipe as soon as all earlier dictations are in the queue, or when it ends.
            var byte: UInt8 = 0
            while read(STDIN_FILENO, &byte, 1) != 0 {}
            let text = isSpaced ? capture.text + " " : spacing.spaced(capture.text)
            // The queue is in the order in which texts come into it, not in that in which they were said.
            try queue.add(TypedText(text: text, dictation: arguments.dictation, window: arguments.window))
        }
    }

    /// Puts a space between utterances.
    private final class Spacing: Sendable {
        private let earlier = Mutex<String?>(nil)

        func spaced(_ text: String) -> String {
            earlier.withLock { earlier in
                defer { earlier = text }
                guard let earlier else { return text }
                return SpeechSpacing.around(text, between: earlier[...], and: "").before + text
            }
        }
    }
}
