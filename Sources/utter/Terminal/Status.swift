import Glibc
import Synchronization

/// What the command says on stderr: errors, warnings, and on a terminal one line of progress that keeps out of the way of
/// everything else.
final class Status: Sendable {
    let isQuiet: Bool
    let isVerbose: Bool
    private let liveLine: Mutex<LiveLine>
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    /// Whether output and progress share a terminal.
    private let outputIsOnTerminal = isatty(STDOUT_FILENO) != 0
    let showsProgress: Bool

    /// - Parameter patience: seconds before the live line first appears.
    init(isQuiet: Bool, isVerbose: Bool, patience: Double = 0.5) {
        self.isQuiet = isQuiet
        self.isVerbose = isVerbose
        start = clock.now
        var line = LiveLine(start: 0)
        line.patience = patience
        liveLine = Mutex(line)
        let terminal = getenv("TERM").map { String(cString: $0) } ?? "dumb"
        showsProgress = !isQuiet && isatty(STDERR_FILENO) != 0 && terminal != "dumb"
    }

    /// Seconds since the command began.
    var now: Double { Double((clock.now - start).components.seconds) + Double((clock.now - start).components.attoseconds) * 1e-18 }

    /// Tells an error.
    func fail(_ message: String) { say(message) }

    /// Tells something that the user may want to know; not when asked to be quiet.
    func warn(_ message: String) { if !isQuiet { say(message) } }

    /// Tells a detail to those who asked for details.
    func detail(_ message: String) { if isVerbose { say(message) } }

    /// Shows how far the work is.
    func progress(_ line: ProgressLine) { show { line.text(width: $0) } }

    /// Shows a line that the next one replaces.
    ///
    /// - Parameters:
    ///   - atOnce: whether it is too important to wait for the time between two drawings.
    ///   - line: makes it, no wider than it is told.
    func show(atOnce: Bool = false, _ line: (_ width: Int) -> String) {
        guard showsProgress else { return }
        liveLine.withLock { live in
            // Room for the ^C that the terminal itself writes behind it: it must not wrap.
            let width = (Console.columns(of: STDERR_FILENO) ?? 80) - 3
            if let text = live.draw(line(width), now: now, atOnce: atOnce) { _ = Descriptor.write(text, to: STDERR_FILENO) }
        }
    }

    /// Takes the progress line away.
    func clearProgress() {
        guard showsProgress else { return }
        liveLine.withLock { live in _ = Descriptor.write(live.erase(), to: STDERR_FILENO) }
    }

    /// Does something that writes to standard output, with the progress line out of its way.
    func duringOutput(_ body: () -> Int32) -> Int32 {
        guard showsProgress && outputIsOnTerminal else { return body() }
        return withoutLine(body)
    }

    /// Tells something in several lines of our own.
    func announce(_ text: String) {
        if !isQuiet { say(text, layout: .tabsAndNewlines) }
    }

    private func say(_ message: String, layout: TerminalText.Layout = .oneLine) {
        guard showsProgress else { return Console.tell(message, layout: layout) }
        withoutLine { Console.tell(message, layout: layout) }
    }

    /// Takes the line away and does something before anyone can show another.
    private func withoutLine<Value: Sendable>(_ body: () -> Value) -> Value {
        liveLine.withLock { live in
            _ = Descriptor.write(live.erase(), to: STDERR_FILENO)
            return body()
        }
    }
}
