import Audio
import Glibc

/// Where `utter listen` writes: a line of output for each final result or each event, flushed at once, and on a terminal the guess on
/// a line of its own below.
final class ListenOutput: Sendable {
    private let format: ListenOptions.Format
    private let status: Status
    private let isTerminal = isatty(STDOUT_FILENO) != 0
    private let showsGuess: Bool

    init(_ options: ListenOptions, status: Status) {
        format = options.format
        self.status = status
        showsGuess = options.showsVolatile && status.showsProgress
    }

    /// Whether anyone wants to know the guesses.
    var wantsGuesses: Bool { showsGuess || format == .jsonl }

    /// - Throws: `CommandError` when standard output can't be written; with exit code 0 when its reader has gone.
    func write(_ event: ListenEvent) throws(CommandError) {
        show(event)
        switch (format, event) {
        case (.jsonl, _): try write(event.json)
        case (.text, .final(let segment)):
            status.clearProgress()
            try write(TextFormatter().segment(segment))
        default: break
        }
    }

    /// Whether whoever read standard output has gone. poll(2)
    var readerHasGone: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR) != 0
    }

    private func show(_ event: ListenEvent) {
        guard showsGuess, case .volatile(let text, _, _) = event else { return }
        // The end of a long guess is what is being said.
        status.show { width in String(suffix(of: text.singleLine, fitting: width)) }
    }

    private func write(_ text: String) throws(CommandError) {
        if text.isEmpty { return }
        let text = isTerminal ? TerminalText.visible(text, layout: .tabsAndNewlines) : text
        try status.duringOutput { () throws(CommandError) in try Output.write(text) }
    }
}
