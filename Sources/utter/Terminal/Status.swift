import Glibc
import Synchronization
import System

/// The command's messages on the standard error: errors, warnings, and on a terminal one line of progress that is cleared before
/// anything else is written.
final class Status: Sendable {
    let isQuiet: Bool
    let isVerbose: Bool
    /// Gets each error, warning and remark, also those that a quiet command does not write.
    private let told: (@Sendable (String) -> Void)?
    private let liveLine: Mutex<LiveLine>
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private let outputIsOnTerminal = isatty(STDOUT_FILENO) != 0
    /// Whether the standard error is a terminal that shows a line of progress.
    let showsProgress: Bool

    /// Creates the status of a command that begins now, whose line of progress first appears after a patience in seconds.
    init(
        isQuiet: Bool = false, isVerbose: Bool = false, patience: Double = 0.5,
        told: (@Sendable (String) -> Void)? = nil
    ) {
        self.told = told
        self.isQuiet = isQuiet
        self.isVerbose = isVerbose
        start = clock.now
        liveLine = Mutex(LiveLine(patience: patience))
        let terminal = getenv("TERM").map { String(cString: $0) } ?? "dumb"
        showsProgress = !isQuiet && isatty(STDERR_FILENO) != 0 && terminal != "dumb"
    }

    /// The time since the command began, in seconds.
    var now: Double { (clock.now - start) / .seconds(1) }

    func fail(_ message: String) {
        told?(message)
        say(message)
    }

    /// Writes a warning or a remark, unless the command is quiet.
    func warn(_ message: String) {
        told?(message)
        if !isQuiet { say(message) }
    }

    /// Writes a detail, if the command is verbose.
    func detail(_ message: String) { if isVerbose { say(message) } }

    /// Shows a line of progress for a width in columns, which the next one replaces, after the usual time or at once.
    func show(atOnce: Bool = false, _ line: (_ width: Int) -> String) {
        guard showsProgress else { return }
        liveLine.withLock { live in
            // The line must not wrap, also with the ^C that the terminal itself writes after it.
            let width = (Console.size(of: STDERR_FILENO)?.columns ?? 80) - 3
            if let text = live.draw(line(width), now: now, atOnce: atOnce) {
                _ = Descriptor.write(text, to: STDERR_FILENO)
            }
        }
    }

    /// Clears the line of progress.
    ///
    /// - Parameter seconds: how long it does not appear again.
    func clearProgress(for seconds: Double = 0) {
        guard showsProgress else { return }
        liveLine.withLock { live in _ = Descriptor.write(live.erase(until: now + seconds), to: STDERR_FILENO) }
    }

    /// Calls a function that writes to standard output; if that is the same terminal, the line of progress is cleared first.
    func duringOutput(_ body: () -> Int32) -> Int32 {
        guard showsProgress && outputIsOnTerminal else { return body() }
        return withoutLine(body)
    }

    /// Writes a text of several lines, unless the command is quiet. It must hold nothing untrusted that has line breaks.
    func announce(_ text: String) {
        if !isQuiet { say(text, layout: .tabsAndNewlines) }
    }

    private func say(_ message: String, layout: TerminalText.Layout = .oneLine) {
        guard showsProgress else { return Console.tell(message, layout: layout) }
        withoutLine { Console.tell(message, layout: layout) }
    }

    /// Clears the line of progress and calls a function before another can be shown.
    private func withoutLine<Value: Sendable>(_ body: () -> Value) -> Value {
        liveLine.withLock { live in
            _ = Descriptor.write(live.erase(), to: STDERR_FILENO)
            return body()
        }
    }
}
