import Dispatch
import Glibc
import Synchronization

/// Where `utter listen` writes: a line of output for each final result or each event, flushed at once, and on a terminal the guess on
/// a line of its own below.
final class ListenOutput: Sendable {
    private struct State {
        var told: Set<ListenEvent.State> = []
        /// Whether a command of the user's may be writing to the terminal.
        var isLent = false
    }

    private let format: ListenOptions.Format
    private let status: Status
    private let isTerminal = isatty(STDOUT_FILENO) != 0
    private let showsGuess: Bool
    private let state = Mutex(State())
    /// One event after another. A reader that does not read keeps a thread here, and none that others need.
    private let queue = DispatchQueue(label: "utter.output")

    init(_ options: ListenOptions, status: Status) {
        format = options.format
        self.status = status
        showsGuess = options.showsVolatile && status.showsProgress
    }

    /// Whether anyone wants to know the guesses.
    var wantsGuesses: Bool { showsGuess || format == .jsonl }

    /// Returns when it is written. A state is told once, and none behind the last.
    ///
    /// - Throws: `CommandError` when standard output can't be written; with exit code 0 when its reader has gone.
    func write(_ event: ListenEvent) async throws(CommandError) {
        let code = await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: perform(event)) }
        }
        if code == 0 { return }
        throw Output.failure(code)
    }

    /// Does something that may write to the same terminal: no guess is shown until it is done.
    func lend(during body: () -> Void) {
        queue.sync {
            state.withLock { $0.isLent = true }
            status.clearProgress()
        }
        body()
        state.withLock { $0.isLent = false }
    }

    /// Whether whoever read standard output has gone. poll(2)
    var readerHasGone: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR) != 0
    }

    /// - Returns: 0 or an errno.
    private func perform(_ event: ListenEvent) -> Int32 {
        if case .status(let new, _, _) = event, !mayTell(new) { return 0 }
        show(event)
        switch (format, event) {
        case (.jsonl, _): return write(event.json)
        case (.text, .final(let segment)):
            status.clearProgress()
            return write(TextFormatter().segment(segment))
        default: return 0
        }
    }

    private func mayTell(_ new: ListenEvent.State) -> Bool {
        state.withLock { state in !state.told.contains(.finishing) && state.told.insert(new).inserted }
    }

    private func show(_ event: ListenEvent) {
        guard showsGuess, case .volatile(let text, _, _) = event, !state.withLock({ $0.isLent }) else { return }
        // The end of a long guess is what is being said.
        status.show { width in String(suffix(of: text.singleLine, fitting: width)) }
    }

    private func write(_ text: String) -> Int32 {
        if text.isEmpty { return 0 }
        let text = isTerminal ? TerminalText.visible(text, layout: .tabsAndNewlines) : text
        return status.duringOutput { Descriptor.write(text, to: STDOUT_FILENO) }
    }
}
